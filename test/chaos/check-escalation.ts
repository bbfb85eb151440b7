/**
 * Checks escalations after a fault run, whatever was killed: the steps in the log, in the api and
 * in Postgres must be those that the reference scheduler derives from events and policies. No step
 * is missing, none is there twice, and none comes before it is due, while it is held, or after the
 * commit that acknowledged.
 */
import type { IncidentEvent } from '../../schemas/generated/events.ts'
import type { Product, TestWorkspace } from '../harness/product.ts'
import type { Verdicts } from './checks.ts'
import { readBack } from './readback.ts'
import { expectedOf, type Happening, type Place, placeName, type ReferencePolicy } from './scheduler.ts'

/** A workspace of the run, with those of its people who cannot be asked. */
export interface Escalating extends TestWorkspace {
  owner: string
  unreachable: ReadonlySet<string>
}

export interface EscalationCheck {
  workspaces: readonly Escalating[]
  /** The latest time at which a place that is due at `due` may be reached, epoch ms in and out. */
  allowed(due: number): number
  /** The last instant that is judged, epoch ms. */
  until: number
}

/** A place that was reached, according to the log or the api. */
interface Reached extends Place {
  at: number
  /** Null: nobody is told of a step that is skipped. */
  ver: number | null
}

interface EscalateInput {
  command: 'escalate'
  outcome: Place['outcome']
  run: number
  cycle: number
  step: number
  user_ids: string[]
}

interface ShownPolicy {
  id: string
  repeat: number
  is_default: boolean
  steps: {
    delay_seconds: number
    strategy: string
    on_empty: string
    only_if: { severity: string[] } | null
    targets: { type: string; id: string }[]
  }[]
}

/** The policy in the form that the reference uses. Its targets are people. */
export function referenceOf(policy: ShownPolicy, { owner, unreachable }: Pick<Escalating, 'owner' | 'unreachable'>): ReferencePolicy {
  return {
    repeat: policy.repeat,
    steps: policy.steps.map(({ delay_seconds, strategy, on_empty, only_if, targets }) => {
      const named = targets.map(({ id }) => id).filter((id) => !unreachable.has(id))
      const instead = named.length === 0 && on_empty === 'fallback'
      return {
        delay_seconds,
        reachable: instead ? [owner] : named,
        one_by_one: strategy === 'one_by_one' && !instead,
        severities: only_if?.severity ?? []
      }
    })
  }
}

/** The events of an incident that matter to the reference, in the order of `ver`. */
export function happeningsOf(events: readonly IncidentEvent[]): Happening[] {
  return events.flatMap(({ change, ver, at, incident }): Happening[] => {
    if (change === 'created' || change === 'unacknowledged') return [{ what: 'begins', ver, at }]
    if (change === 'acknowledged') return [{ what: 'ends', ver, at }]
    if (change === 'silenced') return [{ what: 'silenced', ver, at, until: incident.silenced_until ?? at }]
    if (change === 'unsilenced') return [{ what: 'unsilenced', ver, at }]
    return incident.status === 'resolved' ? [{ what: 'ends', ver, at }] : []
  })
}

/** The steps that the events of an incident report. */
function toldBy(events: readonly IncidentEvent[]): Reached[] {
  const told: Reached[] = []
  for (const { change, ver, at, cause } of events) {
    if (change !== 'escalated') continue
    const { run, cycle, step, outcome, user_ids } = JSON.parse(cause.input ?? '{}') as EscalateInput
    const part = told.filter((one) => one.run === run && one.cycle === cycle && one.step === step).length
    told.push({ run, cycle, step, part, outcome, asks: user_ids, at, ver })
  }
  return told
}

interface Explained {
  steps: { rule: string; values: Record<string, unknown> }[]
}

/** The steps that the api reports, including those that were skipped. */
const shownBy = ({ steps }: Explained): Reached[] =>
  steps
    .filter(({ rule }) => rule === 'escalation_step')
    .map(({ values }) => ({
      run: Number(values.run),
      cycle: Number(values.cycle),
      step: Number(values.step),
      part: Number(values.part),
      outcome: values.outcome as Place['outcome'],
      asks: values.asked as string[],
      at: Date.parse(String(values.at)),
      ver: null
    }))

interface Judging {
  events: readonly IncidentEvent[]
  shown: readonly Reached[]
  policy: ReferencePolicy
  check: EscalationCheck
  counts: { expected: number; reached: number; undecided: number; runs: number; without_an_end: number }
  must(holds: boolean, sentence: string): void
}

function judge({ events, shown, policy, check, counts, must }: Judging): void {
  const [first] = events
  if (!first) return
  const { incident_id } = first
  const told = toldBy(events)
  const names = (places: readonly Place[]): string[] => places.map(placeName)
  for (const [source, places] of [
    ['the log', told],
    ['the api', shown]
  ] as const)
    must(new Set(names(places)).size === places.length, `${incident_id}: ${source} tells of a step twice: ${names(places).join('; ')}`)
  const spoken = names(shown.filter(({ outcome }) => outcome !== 'skipped'))
  must(
    names(told).sort().join() === spoken.sort().join(),
    `${incident_id}: the log tells of ${names(told).join('; ')}, the api of ${spoken.join('; ')}`
  )

  const reached = new Map([...shown, ...told].map((one) => [placeName(one), one]))
  const happenings = happeningsOf(events)
  const expected = expectedOf(policy, first.incident.severity, happenings, {
    reached: (place) => reached.get(placeName(place))?.at,
    verOf: (place) => reached.get(placeName(place))?.ver ?? null,
    until: check.until,
    allowed: check.allowed
  })
  const left = new Map(reached)
  for (const { place, due, must: isSure } of expected) {
    const name = placeName(place)
    const found = reached.get(name)
    left.delete(name)
    if (isSure) counts.expected += 1
    else if (found) counts.expected += 1
    else counts.undecided += 1
    if (!found) {
      must(!isSure, `${incident_id}: ${name} was due at ${new Date(due).toISOString()} and is missing`)
      continue
    }
    counts.reached += 1
    must(found.at >= due, `${incident_id}: ${name} came ${due - found.at} ms before it was due, or while it was held`)
    must([...found.asks].sort().join() === [...place.asks].sort().join(), `${incident_id}: ${name} asked ${found.asks}, not ${place.asks}`)
  }
  const story = events.map(({ ver, change, at }) => `${ver} ${change} ${new Date(at).toISOString()}`).join(', ')
  for (const { ver, ...place } of left.values())
    must(false, `${incident_id}: ${placeName(place)} at ver ${ver} is not to be there; its events: ${story}`)

  // Events are in the order of commits, which is the order of `ver` under the incident's lock.
  let run: number | null = null
  for (const { change, ver, cause, incident } of events) {
    if (change === 'created' || change === 'unacknowledged') run = ver
    if (change === 'acknowledged' || incident.status === 'resolved') run = null
    if (change !== 'escalated') continue
    const of = (JSON.parse(cause.input ?? '{}') as EscalateInput).run
    must(of === run, `${incident_id}: a step of run ${of} at ver ${ver}, where ${run === null ? 'no run goes on' : `run ${run} does`}`)
  }
  counts.runs += happenings.filter(({ what }) => what === 'begins').length
  if (run !== null && !told.some((one) => one.run === run && one.outcome === 'exhausted')) counts.without_an_end += 1
}

interface StoredStep {
  incident_id: string
  run: number
  asked: number
  intents: number
  outcome: string
}

/** Everybody who was asked has intents of that step, and nobody has one twice. */
async function checkIntents(product: Product, tenants: readonly string[], must: Judging['must']): Promise<number> {
  const pool = product.pool()
  try {
    const { rows } = await pool.query<StoredStep & { place: string }>(
      `SELECT s.incident_id, s.run, format('cycle %s step %s part %s', s.cycle, s.step, s.part) AS place, s.outcome,
              jsonb_array_length(s.facts -> 'asked') AS asked,
              (SELECT count(DISTINCT i.user_id)::int FROM intents i WHERE i.tenant_id = s.tenant_id AND i.incident_id = s.incident_id AND i.run = s.run
                  AND i.cycle = s.cycle AND i.step = s.step AND i.suppressed_by IS NULL AND (s.facts -> 'asked') ? i.user_id::text) AS intents
         FROM escalation_steps s WHERE s.tenant_id = ANY ($1::uuid[])`,
      [tenants]
    )
    for (const { incident_id, run, place, asked, intents } of rows)
      must(asked === intents, `${incident_id}: run ${run} ${place} asked ${asked} people, and ${intents} have an intent`)
    const { rows: twice } = await pool.query<{ incident_id: string; n: number }>(
      `SELECT incident_id, count(*)::int AS n FROM intents WHERE tenant_id = ANY ($1::uuid[]) AND user_id IS NOT NULL AND suppressed_by IS NULL AND run IS NOT NULL
        GROUP BY incident_id, run, cycle, step, user_id, method_id HAVING count(*) > 1`,
      [tenants]
    )
    for (const { incident_id, n } of twice) must(false, `${incident_id}: ${n} intents of one person and one step`)
    return rows.length
  } finally {
    await pool.end()
  }
}

async function ask<T>(product: Product, path: string, token: string): Promise<T> {
  const answer = await product.api('GET', `/api/v1/${path}`, undefined, token)
  if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as T
}

export async function checkEscalations(product: Product, check: EscalationCheck): Promise<Verdicts> {
  const violations: string[] = []
  const must = (holds: boolean, sentence: string): void => {
    if (!holds) violations.push(sentence)
  }
  const counts: Judging['counts'] = { expected: 0, reached: 0, undecided: 0, runs: 0, without_an_end: 0 }
  const tenants = new Map(check.workspaces.map((workspace) => [workspace.tenant_id, workspace]))
  const byIncident = new Map<string, Map<string, IncidentEvent>>()
  const log = await readBack(product)
  try {
    for (const { value } of await log.read('incident.events.v1')) {
      if (!value) continue
      const decoded = log.codec.decodeAny(value)
      if (decoded.record !== 'IncidentEvent' || !tenants.has(decoded.value.tenant_id)) continue
      const { incident_id, event_id } = decoded.value
      const known = byIncident.get(incident_id) ?? new Map<string, IncidentEvent>()
      byIncident.set(incident_id, known.set(event_id, decoded.value))
    }
  } finally {
    await log.close()
  }
  const policies = new Map<string, ShownPolicy>()
  for (const { apiToken } of check.workspaces)
    for (const policy of (await ask<{ items: ShownPolicy[] }>(product, 'on-call/escalation-policies?per_page=100', apiToken)).items)
      policies.set(policy.id, policy)
  for (const [incident_id, found] of byIncident) {
    const events = [...found.values()].sort((one, other) => one.ver - other.ver)
    const workspace = tenants.get(events[0]?.tenant_id ?? '')
    const policy = policies.get(events[0]?.incident.escalation_policy_id ?? '')
    if (!workspace || !policy) {
      must(false, `${incident_id} has no policy`)
      continue
    }
    const shown = shownBy(await ask<Explained>(product, `incidents/${incident_id}/explain`, workspace.apiToken))
    judge({ events, shown, policy: referenceOf(policy, workspace), check, counts, must })
  }
  const stored = await checkIntents(product, [...tenants.keys()], must)
  const { expected, reached, undecided, runs, without_an_end } = counts
  return {
    counts: {
      incidents: byIncident.size,
      escalation_runs: runs,
      runs_without_an_end_yet: without_an_end,
      steps_expected: expected,
      steps_reached: reached,
      steps_stored: stored,
      steps_that_an_end_or_a_fault_left_undecided: undecided
    },
    violations
  }
}
