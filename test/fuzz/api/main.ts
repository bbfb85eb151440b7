/**
 * npm run fuzz -- api [--minutes M | --requests N] [--seed S] [--from N] [--analytics
 * engine|double]: fuzzes the api over HTTP. It uses the engines that the environment names, or
 * starts its own in a temporary folder. It prints at the end which requests were sent and how they
 * were answered, and `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEngines } from '../../../services/local/engines.ts'
import { takeLock } from '../../../services/local/lock.ts'
import { migrateSchemas } from '../../../services/operator/migrate.ts'
import { UsageError } from '../../../services/operator/tool.ts'
import { printMachine } from '../../bench/figures.ts'
import { ensureTemplate, type Teardown } from '../../harness/engines.ts'
import { seedOf, wholeNumber } from '../words.ts'
import { known as knownFaults } from './known.ts'
import { type Counts, fuzzApi, type Report } from './run.ts'
import { fuzzStand } from './stand.ts'

const MAX_CPU_MS = 1000
const MAX_GROWTH_MIB = 64
const MINUTES = 30
const DOOR_EVERY = 10
const MIB = 1024 * 1024

const tell = (line: string): void => console.log(line)

/** Collects teardown handlers and runs them, the last one first. */
function teardowns(): Teardown & { run(): Promise<void> } {
  const handlers: (() => unknown)[] = []
  return {
    teardown: (handler) => void handlers.push(handler),
    async run() {
      for (let handler = handlers.pop(); handler; handler = handlers.pop()) await handler()
    }
  }
}

/** Starts engines and sets their addresses in the environment when it has none. */
async function withEngines(t: Teardown): Promise<void> {
  const { SERVICE_KAFKA_BROKERS, SERVICE_SCHEMA_REGISTRY_URL, SERVICE_POSTGRES_URL } = process.env
  if (SERVICE_KAFKA_BROKERS && SERVICE_SCHEMA_REGISTRY_URL && SERVICE_POSTGRES_URL) return
  const folder = mkdtempSync(join(tmpdir(), 'service-fuzz-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const lock = await takeLock(folder, tell)
  t.teardown(() => lock.release())
  const none = { kafkaBrokers: null, registryUrl: null, postgresUrl: null }
  const engines = await startEngines({ ...none, dataDir: folder, lock, database: 'service_test', throwaway: true, tell })
  t.teardown(() => engines.stop())
  const [{ ownerUrl }, { brokers }, { url }] = await Promise.all([engines.postgres, engines.kafka, engines.registry])
  await migrateSchemas(url)
  await ensureTemplate(ownerUrl)
  Object.assign(process.env, { SERVICE_KAFKA_BROKERS: brokers.join(','), SERVICE_SCHEMA_REGISTRY_URL: url, SERVICE_POSTGRES_URL: ownerUrl })
}

function printCounts(title: string, counts: Counts): void {
  const classes = [...new Set([...counts.values()].flatMap((row) => [...row.keys()]))].sort()
  tell(`${title.padEnd(28)}${classes.map((name) => name.padStart(9)).join('')}`)
  for (const [name, row] of [...counts].sort(([one], [other]) => one.localeCompare(other, 'en')))
    tell(`  ${name.padEnd(26)}${classes.map((status) => String(row.get(status) ?? 0).padStart(9)).join('')}`)
}

function print(report: Report): void {
  const { requests, seconds, faults, known, statuses, sockets, memory } = report
  const of = (what: string): number => [...faults].reduce((sum, [name, many]) => (name === what ? sum + many : sum), 0)
  printCounts('operation', report.byOperation)
  printCounts('caller', report.byActor)
  printCounts('kind of request', report.byKind)
  printCounts('doors', report.doors)
  tell(
    `statuses: ${[...statuses]
      .sort(([one], [other]) => one - other)
      .map(([status, many]) => `${status}: ${many}`)
      .join(', ')}`
  )
  tell(
    `sockets: ${sockets.sockets}, ${sockets.frames} frames; ended with ${[...sockets.codes].map(([code, many]) => `${code}: ${many}`).join(', ')}`
  )
  for (const { name, warm, end } of memory)
    tell(
      `memory of ${name}: heap ${(warm.heapUsed / MIB).toFixed(1)} -> ${(end.heapUsed / MIB).toFixed(1)} MiB, rss ${(warm.rss / MIB).toFixed(0)} -> ${(end.rss / MIB).toFixed(0)} MiB`
    )
  tell(`slowest: ${report.slowest.cpuMs} ms of the processor, ${report.slowest.asked}`)
  for (const { name } of knownFaults) tell(`known: ${name}: ${known.get(name) ?? 0}`)
  tell(`faults: ${[...faults].map(([what, many]) => `${what}: ${many}`).join(', ') || 'none'}`)
  tell(
    `${requests} requests and ${report.twins} twins in ${seconds.toFixed(0)} s (${Math.round(requests / seconds)}/s); 5xx: ${of('5xx')}; foreign ids: ${of('foreign id')} in ${report.foreign} requests with some; 429: ${statuses.get(429) ?? 0}`
  )
}

/** Resolves with the exit code. */
export async function fuzzApiByCommand(args: string[]): Promise<number> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: { minutes: text, requests: text, seed: text, from: text, analytics: { ...text, default: 'engine' } }
  })
  const { analytics } = values
  if (analytics !== 'engine' && analytics !== 'double') throw new UsageError('--analytics: expected engine or double')
  const seed = seedOf(values.seed)
  const most = values.requests === undefined ? Number.POSITIVE_INFINITY : wholeNumber(values.requests, 'requests')
  const minutes = values.minutes === undefined ? MINUTES : wholeNumber(values.minutes, 'minutes')
  const undo = teardowns()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void undo.run().finally(() => process.exit(130)))
  printMachine('requests made from the OpenAPI document, one at a time, over HTTP; every one judged; a tenth as many at the doors')
  tell(`seed: ${seed}`)
  try {
    await withEngines(undo)
    const stand = await fuzzStand(undo, { analytics })
    const until = performance.now() + minutes * 60_000
    const report = await fuzzApi(stand, {
      seed,
      from: wholeNumber(values.from ?? '0', 'from'),
      more(n) {
        if (n > 0 && n % 20_000 === 0) tell(`${n} requests`)
        return n < most && (values.requests !== undefined || performance.now() < until)
      },
      sockets: 200,
      doorEvery: DOOR_EVERY,
      mostCpuMs: MAX_CPU_MS,
      mostGrowthMiB: MAX_GROWTH_MIB,
      tell
    })
    print(report)
    const failed = [...report.faults.values()].reduce((sum, many) => sum + many, 0)
    tell(`${report.requests + report.sockets.sockets - Math.min(failed, report.requests)} passed, ${failed} failed`)
    return failed === 0 && report.requests > 0 ? 0 : 1
  } finally {
    await undo.run()
  }
}
