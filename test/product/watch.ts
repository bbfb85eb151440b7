/**
 * The whole product watches a server and a cron job of the test: what people see, the log, Postgres
 * and ClickHouse must say the same. The server stops and starts: down and up, one incident. A
 * region is cut off, then two with the third failing, then all: nobody is paged. A job that is not
 * pinged is missed once, and is back with its next ping.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { localRegions } from '../../services/local/regions.ts'
import { type Recording, record } from '../chaos/sockets.ts'
import { makeWorkspace, type Product, until as poll, type TestWorkspace } from '../harness/product.ts'

interface Monitor {
  id: string
  status: string
  phase: string
  effective_regions: string[]
  prober_region_labels: Record<string, string>
  region_states: { region: string; state: string }[]
  open_incident_id: string | null
}
interface Incident {
  id: string
  status: string
  monitor_id: string | null
  heartbeat_id: string | null
}

const LIMIT_MS = 90_000
/** Two rounds, because on a busy machine one check may run into its timeout. */
const SHORTEST = { interval_seconds: 10, timeout_seconds: 5, retry: { count: 0 }, confirmation: { rounds: 2, recovery_rounds: 1 } }

let product: Product
let workspace: TestWorkspace
let socket: Recording

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await product.api(method, path, body, workspace.apiToken)
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as T
}
/** Asks four times a second, since each call is a request to the api. */
const until = <T>(what: string, find: () => Promise<T | null | false>): Promise<T> =>
  poll(what, async () => (await find()) || null, LIMIT_MS, 250)
const monitor = (id: string): Promise<Monitor> => ask<Monitor>('GET', `/api/v1/monitors/${id}`)
const incidentsOf = async (query: string): Promise<Incident[]> =>
  (await ask<{ items: Incident[] }>('GET', `/api/v1/incidents?per_page=100&${query}`)).items
/**
 * Signals the prober of a region. Fails when there is no such process: pid 0 would be this test's
 * own process group.
 */
function signal(region: string, name: NodeJS.Signals): void {
  const pid = product.pids()[`prober-${region}`]
  if (!pid) throw new Error(`the prober of ${region} does not run`)
  process.kill(pid, name)
}

/** A web server that can be stopped and started again on its port. */
async function target(): Promise<{ url: string; stop(): Promise<void>; start(): Promise<void> }> {
  const make = (): Server => createServer((_, response) => response.end('well'))
  const listen = (server: Server, port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  let server = make()
  await listen(server, 0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    async start() {
      server = make()
      await listen(server, port)
    }
  }
}

const statusFrames = (id: string): string[] =>
  socket.frames
    .filter(({ frame }) => frame.type === 'monitor.status_changed' && frame.data.monitor_id === id)
    .map(({ frame }) => String(frame.data.status))

async function server(t: Test): Promise<void> {
  const site = await target()
  const { id } = await ask<{ id: string }>('POST', '/api/v1/monitors', {
    name: 'Our site',
    type: 'http',
    target: site.url,
    regions: localRegions.map(({ code }) => code),
    ...SHORTEST
  })
  const checked = await until('all regions to say that it is up', async () => {
    const seen = await monitor(id)
    return seen.phase === 'ok' && seen.region_states.filter(({ state }) => state === 'up').length === 3 ? seen : null
  })
  t.same([...checked.effective_regions].sort(), localRegions.map(({ code }) => code).sort())
  t.same(checked.prober_region_labels, Object.fromEntries(localRegions.map(({ code, label }) => [code, label])))

  const first = await socket.frame(
    'its first result',
    ({ type, data }) => type === 'monitor.phase_changed' && data.monitor_id === id && data.phase === 'ok',
    LIMIT_MS
  )
  t.match(first.data, { status: 'up', flapping: false })

  await site.stop()
  const down = await socket.frame('it is down', ({ type, data }) => type === 'monitor.status_changed' && data.monitor_id === id, LIMIT_MS)
  t.match(down, { channel: 'monitors.status', data: { status: 'down' } })
  const opened = await socket.frame('an incident', ({ type, data }) => type === 'incident.created' && data.monitor_id === id, LIMIT_MS)
  t.equal(opened.data.status, 'open')
  const away = await monitor(id)
  t.match(away, { status: 'down', open_incident_id: opened.data.incident_id })

  await site.start()
  await socket.frame(
    'the incident is over',
    ({ type, data }) => type === 'incident.resolved' && data.incident_id === opened.data.incident_id,
    LIMIT_MS
  )
  await until('it is up', async () => (await monitor(id)).status === 'up')
  t.same(statusFrames(id), ['down', 'up'], 'frames')
  t.match(await incidentsOf(`monitor_id=${id}`), [{ id: opened.data.incident_id, status: 'resolved' }], 'one incident')

  // Checks that ClickHouse says the same, from the log.
  interface Change {
    from: string
    to: string
  }
  const changes = await until('both transitions in ClickHouse', async () => {
    const { items } = await ask<{ items: Change[] }>('GET', `/api/v1/monitors/${id}/status-changes`)
    const flips = items.filter(({ from, to }) => from !== to)
    return flips.length === 2 ? flips : null
  })
  t.same(
    changes.map(({ to }) => to),
    ['up', 'down'],
    'newest first'
  )
  // Checks and transitions come from separate topics.
  await until('checks of both outcomes and of all regions in ClickHouse', async () => {
    const { items } = await ask<{ items: { outcome: string; region: string }[] }>('GET', `/api/v1/monitors/${id}/checks`)
    const both = ['failure', 'success'].every((wanted) => items.some(({ outcome }) => outcome === wanted))
    return both && localRegions.every(({ code }) => items.some(({ region }) => region === code))
  })

  await t.test('nobody is paged when regions are cut off', async (t) => {
    const [first, second, third] = localRegions.map(({ code }) => code)
    if (!first || !second || !third) throw new Error('three regions')
    const state = async (region: string): Promise<string> =>
      (await monitor(id)).region_states.find((one) => one.region === region)?.state ?? 'missing'

    signal(first, 'SIGSTOP')
    await until('the first region to be stale', async () => (await state(first)) === 'stale')
    t.match(await monitor(id), { status: 'up', phase: 'ok' }, 'one of three')

    signal(second, 'SIGSTOP')
    await site.stop()
    await until('the second region to be stale', async () => (await state(second)) === 'stale')
    await until('the third to say down', async () => (await state(third)) === 'down')
    await until('unconfirmed', async () => (await monitor(id)).phase === 'unconfirmed')
    t.equal((await monitor(id)).status, 'up', 'two of three, the third failing')
    await site.start()
    await until('the third to say up', async () => (await state(third)) === 'up')

    signal(third, 'SIGSTOP')
    await until('no data', async () => (await monitor(id)).phase === 'no_data')
    t.equal((await monitor(id)).status, 'up', 'all of them')
    t.equal((await incidentsOf(`monitor_id=${id}`)).length, 1, 'no incident but the first')
    t.same(statusFrames(id), ['down', 'up'])

    for (const region of [first, second, third]) signal(region, 'SIGCONT')
    await until('all well again', async () => (await monitor(id)).phase === 'ok')
    t.same(statusFrames(id), ['down', 'up'])
  })
  await ask('DELETE', `/api/v1/monitors/${id}`)
  await site.stop()
}

async function job(t: Test): Promise<void> {
  const heartbeat = await ask<{ id: string; ping_url: string }>('POST', '/api/v1/heartbeats', {
    name: 'Nightly copy',
    schedule: { kind: 'period', period_seconds: 30 },
    grace_seconds: 0
  })
  const ping = async (path = ''): Promise<number> => (await fetch(heartbeat.ping_url + path, { method: 'POST' })).status
  t.equal(await ping(), 200)
  interface Heartbeat {
    status: string
    phase: string
    last_ping_at: string | null
    missed_count: number
  }
  const read = () => ask<Heartbeat>('GET', `/api/v1/heartbeats/${heartbeat.id}`)
  await until('its first ping', async () => (await read()).phase === 'on_time')
  const opened = await socket.frame(
    'it is missed',
    ({ type, data }) => type === 'incident.created' && data.heartbeat_id === heartbeat.id,
    LIMIT_MS
  )
  t.equal(opened.data.monitor_id, '', 'incidents of heartbeats have an empty monitor_id')
  t.match(await read(), { status: 'missed', phase: 'missed' })
  t.equal(await ping('/0'), 200)
  await socket.frame(
    'it is back',
    ({ type, data }) => type === 'incident.resolved' && data.incident_id === opened.data.incident_id,
    LIMIT_MS
  )
  t.match(await read(), { status: 'up' })
  t.match(await incidentsOf(`heartbeat_id=${heartbeat.id}`), [{ status: 'resolved' }], 'one incident')
  const { items } = await until('both pings in ClickHouse', async () => {
    const log = await ask<{ items: { kind: string }[] }>('GET', `/api/v1/heartbeats/${heartbeat.id}/pings`)
    return log.items.length === 2 ? log : null
  })
  t.same(
    items.map(({ kind }) => kind),
    ['exit', 'success'],
    'newest first'
  )
  await ask('DELETE', `/api/v1/heartbeats/${heartbeat.id}`)
}

/**
 * Runs both stories side by side; they are independent, and leave nothing behind for later tests.
 * `of` runs with PROBER_ALLOW_CIDRS=127.0.0.0/8.
 */
export async function watch(t: Test, of: Product): Promise<void> {
  product = of
  const pool = product.pool()
  workspace = await makeWorkspace(pool, 'watch', 'generic')
  await pool.end()
  socket = await record(product.access.base_url, workspace.apiToken)
  t.teardown(async () => {
    await socket.close()
    for (const { code } of localRegions) signal(code, 'SIGCONT')
  })
  t.jobs = 2
  await Promise.all([
    t.test('a server that stops and starts is down, then up, with one incident', { buffered: true }, server),
    t.test('a job without a ping is missed once and is back with its next ping', { buffered: true }, job)
  ])
}
