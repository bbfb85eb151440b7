/**
 * B13: rows per CPU-second of the analytics sink, from the log to stored rows and rollups, compared
 * with the engine's own JSONEachRow insert of the same rows into the same tables. It also measures
 * the time from an event until it can be queried, at 5,000 events/s. Each run is a process of its
 * own with an empty folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { columnsOf } from '../../services/analytics/columns.ts'
import { openEngine } from '../../services/analytics/engine.ts'
import { formBatch, learn } from '../../services/analytics/forming.ts'
import { migrateEngine } from '../../services/analytics/migrations.ts'
import { REV, tables } from '../../services/analytics/rows.ts'
import { createBatcher } from '../../streams/runtime/batcher.ts'
import { readLogState } from '../../streams/runtime/connect.ts'
import { Producer } from '../../streams/runtime/producer.ts'
import { runSink } from '../../streams/runtime/sink.ts'
import { localCodec } from '../harness/codec.ts'
import { until } from '../harness/until.ts'
import { testMetrics } from '../streams/runtime/support.ts'
import { checkFact } from './check-facts.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { quiet, stand } from './stand.ts'

const TOPIC = 'checks.results.v1'
const WARM = 40_000
const ROWS = 200_000
const BATCH = 20_000
const RATE = 5000
const FRESH_SECONDS = 15
const codec = localCodec()

interface Orders {
  what: 'sink' | 'peer'
  path: string
  brokers: string[]
  group: string
  /** The instant around which the peer's facts lie; ms. */
  at: number
}

/** Rows so far, CPU seconds so far and, for small batches, the ages of their rows in ms. */
interface Line {
  rows: number
  cpu: number
  ages: number[]
}

const cpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
const say = (line: Line): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

async function sinkProcess({ path, brokers, group }: Orders): Promise<void> {
  const engine = openEngine({ path })
  await migrateEngine(engine)
  const client = { brokers, clientId: 'bench-sink', topicPrefix: '', log: quiet }
  let rows = 0
  const place = columnsOf('check_results').indexOf('received_at')
  await runSink({
    ...client,
    group,
    topics: [TOPIC],
    sessionTimeoutMs: 8000,
    clusterId: (await readLogState(client)).clusterId,
    rev: REV,
    metrics: testMetrics(),
    begin: () => formBatch(codec, () => undefined),
    prepare: (records) => learn(codec, records),
    async insert({ table, rows: count, body }, token) {
      await engine.insert(table, columnsOf(table), body, token)
      const now = Date.now()
      rows += count
      const ages =
        count > 3 * RATE
          ? []
          : body
              .toString()
              .trimEnd()
              .split('\n')
              .map((line) => now - Number(line.split('\t')[place]) * 1000)
      say({ rows, cpu: cpu(), ages })
    },
    onFatal(reason, error) {
      console.error(reason, error)
      process.exit(1)
    }
  })
  say({ rows: 0, cpu: cpu(), ages: [] })
}

/** The body that a program without its own codec would send: JSON objects by column name. */
function jsonBody(from: number, count: number, at: number): Buffer {
  const names = columnsOf('check_results')
  const numeric =
    /^(seq|attempts|status_code|\w+_ms|response_bytes|certificate_not_after|certificate_chain_ok|domain_expires_at|config_version|retention_class|expires_at|_p|_o)$/
  const parsed = (name: string, text: string): unknown => {
    if (text === 'true' || text === 'false') return text === 'true'
    return numeric.test(name) ? Number(text) : text.replace("\\'", "'")
  }
  const lines: string[] = []
  for (let n = from; n < from + count; n++) {
    const values = tables.check_results
      .row(checkFact(n, at), { partition: n % 12, offset: BigInt(n) })
      .trimEnd()
      .split('\t')
    lines.push(JSON.stringify(Object.fromEntries(names.map((name, index) => [name, parsed(name, values[index] ?? '')]))))
  }
  return Buffer.from(`${lines.join('\n')}\n`)
}

async function peerProcess({ path, at }: Orders): Promise<void> {
  const engine = openEngine({ path })
  await migrateEngine(engine)
  const { createChdbConnection } = await import('chdb/connection')
  const connection = createChdbConnection({ path })
  const bodies: Buffer[] = []
  for (let from = 0; from < WARM + ROWS; from += BATCH) bodies.push(jsonBody(from, BATCH, at + from / 5))
  let rows = 0
  for (const [index, body] of bodies.entries()) {
    await connection.chdb.rawInsert({
      table: 'check_results',
      format: 'JSONEachRow',
      values: body,
      settings: { insert_deduplication_token: `peer${index}`, async_insert: 0 }
    })
    rows += BATCH
    say({ rows, cpu: cpu(), ages: [] })
  }
}

function launch(orders: Orders): { lines: Line[]; child: ChildProcess; end(): Promise<void> } {
  const child = spawn(process.execPath, ['--import=tsx', fileURLToPath(import.meta.url)], {
    env: { ...process.env, SINK_BENCH: JSON.stringify(orders) },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const lines: Line[] = []
  const exited = new Promise((resolve) => child.once('exit', resolve))
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as Line))
  return {
    lines,
    child,
    async end() {
      child.kill('SIGKILL')
      await exited
    }
  }
}

const at = (lines: Line[], rows: number): Line | undefined => lines.find((line) => line.rows >= rows)

export async function run(): Promise<void> {
  printMachine(
    `${ROWS} check results after ${WARM} of warm-up, ABBA; CPU (user + system) of the whole process, rollups included; the peer inserts ready-made JSONEachRow bodies of ${BATCH} rows. Freshness: insert acknowledged less receipt, ${RATE}/s for ${FRESH_SECONDS} s`
  )
  const bench = await stand([TOPIC])
  const log = createBatcher(new Producer({ brokers: bench.brokers, clientId: 'bench', log: quiet }))
  const folder = mkdtempSync(join(tmpdir(), 'service-bench-sink-test-'))
  let made = 0
  async function append(count: number, instant: number): Promise<void> {
    for (let left = count; left > 0; left -= 500) {
      const records = Array.from({ length: Math.min(500, left) }, () => {
        const value = checkFact(made, instant + Math.floor(made / 5))
        made += 1
        return { topic: TOPIC, key: value.monitor_id, value: codec.encode('CheckResult', value) } as const
      })
      await log.append(records)
    }
  }
  try {
    const rates = { sink: [] as number[], peer: [] as number[] }
    const started = Date.now() - 3_600_000
    let ages: number[] = []
    for (const [round, what] of (['sink', 'peer', 'peer', 'sink'] as const).entries()) {
      const path = join(folder, String(round))
      const before = (await readLogState({ brokers: bench.brokers, clientId: 'bench', topicPrefix: '', log: quiet }, [TOPIC])).ends
      const had = [...before.values()].reduce((sum, end) => sum + Number(end), 0)
      const process_ = launch({ what, path, brokers: bench.brokers, group: `bench-${round}`, at: started })
      try {
        await until('the process to be up', () => process_.lines.length > 0 || process_.child.exitCode !== null, 60_000)
        let base = WARM
        if (what === 'sink') {
          base = had + WARM
          await append(WARM, started)
          await until('the warm-up', () => at(process_.lines, base), 90_000)
          await append(ROWS, started)
        }
        const end = await until('all rows', () => at(process_.lines, base + ROWS), 90_000)
        const begin = at(process_.lines, base)
        const rate = begin ? (end.rows - begin.rows) / (end.cpu - begin.cpu) : Number.NaN
        rates[what].push(rate)
        console.log(`round ${round + 1} ${what}: ${Math.round(rate)} rows per CPU-second`)
        if (round === 3) {
          const seen = process_.lines.length
          const begun = Date.now()
          for (let tick = 0; tick < FRESH_SECONDS * 50; tick++) {
            const now = Date.now()
            const records = Array.from({ length: RATE / 50 }, () => {
              const value = checkFact(made++, now)
              return { topic: TOPIC, key: value.monitor_id, value: codec.encode('CheckResult', value) } as const
            })
            await log.append(records)
            const due = begun + (tick + 1) * 20
            if (due > Date.now()) await new Promise((resolve) => setTimeout(resolve, due - Date.now()))
          }
          const want = base + ROWS + FRESH_SECONDS * RATE
          await until('the last rows', () => at(process_.lines, want), 30_000)
          ages = process_.lines.slice(seen).flatMap((line) => line.ages)
          const first = process_.lines[seen - 1]
          const last = process_.lines.at(-1)
          console.log(
            `at ${Math.round((FRESH_SECONDS * RATE * 1000) / (Date.now() - begun))} events/s: ${ages.length} rows, p50 ${percentile(ages, 0.5).toFixed(0)} ms, p99 ${percentile(ages, 0.99).toFixed(0)} ms; CPU ${first && last ? ((last.cpu - first.cpu) / FRESH_SECONDS).toFixed(2) : '?'} cores`
          )
        }
      } finally {
        await process_.end()
        rmSync(path, { recursive: true, force: true })
      }
    }
    figure({
      id: 'B13 sink',
      value: median(rates.sink),
      unit: 'rows/cpu-s',
      peer: { name: 'JSONEachRow', value: median(rates.peer) },
      target: { op: '>=', value: 0.6 }
    })
    figure({ id: 'B13 freshness p99', value: percentile(ages, 0.99), unit: 'ms', target: { op: '<=', value: 2000 } })
  } finally {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
    await bench.stop()
  }
}

const orders = process.env.SINK_BENCH
if (orders) {
  const told = JSON.parse(orders) as Orders
  await (told.what === 'sink' ? sinkProcess(told) : peerProcess(told))
}
