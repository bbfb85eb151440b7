/**
 * CPU cost of routing rules for one alert: sets as workspaces have them, and the worst sets that
 * may be saved. It needs no engines: the rules are pure.
 *
 * Each sample is the CPU of a run of evaluations (process.cpuUsage), divided by their number; p50
 * and p99 are of samples. Alerts differ, and most of them match late or not at all.
 */
import { parseArgs } from 'node:util'
import { type Condition, MAX_COMPARED, type StoredRule } from '../../schemas/http/routing-words.ts'
import { costOf } from '../../streams/routing/budget.ts'
import { compile, type Routable, type RuleSet, route } from '../../streams/routing/rules.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { everyCondition, everySearch, everyStep, hostileText, rule } from './worst-rules.ts'

const RULES = 1000
const TARGET_US = 30
const AT = Date.UTC(2026, 0, 5, 12)

const alert = (at: number, over: Partial<Routable> = {}): Routable => ({
  tenant_id: '01890000-0000-7000-8000-000000000001',
  severity: 'critical',
  title: `Disk full on db-${at}.eu-west.example.com: 98 % of /var/lib/postgresql`,
  summary: 'The volume has been above 95 % for 10 minutes and grows by 2 GiB an hour.',
  source_kind: 'inbound',
  source_type: 'alertmanager',
  integration_id: null,
  monitor_id: null,
  heartbeat_id: null,
  region: null,
  affected_regions: [],
  priority: null,
  labels: {
    alertname: 'DiskFull',
    cluster: 'prod-1',
    env: 'prod',
    instance: `db-${at}:9100`,
    job: 'node',
    namespace: 'storage',
    pod: `db-${at}`,
    service: `service-${at % (RULES + 100)}`
  },
  links: [],
  team_id: null,
  visibility: 'org',
  escalation_policy_id: null,
  ...over
})

const equals = (field: string, value: string): Condition => ({ field, op: 'eq', value })

/** A thousand services, each with its team. Every rule also compares the environment. */
const services = Array.from({ length: RULES }, (_, at) =>
  rule(at, { all: [equals('label.env', 'prod'), equals('label.service', `service-${at}`)] })
)
/** The same, followed by 50 rules with an expression over the title, none of which matches. */
const expressions = Array.from({ length: 50 }, (_, at) =>
  rule(RULES + at, { all: [{ field: 'title', op: 'matches', value: `^(?:web|api)-${at}\\d* .*(?:timeout|refused)$` }] })
)
interface Cost {
  p50: number
  p99: number
}

/** Us of CPU an alert. */
function measure(set: RuleSet, alerts: readonly Routable[], samples: number, runs: number): Cost {
  const found: number[] = []
  let matched = 0
  for (let sample = -Math.ceil(samples / 10); sample < samples; sample++) {
    const before = process.cpuUsage()
    for (let run = 0; run < runs; run++) {
      const one = alerts[run % alerts.length]
      if (one) matched += route(set, one, AT).matched_rule_ids.length
    }
    const { user, system } = process.cpuUsage(before)
    if (sample >= 0) found.push((user + system) / runs)
  }
  if (matched < 0) throw new Error('never')
  return { p50: median(found), p99: percentile(found, 0.99) }
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { samples: { type: 'string', default: '300' } } })
  const samples = Number(values.samples)
  printMachine(
    `CPU of route() for one alert, median of ${samples} samples of 1,000 alerts (worst sets: a tenth of the samples, 5 alerts each)`
  )
  const alerts = Array.from({ length: 200 }, (_, at) => alert(at * 7))
  const common: [id: string, rules: StoredRule[]][] = [
    ['ROUTING_LABELS', services],
    ['ROUTING_EXPRESSIONS', [...expressions, ...services]]
  ]
  for (const [id, rules] of common) {
    const before = process.cpuUsage()
    const set = compile(2, rules)
    const { user, system } = process.cpuUsage(before)
    const { p50, p99 } = measure(set, alerts, samples, 1000)
    console.log(
      `  ${id}: ${rules.length} rules, compiled in ${((user + system) / 1000).toFixed(1)} ms, p50 ${p50.toFixed(2)} us, p99 ${p99.toFixed(2)} us`
    )
    figure({ id, value: p50, unit: 'us', target: { op: '<=', value: id === 'ROUTING_LABELS' ? TARGET_US : 300 } })
  }
  const hostile = alert(1, { summary: hostileText() })
  const repeated = alert(1, { summary: 'a'.repeat(MAX_COMPARED) })
  const worst: [id: string, rules: StoredRule[], one: Routable][] = [
    ['ROUTING_WORST_CONDITIONS', everyCondition(), alert(1)],
    ['ROUTING_WORST_STEPS', everyStep(), hostile],
    ['ROUTING_WORST_SEARCHES', everySearch(), repeated]
  ]
  for (const [id, rules, one] of worst) {
    const { conditions, expressions: count, nodes, steps } = costOf(rules)
    const { p50, p99 } = measure(compile(2, rules), [one], Math.ceil(samples / 10), 5)
    console.log(
      `  ${id}: ${rules.length} rules, ${conditions} conditions, ${count} expressions of ${nodes} parts, ${steps} steps: p50 ${p50.toFixed(0)} us, p99 ${p99.toFixed(0)} us`
    )
    figure({ id, value: p50 / 1000, unit: 'ms', target: { op: '<=', value: 100 } })
  }
}
