/**
 * B12: questions to analytics over 10 million checks of 100 workspaces (50 monitors each, 30 days), through POST /v1/query on its socket, beside the same statement
 * on the bare engine; and the same questions on the embedded Postgres with an index. Postgres gets 1 million checks of 10 workspaces: as many rows a workspace, so
 * that only the scan over everything has to be scaled, by ten.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Queries, QueryName } from '../../schemas/analytics.ts'
import { type Engine, openEngine } from '../../services/analytics/engine.ts'
import { migrateEngine } from '../../services/analytics/migrations.ts'
import { questionOf } from '../../services/analytics/queries.ts'
import { serveQueries } from '../../services/analytics/server.ts'
import { createLog } from '../../services/log.ts'
import { createMetrics } from '../../services/metrics.ts'
import { createPool, type Pool } from '../../services/store/pool.ts'
import { figure, percentile, printMachine } from './figures.ts'
import { stand } from './stand.ts'

/** `--rows <n>` takes another number. */
let rowsTotal = 10_000_000
const WORKSPACES = 100
const MONITORS = 50
const POSTGRES_SHARE = 10
const ASKED = 60
const HOUR = 3_600_000
const DAY = 24 * HOUR
const SPAN = 30 * DAY

const hex = (value: number): string => value.toString(16).padStart(12, '0')
const tenant = (n: number): string => `0192f0c1-5e5a-7b1c-8d55-${hex(n)}`
/** Monitor m belongs to workspace m % 100. */
const monitor = (n: number): string => `0192f0c1-5e5a-7b1c-ad55-${hex(n)}`
const monitorsOf = (n: number): string[] => Array.from({ length: MONITORS }, (_, index) => monitor(n + index * WORKSPACES))

async function fill(engine: Engine, begin: number): Promise<void> {
  // Minutes and days are not asked for here, and take longer to make than all the rest.
  await engine.command('DETACH TABLE checks_1m_view')
  await engine.command('DETACH TABLE checks_1d_view')
  const uuid = (head: string, number: string): string => `toUUID(concat('${head}', lower(leftPad(hex(${number}), 12, '0'))))`
  await engine.command(`INSERT INTO check_results (tenant_id, monitor_id, region, seq, checked_at, scheduled_at, finished_at, received_at, check_id, kind, counted,
      attempts, outcome, ok, reason, status_code, dns_ms, connect_ms, tls_ms, request_ms, first_byte_ms, download_ms, total_ms, retention_class, expires_at, _p, _o)
    WITH toUInt32(number % ${WORKSPACES * MONITORS}) AS m, fromUnixTimestamp64Milli(toInt64(${begin} + intDiv(number * ${SPAN}, ${rowsTotal})), 'UTC') AS at, number % 50 != 7 AS good
    SELECT ${uuid('0192f0c1-5e5a-7b1c-8d55-', `toUInt32(m % ${WORKSPACES})`)}, ${uuid('0192f0c1-5e5a-7b1c-ad55-', 'm')}, ['eu-central', 'us-east', 'ap-south'][m % 3 + 1],
      toUnixTimestamp64Milli(at), at, at, at, at, generateUUIDv4(), 'scheduled', true, 1, if(good, 'success', 'failure'), good, if(good, '', 'timeout'), 200,
      1, 10, 22, 0.5, 40 + cityHash64(number) % 400, 3, 80 + cityHash64(number) % 450, 400, toDateTime(at) + toIntervalDay(395), number % 12, number
    FROM numbers(${rowsTotal})`)
}

async function fillPostgres(pool: Pool, begin: number): Promise<void> {
  const uuid = (head: string, number: string): string => `('${head}' || lpad(to_hex(${number}), 12, '0'))::uuid`
  await pool.query(`CREATE UNLOGGED TABLE bench_checks (tenant_id uuid, monitor_id uuid, region text, seq bigint, at timestamptz, check_id uuid, outcome text, ok boolean, reason text,
    status_code int, dns_ms real, connect_ms real, tls_ms real, request_ms real, first_byte_ms real, download_ms real, total_ms real)`)
  await pool.query(`INSERT INTO bench_checks SELECT ${uuid('0192f0c1-5e5a-7b1c-8d55-', `m % ${WORKSPACES}`)}, ${uuid('0192f0c1-5e5a-7b1c-ad55-', 'm')},
      (ARRAY['eu-central', 'us-east', 'ap-south'])[m % 3 + 1], ${begin} + n * ${SPAN} / ${rowsTotal}, to_timestamp((${begin} + n * ${SPAN} / ${rowsTotal}) / 1000.0), gen_random_uuid(),
      CASE WHEN n % 50 <> 7 THEN 'success' ELSE 'failure' END, n % 50 <> 7, CASE WHEN n % 50 <> 7 THEN NULL ELSE 'timeout' END, 200, 1, 10, 22, 0.5,
      40 + hashint8(n) % 200, 3, 300 + hashint8(n) % 200
    FROM (SELECT n, (n % ${WORKSPACES * MONITORS})::int AS m FROM generate_series(0, ${rowsTotal - 1}::bigint) AS n WHERE n % ${WORKSPACES} < ${WORKSPACES / POSTGRES_SHARE}) AS numbers`)
  await pool.query('CREATE INDEX ON bench_checks (tenant_id, monitor_id, at)')
  await pool.query('VACUUM ANALYZE bench_checks')
}

/** What each question is on Postgres: the same rows, counted there by checks, since it keeps no states. */
const onPostgres: Record<'uptime30d' | 'p95h7d' | 'mon24h' | 'scan', string> = {
  uptime30d: `SELECT monitor_id, date_trunc('day', at), count(*), count(*) FILTER (WHERE ok) FROM bench_checks WHERE tenant_id = $1 AND at >= $2 AND at < $3 GROUP BY 1, 2`,
  p95h7d: `SELECT date_trunc('hour', at), percentile_cont(0.95) WITHIN GROUP (ORDER BY total_ms) FROM bench_checks WHERE tenant_id = $1 AND at >= $2 AND at < $3 AND ok GROUP BY 1`,
  mon24h: 'SELECT * FROM bench_checks WHERE tenant_id = $1 AND monitor_id = $4 AND at >= $2 AND at < $3 ORDER BY at DESC LIMIT 101',
  scan: 'SELECT region, outcome, count(*), avg(total_ms) FROM bench_checks GROUP BY 1, 2'
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rows: { type: 'string' } } })
  rowsTotal = Number(values.rows ?? rowsTotal)
  printMachine(
    `${rowsTotal} checks of ${WORKSPACES} workspaces, ${ASKED} of each question over changing workspaces, bare and through the API in turn; Postgres has ${rowsTotal / POSTGRES_SHARE} of them`
  )
  const folder = mkdtempSync(join(tmpdir(), 'service-bench-olap-test-'))
  const engine = openEngine({ url: '', path: join(folder, 'clickhouse') })
  const bench = await stand([])
  const socketPath = join(folder, 'query.sock')
  const agent = new Agent({ keepAlive: true })
  const to = Math.floor(Date.now() / HOUR) * HOUR
  const begin = to - SPAN
  try {
    await migrateEngine(engine)
    const filling = performance.now()
    await fill(engine, begin)
    console.log(`engine filled in ${((performance.now() - filling) / 1000).toFixed(0)} s`)
    const server = await serveQueries({
      url: `unix:${socketPath}`,
      secret: '',
      engine,
      completeUntil: () => to,
      log: createLog('bench', 'warn'),
      metrics: createMetrics()
    })
    const api = (name: QueryName, tenant_id: string, params: object): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request({ socketPath, path: '/v1/query', method: 'POST', agent }, async (response) => {
          let text = ''
          for await (const part of response) text += String(part)
          if (response.statusCode === 200) resolve(text.length)
          else reject(new Error(text))
        })
        sent.once('error', reject)
        sent.end(JSON.stringify({ name, tenant_id, params }))
      })
    const questions: {
      id: 'uptime30d' | 'p95h7d' | 'mon24h'
      name: QueryName
      from: number
      params(n: number): Queries[QueryName]['params']
    }[] = [
      {
        id: 'uptime30d',
        name: 'uptime',
        from: begin,
        params: (n) => ({
          entities: monitorsOf(n).map((id) => ({ kind: 'monitor' as const, id, created_at: 0 })),
          from: begin,
          to,
          bucket: 'day'
        })
      },
      {
        id: 'p95h7d',
        name: 'latency',
        from: to - 7 * DAY,
        params: (n) => ({ monitor_ids: monitorsOf(n), from: to - 7 * DAY, to, bucket: 'hour', by_monitor: false })
      },
      { id: 'mon24h', name: 'checks_list', from: to - DAY, params: (n) => ({ monitor_id: monitor(n), from: to - DAY, to, limit: 101 }) }
    ]
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const begun = performance.now()
      await work()
      return performance.now() - begun
    }
    const limits = { timeMs: 30_000, maxRows: 250_000 }
    const ours: Record<string, number> = {}
    for (const { id, name, params } of questions) {
      const times = { bare: [] as number[], api: [] as number[] }
      for (let asked = -6; asked < ASKED; asked++) {
        const n = (asked + 6) % WORKSPACES
        const question = questionOf(name, tenant(n), params(n), Date.now())
        const both = {
          bare: () => timed(() => Promise.all(question.statements.map(({ sql, params: all }) => engine.query(sql, all, limits)))),
          api: () => timed(() => api(name, tenant(n), params(n)))
        }
        for (const who of asked % 2 ? (['bare', 'api'] as const) : (['api', 'bare'] as const)) {
          const ms = await both[who]()
          if (asked >= 0) times[who].push(ms)
        }
      }
      const [bare, through] = [percentile(times.bare, 0.95), percentile(times.api, 0.95)]
      ours[id] = percentile(times.api, 0.5)
      console.log(
        `${id}: api p50 ${percentile(times.api, 0.5).toFixed(1)} p95 ${through.toFixed(1)} ms, bare p50 ${percentile(times.bare, 0.5).toFixed(1)} p95 ${bare.toFixed(1)} ms`
      )
      figure({
        id: `B12 ${id}`,
        value: through,
        unit: 'ms-p95',
        peer: { name: 'bare', value: bare },
        target: { op: '<=', value: 1.2 * bare + 3, of: 'value' }
      })
    }
    const scans: number[] = []
    for (let asked = 0; asked < 5; asked++)
      scans.push(
        await timed(() =>
          engine.query('SELECT region, outcome, count() AS n, avg(total_ms) AS ms FROM check_results GROUP BY region, outcome', {}, limits)
        )
      )
    await server.close()
    const [size] = JSON.parse(
      await engine.query("SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND table = 'check_results'", {}, limits)
    ) as { bytes: number }[]

    const pool = createPool(bench.ownerUrl, { application_name: 'bench', max: 1, statementTimeoutMs: 0 })
    const fillingPostgres = performance.now()
    await fillPostgres(pool, begin)
    console.log(`postgres filled in ${((performance.now() - fillingPostgres) / 1000).toFixed(0)} s`)
    for (const { id, from } of questions) {
      const times: number[] = []
      for (let asked = -2; asked < 20; asked++) {
        const n = (asked + 2) % (WORKSPACES / POSTGRES_SHARE)
        const values: unknown[] = [tenant(n), new Date(from), new Date(to), ...(id === 'mon24h' ? [monitor(n)] : [])]
        const ms = await timed(() => pool.query(onPostgres[id], values))
        if (asked >= 0) times.push(ms)
      }
      console.log(`${id}: postgres p50 ${percentile(times, 0.5).toFixed(1)} ms, ours through the API ${(ours[id] ?? 0).toFixed(1)} ms`)
    }
    const scan = await timed(() => pool.query(onPostgres.scan))
    const { rows } = await pool.query("SELECT pg_total_relation_size('bench_checks') AS bytes")
    figure({
      id: 'B12 scan',
      value: (scan * POSTGRES_SHARE) / percentile(scans, 0.5),
      unit: 'times-faster-than-postgres',
      target: { op: '>=', value: 5 }
    })
    figure({
      id: 'B12 disk',
      value: (Number(rows[0]?.bytes) * POSTGRES_SHARE) / (size?.bytes ?? 1),
      unit: 'times-smaller-than-postgres',
      target: { op: '>=', value: 10 }
    })
    console.log(
      `scan: ours ${percentile(scans, 0.5).toFixed(0)} ms, postgres ${scan.toFixed(0)} ms for a tenth; disk: ours ${((size?.bytes ?? 0) / 1e6).toFixed(0)} MB, postgres ${(Number(rows[0]?.bytes) / 1e6).toFixed(0)} MB for a tenth`
    )
    await pool.end()
  } finally {
    agent.destroy()
    await engine.close()
    await bench.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
