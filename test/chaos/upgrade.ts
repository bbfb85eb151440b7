/**
 * npm run chaos -- upgrade [--from COMMIT]: an older version makes a data folder, and the current
 * code continues with it. Acceptance: no position moves back, nothing is decided twice, credentials
 * and open incidents are unchanged, and timers and deadlines that the older version set are kept.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import type { Pool } from '../../services/store/pool.ts'
import { type Product, startProduct } from '../harness/product.ts'
import { checkOut } from './checkout.ts'
import { readBack } from './readback.ts'
import {
  changedFields,
  decisionsOf,
  differences,
  eventually,
  fallenBack,
  incidentsOf,
  logIn,
  movedOn,
  occurrencesOf,
  type Positions,
  positionsOf,
  read,
  stateOf,
  type Told,
  whoIs
} from './upgrade-facts.ts'

/** The last commit before the code was reordered. */
const DEFAULT_FROM = 'a34abf0'
const OPEN = 'Disk is full'
const ACKNOWLEDGED = 'Queue is long'
const SILENCED = 'Certificate is old'
const SILENCE_MINUTES = 2
const PERIOD_SECONDS = 90
/** A tick this long after the deadline confirms a miss. */
const CONFIRMED_AFTER_MS = 8000

/** What the older version left. */
interface Known {
  door: string
  token: string
  cookie: string
  monitor: string
  heartbeat: string
  positions: Positions
  decisions: readonly string[]
  incidents: ReadonlyMap<string, Told>
  /** The end of the heartbeat's slot without the service's own outages, epoch ms. */
  deadline: number
}

/** Prints one line for each check and counts the failures. */
interface Checks {
  check(what: string, faults: readonly string[]): void
  failed: string[]
}

function createChecks(): Checks {
  const failed: string[] = []
  return {
    failed,
    check(what, faults) {
      console.log(faults.length === 0 ? `  ok      ${what}` : `  FAILED  ${what}: ${faults.join('; ')}`)
      if (faults.length > 0) failed.push(what)
    }
  }
}

async function post<T>(product: Product, path: string, body: object): Promise<T> {
  const answer = await product.api('POST', path, body)
  if (answer.status !== 200 && answer.status !== 201)
    throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as T
}

async function alert(door: string, title: string, status: 'firing' | 'resolved'): Promise<void> {
  const answer = await fetch(door, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title, severity: 'warning', dedup_key: title, status })
  })
  if (!answer.ok) throw new Error(`the door answered ${answer.status}: ${await answer.text()}`)
}

const numberOf = (state: Record<string, unknown> | null, name: string): number => Number(state?.[name] ?? Number.NaN)

/**
 * The end of the open slot by the schedule alone, without the shift that the service's own outages
 * caused.
 */
const dueBySchedule = (state: Record<string, unknown> | null): number => numberOf(state, 'deadline_at') - numberOf(state, 'shifted_ms')

/**
 * Makes one of each thing that must survive the upgrade, and notes it once everything has come to
 * rest.
 */
async function prepare(product: Product, pool: Pool, target: string): Promise<Known> {
  const integration = { name: 'Upgrade', source_type: 'generic' }
  const { endpoint_url: door } = await post<{ endpoint_url: string }>(product, '/api/v1/integrations/inbound', integration)
  const cookie = await logIn(product)
  const { id: monitor } = await post<{ id: string }>(product, '/api/v1/monitors', {
    name: 'Site',
    type: 'http',
    target,
    interval_seconds: 60
  })
  const job = { name: 'Job', schedule: { kind: 'period', period_seconds: PERIOD_SECONDS }, grace_seconds: 0 }
  const { id: heartbeat, ping_token } = await post<{ id: string; ping_token: string }>(product, '/api/v1/heartbeats', job)
  for (const title of [OPEN, ACKNOWLEDGED, SILENCED]) await alert(door, title, 'firing')
  const opened = await eventually('three incidents to be open', async () => {
    const found = await incidentsOf(product)
    return found.size === 3 && found
  })
  const idOf = (title: string): string => opened.get(title)?.incident.id ?? ''
  await eventually('every region to have seen the monitor up', async () => {
    const { phase, regions } = (await stateOf(pool, 'status', monitor)) ?? {}
    return phase === 'ok' && (regions as { last_at?: number | null }[]).every(({ last_at }) => last_at !== null)
  })
  await post(product, `/api/v1/incidents/${idOf(ACKNOWLEDGED)}/acknowledge`, { comment: 'I look into it.' })
  await post(product, `/api/v1/incidents/${idOf(SILENCED)}/silence`, { duration_minutes: SILENCE_MINUTES, reason: 'A deploy.' })
  const pinged = await fetch(`${product.access.base_url}/api/v1/ping/${ping_token}`)
  if (!pinged.ok) throw new Error(`the ping answered ${pinged.status}`)
  await eventually('the ping to count', async () => numberOf(await stateOf(pool, 'heartbeat', heartbeat), 'pings') === 1)
  await eventually('the outbox to be empty', async () => (await pool.query('SELECT 1 FROM outbox LIMIT 1')).rows.length === 0)
  return {
    door,
    token: product.access.api_token,
    cookie,
    monitor,
    heartbeat,
    decisions: await decisionsOf(pool, { monitor, heartbeat }),
    incidents: await incidentsOf(product),
    deadline: dueBySchedule(await stateOf(pool, 'heartbeat', heartbeat)),
    positions: await positionsOf(pool)
  }
}

/**
 * Checks that positions continue from where they were, and that nothing is decided again meanwhile.
 */
async function checkFolds(product: Product, pool: Pool, known: Known, { check }: Checks): Promise<void> {
  const seen = new Set<string>()
  await eventually('every partition with ticks to move on', async () => {
    const now = await positionsOf(pool)
    for (const fault of fallenBack(known.positions, now)) seen.add(fault)
    return movedOn(known.positions, now)
  })
  check(`${known.positions.size} positions go on, none falls back`, [...seen])

  const decided = differences(known.decisions, await decisionsOf(pool, known))
  check(`${known.decisions.length} decisions stand as they were, none is made twice`, decided)

  const log = await readBack(product)
  const records = await log.read('incident.events.v1').finally(() => log.close())
  const ids = records.flatMap(({ value }) => (value ? [log.codec.decode('IncidentEvent', value).event_id] : []))
  const events = known.decisions.flatMap((line) => (line.startsWith('event ') ? [line.split(' ').at(-1) ?? ''] : []))
  check(`${events.length} events are on the log once each`, differences(events, ids))
}

async function checkCredentials(product: Product, { token, cookie }: Known, { check }: Checks): Promise<void> {
  const { status } = await product.api('GET', '/api/v1/incidents', undefined, token)
  check('the API token works', status === 200 ? [] : [`it is answered ${status}`])
  const who = await whoIs(product, cookie)
  check('the session goes on', who.status === 200 && who.email === product.access.email ? [] : [`it is answered ${JSON.stringify(who)}`])
}

/** Checks ids, states and events, except durations; then sends the same alert and its recovery. */
async function checkIncidents(product: Product, pool: Pool, { door, incidents }: Known, { check }: Checks): Promise<void> {
  const found = await incidentsOf(product)
  check('incidents are the same', [
    ...differences([...incidents.keys()], [...found.keys()]),
    ...[...incidents].flatMap(([title, { incident, timeline }]) => {
      const now = found.get(title)
      if (!now) return []
      const faults = [
        ...changedFields(incident, { ...now.incident, duration_seconds: incident.duration_seconds }),
        ...changedFields({ ...timeline }, { ...now.timeline })
      ]
      return faults.map((fault) => `${title}: ${fault}`)
    })
  ])

  const { id, dedup_key } = incidents.get(OPEN)?.incident ?? { id: '', dedup_key: '' }
  const before = await occurrencesOf(pool, dedup_key)
  await alert(door, OPEN, 'firing')
  await eventually('the repeat to be folded', async () => (await occurrencesOf(pool, dedup_key)) > before)
  const joined = await incidentsOf(product)
  check('the same alert joins its open incident', joined.size === incidents.size ? [] : [`there are ${joined.size} incidents`])

  await alert(door, OPEN, 'resolved')
  const resolved = await eventually('the recovery to be folded', async () => {
    const now = (await incidentsOf(product)).get(OPEN)?.incident
    return now?.status === 'resolved' && now
  })
  check('its recovery resolves it', resolved.id === id && resolved.resolution?.reason === 'recovered' ? [] : [JSON.stringify(resolved)])
}

async function checkTimer(product: Product, { incidents }: Known, { check }: Checks): Promise<void> {
  const { id, silenced_until } = incidents.get(SILENCED)?.incident ?? { id: '', silenced_until: null }
  const due = Date.parse(silenced_until ?? '')
  const ended = await eventually('the silence to end', async () => {
    const told = (await incidentsOf(product)).get(SILENCED)
    return told?.incident.silenced_until === null && told
  })
  const ends = ended.timeline.filter(({ type }) => type === 'unsilenced').map(({ at }) => Date.parse(at) - due)
  check('the silence ends once, at its time or after', [
    ...(ended.incident.id === id ? [] : [`it was ${id}`]),
    ...(ends.length === 1 && (ends[0] ?? -1) >= 0 ? [] : [`ends by ms: ${ends}`])
  ])
}

async function checkWatched(
  product: Product,
  pool: Pool,
  { monitor, heartbeat, deadline }: Known,
  started: number,
  { check }: Checks
): Promise<void> {
  const checked = await eventually('the monitor to be checked again', async () => {
    const state = await stateOf(pool, 'status', monitor)
    return state !== null && numberOf(state, 'last_checked_at') > started && state
  })
  check('the monitor is checked again and stays up', checked.status === 'up' ? [] : [`it is ${checked.status}`])

  // The row at the moment of the miss says by how much an outage of the service has moved the
  // deadline.
  const missed = await eventually('the heartbeat to be missed', async () => {
    const state = await stateOf(pool, 'heartbeat', heartbeat)
    return state?.status === 'missed' && state
  })
  const last = (missed.last_miss ?? {}) as { deadline_at?: number }
  const shown = await read<{ status: string }>(product, `/api/v1/heartbeats/${heartbeat}`)
  check('the deadline of the heartbeat holds', [
    ...((last.deadline_at ?? 0) >= deadline ? [] : [`judged by ${last.deadline_at}, due ${deadline}`]),
    ...(numberOf(missed, 'since') >= (last.deadline_at ?? 0) + CONFIRMED_AFTER_MS
      ? []
      : [`missed at ${missed.since}, before its deadline`]),
    ...(shown.status === 'missed' ? [] : [`the API says ${shown.status}`])
  ])
}

async function checkRefused(pool: Pool, { check }: Checks): Promise<void> {
  const dead = await pool.query('SELECT 1 FROM dead_letters')
  const refused = await pool.query('SELECT 1 FROM outbox_refused')
  check('no record was refused', [
    ...(dead.rows.length > 0 ? [`${dead.rows.length} dead letters`] : []),
    ...(refused.rows.length > 0 ? [`${refused.rows.length} rows of the outbox`] : [])
  ])
}

/** Resolves with whether every check held. */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { from: { type: 'string', default: DEFAULT_FROM } } })
  console.log(`upgrade: from ${values.from} to this checkout`)
  const site = createServer((_, response) => response.end('well'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const environment = { PROBER_ALLOW_CIDRS: '127.0.0.0/8' }
  const checks = createChecks()
  const older = await checkOut(values.from, console.log)
  let product: Product | null = null
  try {
    product = await startProduct({ root: older.folder, environment, keepData: true })
    const pool = product.pool()
    const known = await prepare(product, pool, `http://127.0.0.1:${(site.address() as AddressInfo).port}/`).finally(() => pool.end())
    console.log(`the older version runs; ${known.decisions.length} decisions and ${known.positions.size} positions are noted`)
    checks.check('SIGTERM ends the older version in order', (await product.stop()) === 0 ? [] : ['its exit code is not 0'])

    const started = Date.now()
    product = await startProduct({ dataDir: product.dataDir, environment })
    console.log(`this checkout runs on its data folder after ${((Date.now() - started) / 1000).toFixed(1)} s`)
    const now = product.pool()
    try {
      await checkFolds(product, now, known, checks)
      await checkCredentials(product, known, checks)
      await checkIncidents(product, now, known, checks)
      await checkTimer(product, known, checks)
      await checkWatched(product, now, known, started, checks)
      await checkRefused(now, checks)
    } finally {
      await now.end()
    }
  } finally {
    await product?.stop()
    product?.forget()
    await older.remove()
    site.close()
    site.closeAllConnections()
  }
  console.log(checks.failed.length === 0 ? 'upgrade: every invariant held' : `upgrade: did not hold: ${checks.failed.join('; ')}`)
  return checks.failed.length === 0
}
