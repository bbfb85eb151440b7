/**
 * B5: heartbeat pings with durable acknowledgement, per CPU-second of intake and broker together.
 * They are compared with a ping that is an UPDATE and an INSERT in Debian's Postgres (pgbench, 16
 * clients, CPU of its server). It also sends 10,000 pings within one second, of which none may be
 * lost.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createMetrics } from '../../services/process/metrics.ts'
import { connectStream } from '../../streams/runtime/connect.ts'
import { program } from '../harness/debian.ts'
import { makeWorkspace, until } from '../harness/product.ts'
import { closedLoad, writeScript } from './closed-load.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { openLoad, requestBytes } from './open-load.ts'
import { debianPostgres } from './peers/postgres.ts'
import { cpuSeconds } from './processes.ts'
import { quiet, stand } from './stand.ts'

const CONNECTIONS = 64
const WORKSPACES = 10
const HEARTBEATS = 10_000
const BURST = 10_000
const TARGET = 3
const BURST_P99_MS = 250

const TABLES = `CREATE TABLE checks (code uuid PRIMARY KEY, last_ping timestamptz, n_pings int NOT NULL DEFAULT 0, status text NOT NULL DEFAULT 'up');
CREATE TABLE pings (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code uuid NOT NULL, created timestamptz NOT NULL DEFAULT now(), kind text, remote_addr inet,
  method text, user_agent text);
CREATE INDEX ON pings (code, id);
INSERT INTO checks (code) SELECT md5(n::text)::uuid FROM generate_series(1, ${HEARTBEATS}) AS n;
`
const PING = `\\set n random(1, ${HEARTBEATS})
BEGIN;
UPDATE checks SET last_ping = now(), n_pings = n_pings + 1 WHERE code = md5(:n::text)::uuid;
INSERT INTO pings (code, kind, remote_addr, method, user_agent) VALUES (md5(:n::text)::uuid, 'success', '127.0.0.1', 'GET', 'curl/8');
COMMIT;
`

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { pairs: { type: 'string', default: '5' }, secs: { type: 'string', default: '6' } } })
  const pairs = Number(values.pairs)
  const secs = Number(values.secs)
  await program('wrk', 'wrk')
  printMachine(
    `${HEARTBEATS} heartbeats of ${WORKSPACES} workspaces; wrk closed loop, ${CONNECTIONS} connections, beside pgbench with 16 clients, ${pairs} pairs of ${secs} s, order ABBA, 2 s of warm-up each; medians of per-pair ratios; then ${BURST} pings in one second`
  )
  const folder = mkdtempSync(join(tmpdir(), 'service-ping-test-'))
  const bench = await stand([
    'heartbeat.pings.v1',
    'checks.results.v1',
    'alerts.inbound.v1',
    'alerts.raw.v1',
    'ingest.usage.v1',
    'tenant.budgets.v1'
  ])
  const postgres = await debianPostgres(folder)
  console.log(`peer: pgbench on ${postgres.version}`)
  try {
    const connection = ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'postgres']
    execFileSync(join(postgres.bin, 'psql'), [...connection, '-q', '-v', 'ON_ERROR_STOP=1', '-c', TABLES, 'postgres'])
    writeFileSync(join(folder, 'ping.sql'), PING)
    const role = await bench.role(['intake'])
    const port = role.ports[0] ?? 0
    const tokens: string[] = []
    for (let index = 0; index < WORKSPACES; index++) {
      const { tenant_id } = await makeWorkspace(bench.pool, `bench-${index}`, 'generic')
      const own = Array.from({ length: HEARTBEATS / WORKSPACES }, () => randomUUID())
      await bench.pool.query(
        `INSERT INTO heartbeats (tenant_id, heartbeat_id, name, slug, schedule_kind, period_seconds, grace_seconds, severity, ping_token)
         SELECT $1, gen_random_uuid(), 'job ' || n, 'job-' || n, 'period', 60, 30, 'critical', token FROM unnest($2::uuid[]) WITH ORDINALITY AS t (token, n)`,
        [tenant_id, own]
      )
      tokens.push(...own)
    }
    const file = join(folder, 'ping.lua')
    writeScript({
      file,
      method: 'GET',
      path: '',
      paths: tokens.map((token) => `/ping/${token}`),
      headers: {},
      bodies: tokens.map(() => '')
    })

    interface Ours {
      perSecond: number
      intake: number
      broker: number
      rate: number
    }
    const ours = async (seconds: number): Promise<Ours> => {
      const before = { intake: cpuSeconds(role.pid), broker: cpuSeconds(bench.brokerPid) }
      const { requests, refused, seconds: took } = await closedLoad(file, port, CONNECTIONS, seconds)
      if (refused > requests * 0.001) throw new Error(`${refused} of ${requests} pings were refused`)
      const intake = cpuSeconds(role.pid) - before.intake
      const broker = cpuSeconds(bench.brokerPid) - before.broker
      return {
        perSecond: requests / (intake + broker),
        intake: (intake * 1e6) / requests,
        broker: (broker * 1e6) / requests,
        rate: requests / took
      }
    }
    const theirs = async (seconds: number): Promise<{ perSecond: number; rate: number }> => {
      const before = postgres.cpu()
      const text = await new Promise<string>((resolve, reject) => {
        const child = spawn(
          join(postgres.bin, 'pgbench'),
          [...connection, '-n', '-M', 'prepared', '-c', '16', '-j', '1', '-T', String(seconds), '-f', join(folder, 'ping.sql'), 'postgres'],
          { stdio: ['ignore', 'pipe', 'ignore'] }
        )
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => {
          output += chunk
        })
        child.once('error', reject)
        child.once('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(`pgbench ended with code ${code}`))))
      })
      const transactions = Number(/transactions actually processed: (\d+)/.exec(text)?.[1] ?? 0)
      return { perSecond: transactions / (postgres.cpu() - before), rate: transactions / seconds }
    }
    const requests = tokens.map((token) => requestBytes('GET', `/ping/${token}`, {}, ''))
    const each = (index: number): Buffer => requests[index % requests.length] as Buffer
    // The door knows every heartbeat before the measurement, as it knows heartbeats that ping each
    // minute.
    await openLoad({ port, rate: HEARTBEATS / 5, seconds: 5, connections: CONNECTIONS, request: each })
    await ours(2)
    await theirs(2)
    const rounds: { ours: Ours; theirs: { perSecond: number; rate: number } }[] = []
    for (let pair = 0; pair < pairs; pair++) {
      if (pair % 2 === 0) {
        const own = await ours(secs)
        rounds.push({ ours: own, theirs: await theirs(secs) })
      } else {
        const peer = await theirs(secs)
        rounds.push({ ours: await ours(secs), theirs: peer })
      }
      const last = rounds.at(-1)
      if (last)
        console.log(
          `  pair ${pair + 1}: ${last.ours.rate.toFixed(0)} pings/s, intake ${last.ours.intake.toFixed(1)} us + broker ${last.ours.broker.toFixed(1)} us a ping = ${last.ours.perSecond.toFixed(0)} a CPU-second; pgbench ${last.theirs.rate.toFixed(0)} tps = ${last.theirs.perSecond.toFixed(0)} a CPU-second`
        )
    }

    const stream = await connectStream({ brokers: bench.brokers, clientId: 'bench', topicPrefix: '', log: quiet, metrics: createMetrics() })
    let landed = 0
    const follower = await stream.follow({
      topics: ['heartbeat.pings.v1'],
      from: 'end',
      onRecords: (records) => {
        for (const { headers } of records) if (headers.event_type === undefined) landed += 1
      }
    })
    await follower.caughtUp
    const burst = await openLoad({
      port,
      rate: BURST,
      seconds: 1,
      connections: 4 * CONNECTIONS,
      request: each
    })
    const accepted = burst.statuses.get(200) ?? 0
    await until('the accepted pings on the log', async () => (landed >= accepted ? true : null), 10_000)
    await stream.close()
    console.log(
      `burst: ${BURST} in a second, answers ${JSON.stringify([...burst.statuses])}, ${burst.unanswered} unanswered, ${landed} on the log, p50 ${percentile(burst.latencies, 0.5).toFixed(0)} ms, p99 ${percentile(burst.latencies, 0.99).toFixed(0)} ms`
    )

    const value = median(rounds.map((one) => one.ours.perSecond))
    const ratio = median(rounds.map((one) => one.ours.perSecond / one.theirs.perSecond))
    figure({ id: 'B5', value, unit: 'pings/cpu-s', peer: { name: 'pgbench', value: value / ratio }, target: { op: '>=', value: TARGET } })
    figure({ id: 'B5_LOST', value: BURST - Math.min(landed, accepted), unit: 'pings', target: { op: '<=', value: 0 } })
    figure({ id: 'B5_BURST_P99', value: percentile(burst.latencies, 0.99), unit: 'ms', target: { op: '<=', value: BURST_P99_MS } })
  } finally {
    await postgres.stop()
    await bench.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
