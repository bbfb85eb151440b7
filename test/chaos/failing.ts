/**
 * Plays monitors that fail beside a fault run, and checks what people must not be told of
 * meanwhile:
 *
 *   a parent and two children   the parent goes down, then the children; it comes back, and so does
 *                               one of them
 *   two in a window             both fail within it, and one for longer
 *   six of a workspace          four of them fail at once: a mass outage
 *
 * Whatever is killed, at the end incidents, log and the decisions on notifications must agree with
 * what was played: people are told of a held incident once nothing holds it, and are never told of
 * one that ends while it is held.
 * Source: docs/design/api/decision-rules.md#s23-6 to #s23-8.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeWorkspace, type Product, type TestWorkspace } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { checkLog } from './check-log.ts'
import { replayTheCauses } from './check-replay.ts'
import type { Evidence, Verdicts } from './checks.ts'
import type { ReadBack } from './readback.ts'
import { loadRows } from './rows.ts'

type Pool = ReturnType<Product['pool']>

const INTERVAL_SECONDS = 10
const HOLD_SECONDS = 45
const WINDOW_MS = 120_000
const SETTLE_SECONDS = 20
/** The longest time for a step of the play, whatever is killed in it. */
const STEP_MS = 120_000

const names = ['parent', 'recovers', 'fails on', 'window ends', 'window outlasted', 'one', 'two', 'three', 'four', 'five', 'six'] as const
type Name = (typeof names)[number]

/** The ledger's word for an incident that is told of together with the others. */
const BUNDLED = 'dedup'

const atOnce = ['one', 'two', 'three', 'four'] as const

export interface Failing {
  /** Monitors that fail, as intended. */
  monitor_ids: ReadonlySet<string>
  /** Resolves once all has been played. */
  played: Promise<void>
  /** No more is checked. */
  pause(): Promise<void>
  verdicts(log: ReadBack): Promise<Verdicts>
  close(): void
}

/** A site that answers with failures for the names in `failing`. */
async function site(failing: ReadonlySet<Name>): Promise<{ server: Server; url(name: Name): string }> {
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1))
    response.statusCode = names.some((one) => one === name && failing.has(one)) ? 500 : 200
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, url: (name) => `http://127.0.0.1:${port}/${encodeURIComponent(name)}` }
}

/** Posts to the api, which may be killed at any time. */
async function asked(product: Product, workspace: TestWorkspace, path: string, body: object, status: number): Promise<string> {
  return until(
    `POST ${path} to be answered ${status}`,
    async () => {
      // The api may be being killed.
      const answer = await product.api('POST', `/api/v1/${path}`, body, workspace.apiToken).catch(() => null)
      return answer?.status === status && String(answer.body.id)
    },
    STEP_MS
  )
}

interface Told {
  event: string
  suppressed_by: string | null
  at: number
}

interface Opened {
  incident_id: string
  status: string
  resolved_at: number | null
}

/** Reads a workspace's rows in Postgres as service_system. */
const reading = (pool: Pool) => ({
  /** Incidents of a key, in order. */
  async incidents(tenant_id: string, dedup_key: string): Promise<Opened[]> {
    const { rows } = await pool.query<Opened>(
      'SELECT incident_id, status, resolved_at FROM incidents WHERE tenant_id = $1 AND dedup_key = $2 ORDER BY number',
      [tenant_id, dedup_key]
    )
    return rows
  },
  /** The decisions to tell of an incident. */
  async told(tenant_id: string, incident_id: string): Promise<Told[]> {
    const { rows } = await pool.query<Told>(
      'SELECT event, suppressed_by, at FROM intents WHERE tenant_id = $1 AND incident_id = $2 ORDER BY at',
      [tenant_id, incident_id]
    )
    return rows
  }
})

/** When people are first told that it failed, epoch ms; null when they never are. */
const firstTold = (told: readonly Told[]): number | null =>
  told.find(({ event, suppressed_by }) => event === 'down' && suppressed_by === null)?.at ?? null

interface Stage {
  product: Product
  pool: Pool
  /**
   * `held`: the workspace of the parent, its children and the window; `mass`: that of the monitors
   * that fail at once.
   */
  held: TestWorkspace
  mass: TestWorkspace
  ids: ReadonlyMap<Name, string>
  failing: Set<Name>
  tell(line: string): void
}

const workspaceOf = ({ held, mass }: Stage, name: Name): TestWorkspace => (names.indexOf(name) < names.indexOf('one') ? held : mass)

const newest = async (stage: Stage, name: Name): Promise<Opened | null> => {
  const found = await reading(stage.pool).incidents(workspaceOf(stage, name).tenant_id, `mon:${stage.ids.get(name)}`)
  return found.at(-1) ?? null
}

const comes = (stage: Stage, what: string, status: 'ongoing' | 'resolved', some: readonly Name[]): Promise<unknown> =>
  until(what, async () => (await Promise.all(some.map((name) => newest(stage, name)))).every((one) => one?.status === status), STEP_MS)

/** Plays the story; returns when the window ended, epoch ms. */
async function play(stage: Stage): Promise<number> {
  const { product, pool, held, mass, ids, failing, tell } = stage
  const monitor_ids = [ids.get('window ends'), ids.get('window outlasted')]
  const ends_at = Date.now() + WINDOW_MS
  const schedule = { kind: 'once', starts_at: new Date().toISOString(), ends_at: new Date(ends_at).toISOString() }
  const window = { name: 'Planned', scope: { monitor_ids }, schedule, settle_seconds: SETTLE_SECONDS }
  await asked(product, held, 'maintenance-windows', window, 201)

  for (const name of ['parent', 'window ends', 'window outlasted', ...atOnce] as const) failing.add(name)
  await comes(stage, 'the incidents of what fails', 'ongoing', ['parent', 'window ends', 'window outlasted', ...atOnce])
  const outage = () => reading(pool).incidents(mass.tenant_id, 'out:mass')
  await until('the mass outage', async () => (await outage()).at(-1)?.status === 'ongoing', STEP_MS)
  tell('a parent is down, two fail in a window, four failed at once')

  for (const name of ['recovers', 'fails on'] as const) failing.add(name)
  failing.delete('window ends')
  await comes(stage, 'the incidents of the children', 'ongoing', ['recovers', 'fails on'])
  await comes(stage, 'one to recover within its window', 'resolved', ['window ends'])
  tell('its children are down, one recovered within its window')

  for (const name of ['parent', 'recovers'] as const) failing.delete(name)
  await comes(stage, 'the parent and a child to recover', 'resolved', ['parent', 'recovers'])
  for (const name of ['fails on', 'window outlasted'] as const) {
    const incident = await newest(stage, name)
    const told = async (): Promise<Told[]> => (incident ? reading(pool).told(held.tenant_id, incident.incident_id) : [])
    await until(`people to be told of “${name}”`, async () => firstTold(await told()) !== null, STEP_MS)
  }
  tell('people were told of the child that fails on, and of what outlasts the window')

  for (const name of names) failing.delete(name)
  await comes(stage, 'all to recover', 'resolved', ['fails on', 'window outlasted', ...atOnce])
  await until('the mass outage to end', async () => (await outage()).at(-1)?.status === 'resolved', STEP_MS)
  tell('all are up again, and the mass outage is over')
  return ends_at
}

/** Checks that what was told of each incident follows from what was played. */
async function checkTold(stage: Stage, ended_at: number): Promise<Verdicts> {
  const { pool, held, mass } = stage
  const { incidents, told } = reading(pool)
  const violations: string[] = []
  const counts: Verdicts['counts'] = {}
  const must = (holds: boolean, sentence: string): void => {
    if (!holds) violations.push(sentence)
  }
  const one = async (name: Name): Promise<{ incident: Opened | null; told: Told[] }> => {
    const { tenant_id } = workspaceOf(stage, name)
    const all = await incidents(tenant_id, `mon:${stage.ids.get(name)}`)
    must(all.length === 1, `“${name}” had ${all.length} incidents, expected one`)
    const incident = all.at(-1) ?? null
    return { incident, told: incident ? await told(tenant_id, incident.incident_id) : [] }
  }
  const isHeldBy = (list: readonly Told[], kind: string): boolean => list.some(({ suppressed_by }) => suppressed_by === kind)
  const never = async (name: Name, kind: string): Promise<void> => {
    const { told } = await one(name)
    must(
      told.every(({ suppressed_by }) => suppressed_by !== null),
      `people were told of “${name}”, which ended while it was held`
    )
    must(isHeldBy(told, kind), `“${name}” must have been held by ${kind}`)
  }
  const later = async (name: Name, kind: string, from: number): Promise<void> => {
    const { told } = await one(name)
    const at = firstTold(told)
    must(at !== null && at >= from, `people were told of “${name}” ${at === null ? 'never' : `${from - at} ms before nothing held it`}`)
    must(isHeldBy(told, kind), `“${name}” must have been held by ${kind}`)
    counts[`told_of_${name.replaceAll(' ', '_')}_after_ms`] = at === null ? 'never' : at - from
  }
  const parent = await one('parent')
  must(firstTold(parent.told) !== null, 'people were never told of the parent')
  await never('recovers', 'dependency')
  await later('fails on', 'dependency', parent.incident?.resolved_at ?? Number.POSITIVE_INFINITY)
  await never('window ends', 'maintenance')
  await later('window outlasted', 'maintenance', ended_at + SETTLE_SECONDS * 1000)

  const alone = await Promise.all(atOnce.map(one))
  const paged = alone.filter(({ told }) => firstTold(told) !== null).length
  must(paged === 2, `of four that failed at once ${paged} paged alone, expected the first two`)
  const bundled = alone.filter(({ told }) => firstTold(told) === null && isHeldBy(told, BUNDLED)).length
  must(bundled === 2, `${bundled} were held by the mass outage, expected two`)
  const outages = await incidents(mass.tenant_id, 'out:mass')
  must(outages.length === 1, `${outages.length} mass outages, expected one`)
  for (const { incident_id, status } of outages) {
    must(status === 'resolved', 'the mass outage is not over')
    must(firstTold(await told(mass.tenant_id, incident_id)) !== null, 'people were never told of the mass outage')
  }
  must((await incidents(held.tenant_id, 'out:mass')).length === 0, 'what is held made a mass outage')
  const { rows } = await pool.query<{ left: number }>(
    "SELECT count(*)::int AS left FROM jobs WHERE tenant_id = ANY ($1::uuid[]) AND kind ~ '^(dependency_end|outage_end|maintenance)' AND run_at < now()",
    [[held.tenant_id, mass.tenant_id]]
  )
  must(rows[0]?.left === 0, `${rows[0]?.left} jobs that end holds are left`)
  return { counts: { ...counts, told_alone_of_the_mass_outage: paged, held_by_the_mass_outage: bundled }, violations }
}

/** Rows, log and stored causes of both workspaces agree, as after any fault run. */
async function checkStored({ pool, held, mass }: Stage, log: ReadBack): Promise<Verdicts> {
  const counts: Verdicts['counts'] = {}
  const violations: string[] = []
  const tenants = [held.tenant_id, mass.tenant_id]
  const decoded = async <N extends 'IncidentEvent' | 'Incident' | 'AlertEvent'>(
    topic: 'incident.events.v1' | 'incident.state.v1' | 'alert.events.v1',
    name: N
  ) =>
    (await log.read(topic)).flatMap((record) => {
      const value = record.value === null ? null : log.codec.decode(name, record.value)
      return value && tenants.includes(value.tenant_id) ? [{ record, value }] : []
    })
  const evidence: Evidence = {
    rows: await loadRows(pool, tenants),
    events: (await decoded('incident.events.v1', 'IncidentEvent')).map(({ record, value }) => ({ record, event: value })),
    states: (await decoded('incident.state.v1', 'Incident')).map(({ record, value }) => ({ record, incident: value })),
    alertEvents: (await decoded('alert.events.v1', 'AlertEvent')).map(({ record, value }) => ({ record, event: value })),
    entries: [],
    inbound: [],
    rules: new Map(),
    raw: [],
    recordings: new Map(),
    count: (name, value) => {
      counts[`held_${name}`] = value
    },
    must(holds, sentence) {
      if (!holds) violations.push(sentence())
    }
  }
  checkLog(evidence)
  replayTheCauses(evidence)
  return { counts, violations }
}

async function make(product: Product, workspace: TestWorkspace, name: Name, target: string, more: object = {}): Promise<string> {
  const settings = {
    name,
    type: 'http',
    target,
    interval_seconds: INTERVAL_SECONDS,
    timeout_seconds: 5,
    retry: { count: 0 },
    confirmation: { rounds: 1, recovery_rounds: 1 },
    // It goes up and down on purpose.
    flap: { enabled: false },
    ...more
  }
  return asked(product, workspace, 'monitors', settings, 201)
}

/** Makes two workspaces with monitors that fail as played, whatever happens to the product. */
export async function failTogether(product: Product, pool: Pool, name: string, tell: (line: string) => void): Promise<Failing> {
  const failing = new Set<Name>()
  const { server, url } = await site(failing)
  const ids = new Map<Name, string>()
  const [held, mass] = [await makeWorkspace(pool, `${name}-held`, 'generic'), await makeWorkspace(pool, `${name}-mass`, 'generic')]
  const stage: Stage = { product, pool, held, mass, ids, failing, tell }
  for (const workspace of [held, mass]) {
    // No receiver is there to answer: only the decisions are checked.
    const hook = { name: 'Hook', kind: 'webhook', is_default: true, events: ['down', 'up'], config: { url: 'https://hooks.example.com/x' } }
    await asked(product, workspace, 'notifications/channels', hook, 201)
  }
  for (const one of names) {
    const isChild = one === 'recovers' || one === 'fails on'
    const more = isChild ? { depends_on: [ids.get('parent')], dependency_hold_seconds: HOLD_SECONDS } : {}
    ids.set(one, await make(product, workspaceOf(stage, one), one, url(one), more))
  }
  const playing = play(stage)
  const played = playing.then(() => undefined)
  // The failure is reported to the caller that waits for it; until then it must not count as an
  // unhandled rejection.
  played.catch(() => undefined)
  return {
    monitor_ids: new Set(ids.values()),
    played,
    async pause() {
      for (const [one, id] of ids) await asked(product, workspaceOf(stage, one), `monitors/${id}/pause`, { resolve_open: false }, 200)
    },
    async verdicts(log) {
      const ended_at = await playing
      const [told, stored] = [await checkTold(stage, ended_at), await checkStored(stage, log)]
      return { counts: { ...told.counts, ...stored.counts }, violations: [...told.violations, ...stored.violations] }
    },
    close() {
      server.close()
      server.closeAllConnections()
    }
  }
}
