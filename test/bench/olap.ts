/**
 * B12: queries to analytics over 10 million checks of 100 workspaces (50 monitors each, 30 days),
 * through POST /v1/query on its socket. They are compared with the same statements on the bare
 * engine, and with the same queries over the same rows in Debian's Postgres with an index. The
 * engine generates the rows; Postgres gets them by COPY in the order of time, as they would have
 * arrived. The run gives up after ten minutes.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Queries, QueryAnswer, QueryName } from '../../schemas/analytics.ts'
import { type Engine, openEngine } from '../../services/analytics/engine.ts'
import { migrateEngine } from '../../services/analytics/migrations.ts'
import { questionOf } from '../../services/analytics/queries.ts'
import { serveQueries } from '../../services/analytics/server.ts'
import { createLog } from '../../services/process/log.ts'
import { createMetrics } from '../../services/process/metrics.ts'
import { createPool, type Pool } from '../../services/store/pool.ts'
import { figure, percentile, printMachine } from './figures.ts'
import { debianPostgres } from './peers/postgres.ts'

const WORKSPACES = 100
const MONITORS = 50
const ALL_MONITORS = WORKSPACES * MONITORS
/**
 * How often each query runs: `most` times, but only `least` times once it has taken `ms` in total.
 */
const ASKED = { most: 200, least: 60, ms: 20_000 }
const ASKED_OF_POSTGRES = 20
const SLICES = 10
const HOUR = 3_600_000
const DAY = 24 * HOUR
const SPAN = 30 * DAY
const MAX_MS = 10 * 60_000

const hex = (value: number): string => value.toString(16).padStart(12, '0')
const tenant = (n: number): string => `0192f0c1-5e5a-7b1c-8d55-${hex(n)}`
/** Monitor m belongs to workspace m % 100. */
const monitor = (n: number): string => `0192f0c1-5e5a-7b1c-ad55-${hex(n)}`
const monitorsOf = (n: number): string[] => Array.from({ length: MONITORS }, (_, index) => monitor(n + index * WORKSPACES))

const uuidOf = (head: string, number: string): string => `toUUID(concat('${head}', lower(leftPad(hex(${number}), 12, '0'))))`

/**
 * Columns that both engines have, as expressions of n, the number of the check. Check n belongs to
 * monitor n % 5000.
 */
const columns: Record<string, string> = {
  tenant_id: uuidOf('0192f0c1-5e5a-7b1c-8d55-', `toUInt32(m % ${WORKSPACES})`),
  monitor_id: uuidOf('0192f0c1-5e5a-7b1c-ad55-', 'm'),
  region: "['eu-central', 'us-east', 'ap-south'][m % 3 + 1]",
  seq: 'toUnixTimestamp64Milli(at)',
  checked_at: 'at',
  scheduled_at: 'at',
  finished_at: 'at + toIntervalMillisecond(80 + luck % 450)',
  received_at: 'at + toIntervalMillisecond(100 + luck % 450)',
  check_id: 'reinterpretAsUUID(sipHash128(n))',
  kind: "'scheduled'",
  counted: 'true',
  attempts: '1',
  outcome: "if(good, 'success', 'failure')",
  ok: 'good',
  reason: "if(good, '', 'timeout')",
  status_code: '200',
  dns_ms: '1',
  connect_ms: '10',
  tls_ms: '22',
  request_ms: '0.5',
  first_byte_ms: '40 + luck % 400',
  download_ms: '3',
  total_ms: '80 + luck % 450'
}

/** Columns that only the analytics tables have, for retention and audits. */
const bookkeeping: Record<string, string> = {
  retention_class: '400',
  expires_at: 'toDateTime(received_at) + toIntervalDay(395)',
  _p: 'm % 12',
  _o: 'n'
}

const namesOf = (some: Record<string, string>): string => Object.keys(some).join(', ')

/** `number`: an expression that gives n from the column of that name. `count`: how many rows. */
const select = (some: Record<string, string>, number: string, count: number, rows: number, begin: number): string => `
  WITH ${number} AS n, toUInt32(n % ${ALL_MONITORS}) AS m, n % 50 != 7 AS good, cityHash64(n) AS luck,
    fromUnixTimestamp64Milli(toInt64(${begin} + intDiv(n * ${SPAN}, ${rows})), 'UTC') AS at
  SELECT ${Object.entries(some)
    .map(([name, expression]) => `${expression} AS ${name}`)
    .join(', ')}
  FROM numbers(${count})`

type Step = (what: string) => void

class GivenUp extends Error {}

/**
 * Prints the progress of a long run, and ends it when it takes too long in total. The measurements
 * up to then are still printed.
 */
function clock(): Step {
  const begun = performance.now()
  return (what) => {
    const ms = performance.now() - begun
    console.log(`${(ms / 1000).toFixed(0).padStart(5)} s  ${what}`)
    if (ms > MAX_MS) throw new GivenUp(`given up after ${MAX_MS / 60_000} minutes`)
  }
}

/**
 * Fills monitor after monitor, so that nothing must be sorted. The rollup by minutes is left out:
 * no query here reads it, and filling it would take longer than everything else.
 */
async function fill(engine: Engine, rows: number, begin: number, step: Step): Promise<void> {
  await engine.command('DETACH TABLE checks_1m_view')
  const each = rows / ALL_MONITORS
  for (let slice = 0; slice < SLICES; slice++) {
    const place = `(${(slice * ALL_MONITORS) / SLICES} + intDiv(number, ${each}))`
    const n = `(number % ${each}) * ${ALL_MONITORS} + intDiv(${place}, ${MONITORS}) + (${place} % ${MONITORS}) * ${WORKSPACES}`
    const all = { ...columns, ...bookkeeping }
    await engine.command(`INSERT INTO check_results (${namesOf(all)}) ${select(all, n, rows / SLICES, rows, begin)}`)
    step(`engine: ${(((slice + 1) * rows) / SLICES / 1e6).toFixed(1)} million checks`)
  }
  await engine.command('OPTIMIZE TABLE check_results FINAL')
  // Stops merges: those of the rollups would otherwise run during the queries.
  await engine.command('SYSTEM STOP MERGES')
  step('engine: merged')
}

/**
 * Inserts the same rows into Postgres, in the order in which they would have arrived. The table is
 * unlogged because it is filled only once.
 */
async function fillPostgres(pool: Pool, engine: Engine, folder: string, rows: number, begin: number, step: Step): Promise<void> {
  await pool.query(`CREATE UNLOGGED TABLE bench_checks (tenant_id uuid, monitor_id uuid, region text, seq bigint, checked_at timestamptz, scheduled_at timestamptz, finished_at timestamptz,
    received_at timestamptz, check_id uuid, kind text, counted bool, attempts smallint, outcome text, ok boolean, reason text, status_code int, dns_ms real, connect_ms real, tls_ms real,
    request_ms real, first_byte_ms real, download_ms real, total_ms real)`)
  const file = join(folder, 'checks.tsv')
  for (let slice = 0; slice < SLICES; slice++) {
    const count = rows / SLICES
    const made = select(columns, `(number + ${slice * count})`, count, rows, begin)
    await engine.command(`INSERT INTO FUNCTION file('${file}', 'TabSeparated') ${made}`)
    chmodSync(file, 0o644)
    await pool.query(`COPY bench_checks (${namesOf(columns)}) FROM '${file}'`)
    rmSync(file)
    step(`postgres: ${(((slice + 1) * rows) / SLICES / 1e6).toFixed(1)} million checks`)
  }
  await pool.query('CREATE INDEX ON bench_checks (tenant_id, monitor_id, checked_at)')
  step('postgres: index')
  await pool.query('VACUUM ANALYZE bench_checks')
  step('postgres: vacuumed and analysed')
}

type Asked = 'uptime30d' | 'uptime30d_one' | 'p95h7d' | 'mon24h'

/** Each query in Postgres. It keeps no states, so uptime is counted by checks there. */
const onPostgres: Record<Asked | 'scan', string> = {
  uptime30d: `SELECT monitor_id, date_trunc('day', checked_at), count(*), count(*) FILTER (WHERE ok) FROM bench_checks WHERE tenant_id = $1 AND checked_at >= $2 AND checked_at < $3 GROUP BY 1, 2`,
  uptime30d_one: `SELECT date_trunc('day', checked_at), count(*), count(*) FILTER (WHERE ok) FROM bench_checks WHERE tenant_id = $1 AND monitor_id = $4 AND checked_at >= $2 AND checked_at < $3 GROUP BY 1`,
  p95h7d: `SELECT date_trunc('hour', checked_at), percentile_cont(0.95) WITHIN GROUP (ORDER BY total_ms) FROM bench_checks WHERE tenant_id = $1 AND checked_at >= $2 AND checked_at < $3 AND ok GROUP BY 1`,
  mon24h:
    'SELECT * FROM bench_checks WHERE tenant_id = $1 AND monitor_id = $4 AND checked_at >= $2 AND checked_at < $3 ORDER BY checked_at DESC LIMIT 101',
  scan: 'SELECT region, outcome, count(*), avg(total_ms) FROM bench_checks GROUP BY 1, 2'
}
const SCAN = 'SELECT region, outcome, count() AS n, avg(total_ms) AS ms FROM check_results GROUP BY region, outcome'

interface Question {
  id: Asked
  name: QueryName
  from: number
  params(n: number): Queries[QueryName]['params']
}

function questionsUntil(to: number): Question[] {
  const entities = (ids: string[]) => ids.map((id) => ({ kind: 'monitor' as const, id, created_at: 0, open: true }))
  const [month, week, day] = [to - SPAN, to - 7 * DAY, to - DAY]
  return [
    {
      id: 'uptime30d',
      name: 'uptime',
      from: month,
      params: (n) => ({ entities: entities(monitorsOf(n)), from: month, to, bucket: 'day', sight: 'all' })
    },
    {
      id: 'uptime30d_one',
      name: 'uptime',
      from: month,
      params: (n) => ({ entities: entities([monitor(n)]), from: month, to, bucket: 'day', sight: 'all' })
    },
    {
      id: 'p95h7d',
      name: 'latency',
      from: week,
      params: (n) => ({ monitor_ids: monitorsOf(n), from: week, to, bucket: 'hour', by_monitor: false })
    },
    { id: 'mon24h', name: 'checks_list', from: day, params: (n) => ({ monitor_id: monitor(n), from: day, to, limit: 101 }) }
  ]
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const spread = (times: readonly number[]): string => `p50 ${percentile(times, 0.5).toFixed(1)} p95 ${percentile(times, 0.95).toFixed(1)} ms`

/** Settings as the manual advises for a dedicated machine. The data need not survive a crash. */
const tuned = {
  shared_buffers: `${Math.min(4096, Math.floor(totalmem() / 2 ** 22))}MB`,
  effective_cache_size: `${Math.floor(totalmem() / 2 ** 21)}MB`,
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '4GB',
  fsync: 'off',
  random_page_cost: '1.1',
  timezone: 'UTC'
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rows: { type: 'string', default: '10000000' } } })
  const rows = Number(values.rows)
  const grain = ALL_MONITORS * SLICES
  if (!(rows >= grain) || rows % grain !== 0) throw new Error(`--rows: expected a multiple of ${grain}`)
  const folder = mkdtempSync(join(tmpdir(), 'service-bench-olap-test-'))
  const step = clock()
  const postgres = await debianPostgres(folder, tuned)
  const pool = createPool(postgres.url, { application_name: 'bench', max: 1, statementTimeoutMs: MAX_MS })
  printMachine(
    `${rows} checks of ${WORKSPACES} workspaces, up to ${ASKED.most} of each question over changing workspaces, bare and through the API in turn; then the same rows in ${postgres.version}`
  )
  const engine = openEngine({ path: join(folder, 'clickhouse') })
  const socketPath = join(folder, 'query.sock')
  const agent = new Agent({ keepAlive: true })
  const to = Math.floor(Date.now() / HOUR) * HOUR
  const limits = { timeMs: 30_000, maxRows: 250_000 }
  try {
    await migrateEngine(engine)
    await fill(engine, rows, to - SPAN, step)
    const server = await serveQueries({
      url: `unix:${socketPath}`,
      secret: '',
      engine,
      completeUntil: () => to,
      log: createLog('bench', 'warn'),
      metrics: createMetrics()
    })
    const api = (name: QueryName, tenant_id: string, params: object): Promise<string> =>
      new Promise((resolve, reject) => {
        const sent = request({ socketPath, path: '/v1/query', method: 'POST', agent }, async (response) => {
          let text = ''
          for await (const part of response) text += String(part)
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(text))
        })
        sent.once('error', reject)
        sent.end(JSON.stringify({ name, tenant_id, params }))
      })
    const sample = questionsUntil(to).find(({ id }) => id === 'uptime30d')
    const { rows: days }: QueryAnswer<'uptime'> = JSON.parse(await api('uptime', tenant(0), sample?.params(0) ?? {}))
    const counted = days.reduce((sum, { checks }) => sum + checks, 0)
    if (counted !== rows / WORKSPACES) throw new Error(`a workspace has ${rows / WORKSPACES} checks, and ${counted} were counted`)
    const ours = new Map<Asked, number[]>()
    for (const { id, name, params } of questionsUntil(to)) {
      const times = { bare: [] as number[], api: [] as number[] }
      const cpu = { bare: 0, api: 0 }
      const begun = performance.now()
      for (let asked = -6; asked < ASKED.most; asked++) {
        if (asked >= ASKED.least && performance.now() - begun > ASKED.ms) break
        const n = (asked + 6) % WORKSPACES
        const { statements } = questionOf(name, tenant(n), params(n), Date.now())
        const both = {
          bare: () => timed(() => Promise.all(statements.map(({ sql, params: all }) => engine.query(sql, all, limits)))),
          api: () => timed(() => api(name, tenant(n), params(n)))
        }
        for (const who of asked % 2 ? (['bare', 'api'] as const) : (['api', 'bare'] as const)) {
          const before = process.cpuUsage()
          const ms = await both[who]()
          const { user, system } = process.cpuUsage(before)
          if (asked < 0) continue
          times[who].push(ms)
          cpu[who] += (user + system) / 1000
        }
      }
      ours.set(id, times.api)
      const cpuOf = (who: 'bare' | 'api'): string => `CPU ${(cpu[who] / times[who].length).toFixed(1)} ms`
      step(`${id}: api ${spread(times.api)}, ${cpuOf('api')}; bare ${spread(times.bare)}, ${cpuOf('bare')}`)
      const bare = percentile(times.bare, 0.95)
      figure({
        id: `B12 ${id}`,
        value: percentile(times.api, 0.95),
        unit: 'ms-p95',
        peer: { name: 'bare', value: bare },
        target: { op: '<=', value: 1.2 * bare + 3, of: 'value' }
      })
    }
    const scans: number[] = []
    for (let asked = 0; asked < 5; asked++) scans.push(await timed(() => engine.query(SCAN, {}, limits)))
    await server.close()
    const [size] = JSON.parse(
      await engine.query(
        "SELECT sum(bytes_on_disk) AS bytes, sum(rows) AS held FROM system.parts WHERE active AND table = 'check_results'",
        {},
        limits
      )
    ) as { bytes: number; held: number }[]
    if (size?.held !== rows) throw new Error(`the engine has ${size?.held} checks, not ${rows}`)

    await fillPostgres(pool, engine, folder, rows, to - SPAN, step)
    for (const { id, from } of questionsUntil(to)) {
      const times: number[] = []
      for (let asked = -2; asked < ASKED_OF_POSTGRES; asked++) {
        const n = (asked + 2) % WORKSPACES
        const given: unknown[] = [tenant(n), new Date(from), new Date(to), ...(onPostgres[id].includes('$4') ? [monitor(n)] : [])]
        const ms = await timed(() => pool.query(onPostgres[id], given))
        if (asked >= 0) times.push(ms)
      }
      step(`${id}: postgres ${spread(times)}, ours through the API ${spread(ours.get(id) ?? [])}`)
    }
    const theirScans: number[] = []
    for (let asked = 0; asked < 3; asked++) theirScans.push(await timed(() => pool.query(onPostgres.scan)))
    const [theirs] = (await pool.query("SELECT pg_total_relation_size('bench_checks') AS bytes, count(*) AS held FROM bench_checks")).rows
    if (theirs?.held !== rows) throw new Error(`Postgres has ${theirs?.held} checks, not ${rows}`)
    step(
      `scan: ours ${spread(scans)}, postgres ${spread(theirScans)}; disk: ours ${(size.bytes / 1e6).toFixed(0)} MB, postgres ${(theirs.bytes / 1e6).toFixed(0)} MB`
    )
    figure({
      id: 'B12 scan',
      value: percentile(theirScans, 0.5) / percentile(scans, 0.5),
      unit: 'times-faster-than-postgres',
      target: { op: '>=', value: 5 }
    })
    figure({ id: 'B12 disk', value: theirs.bytes / size.bytes, unit: 'times-smaller-than-postgres', target: { op: '>=', value: 10 } })
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error
    console.log(error.message)
  } finally {
    agent.destroy()
    await engine.close()
    await pool.end()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
