/**
 * Plays one routed incident from the first page to its end: the person on call is asked, then the
 * person of an override; it is acknowledged while the broker is stopped, taken back, silenced,
 * released and resolved. Every step, every intent, and every step that must not come is read back
 * from the timeline, explain, topics and, once analytics has ended, ClickHouse.
 *
 * The test decides when the minutes between steps pass: it moves the due times in Postgres.
 */
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Delivery, IncidentEvent } from '../../schemas/generated/events.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { openEngine } from '../../services/analytics/engine.ts'
import type { Pool } from '../../services/store/pool.ts'
import { holdKafka, kill, releaseKafka, restarted } from '../chaos/faults.ts'
import { readBack } from '../chaos/readback.ts'
import { makeWorkspace, type Product, type TestWorkspace, until } from '../harness/product.ts'

const LIMIT_MS = 60_000
const TIMEOUT_SECONDS = 600
const LAST_SECONDS = 3600
const TITLE = 'The shop is slow'

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

/**
 * What the story left on the log, to compare with the tables, which are read once analytics has
 * ended.
 */
export interface Asked {
  tenant_id: string
  incident_id: string
  events: IncidentEvent[]
  deliveries: Delivery[]
}

interface People {
  owner: string
  ann: string
  ben: string
}

interface Made extends People {
  primary: string
  backup: string
  policy: string
}

const iso = (at: number): string => new Date(at).toISOString()

async function person(pool: Pool, tenant_id: string, name: string): Promise<string> {
  const user_id = uuidv7()
  const values = [user_id, `${name}@example.test`, name]
  await pool.query("INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, '-')", values)
  await pool.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'responder')", [tenant_id, user_id])
  return user_id
}

/**
 * Creates two schedules, an override, a policy that asks both, and the rule that names the policy.
 */
async function setUp(pool: Pool, call: Call, { tenant_id }: TestWorkspace): Promise<Made> {
  const { rows } = await pool.query<{ user_id: string }>('SELECT user_id FROM members WHERE tenant_id = $1', [tenant_id])
  const owner = rows[0]?.user_id ?? ''
  const [ann, ben] = [await person(pool, tenant_id, 'asked-ann'), await person(pool, tenant_id, 'asked-ben')]
  const schedule = async (name: string, who: string): Promise<string> => {
    const layer = { name: 'all', participants: [who], rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }
    return (await call<{ id: string }>('POST', 'on-call/schedules', { name, time_zone: 'Europe/Berlin', layers: [layer] })).id
  }
  const [primary, backup] = [await schedule('Primary', ann), await schedule('Backup', owner)]
  const now = Date.now()
  const override = { schedule_id: backup, user_id: ben, starts_at: iso(now), ends_at: iso(now + 86_400_000), reason: 'A wedding' }
  await call('POST', 'on-call/overrides', override)
  const steps = [
    { targets: [{ type: 'schedule', id: primary }] },
    { targets: [{ type: 'schedule', id: backup }], delay_seconds: TIMEOUT_SECONDS },
    { targets: [{ type: 'user', id: owner }], delay_seconds: LAST_SECONDS }
  ]
  const { id: policy } = await call<{ id: string }>('POST', 'on-call/escalation-policies', { name: 'Shop', repeat: 0, steps })
  const match = { all: [{ field: 'title', op: 'eq', value: TITLE }] }
  await call('POST', 'routing-rules', { name: 'Shop', match, actions: { escalation_policy_id: policy } })
  return { owner, ann, ben, primary, backup, policy }
}

interface Explained {
  steps: { rule: string; values: Record<string, unknown>; config_refs: { type: string; id: string | null; version: number }[] }[]
  suppressions: { kind: string }[]
}
interface StoredIntent {
  intent_id: string
  event: string
  user_id: string | null
  run: number | null
  step: number | null
  method_kind: string
  suppressed_by: string | null
  at: number
}
interface Item {
  type: string
  at: string
  ver: number
  data: Record<string, unknown>
}

/** Everything in the story that reads one incident and waits for it. */
function watching(pool: Pool, call: Call, { tenant_id }: TestWorkspace, id: string) {
  const explained = (): Promise<Explained> => call<Explained>('GET', `incidents/${id}/explain`)
  const steps = async () => (await explained()).steps.filter(({ rule }) => rule === 'escalation_step').map(({ values }) => values)
  return {
    explained,
    steps,
    timeline: async (): Promise<Item[]> => (await call<{ items: Item[] }>('GET', `incidents/${id}/timeline?per_page=100`)).items,
    stepped: (count: number) =>
      until(
        `${count} steps`,
        async () => {
          const found = await steps()
          return found.length >= count ? found : null
        },
        LIMIT_MS
      ),
    escalation: async () => (await call<{ escalation: Record<string, unknown> }>('GET', `incidents/${id}`)).escalation,
    /**
     * Lets this many seconds pass for the waiting step. Resolves with the number of waiting steps.
     */
    async pass(seconds: number): Promise<number> {
      await pool.query(
        `UPDATE escalation_runs SET next_at = next_at - $2 * interval '1 second', started_at = started_at - $2 * interval '1 second',
                                    last_fired_at = last_fired_at - $2 * interval '1 second' WHERE tenant_id = $1`,
        [tenant_id, seconds]
      )
      const { rowCount } = await pool.query(
        "UPDATE jobs SET run_at = run_at - $2 * interval '1 second' WHERE tenant_id = $1 AND kind = 'escalation_step'",
        [tenant_id, seconds]
      )
      return rowCount ?? 0
    },
    intents: async (): Promise<StoredIntent[]> =>
      (
        await pool.query<StoredIntent>(
          `SELECT intent_id, event, user_id, run, step, method_kind, suppressed_by, at FROM intents
            WHERE tenant_id = $1 AND incident_id = $2 ORDER BY at, run, step, user_id`,
          [tenant_id, id]
        )
      ).rows,
    /** Deliveries that have not ended. */
    open: async (): Promise<number | null> =>
      (await pool.query('SELECT FROM deliveries WHERE tenant_id = $1 AND open', [tenant_id])).rowCount,
    /** Records that the relay has not sent yet. */
    unsent: async (): Promise<string[]> =>
      (
        await pool.query<{ event_type: string }>("SELECT headers ->> 'event_type' AS event_type FROM outbox WHERE tenant_id = $1", [
          tenant_id
        ])
      ).rows.map(({ event_type }) => event_type)
  }
}
type Watching = ReturnType<typeof watching>

/** A person acknowledges while the broker is stopped: no step fires after that commit. */
async function acknowledgedWithoutKafka(t: Test, product: Product, call: Call, id: string, seen: Watching): Promise<void> {
  holdKafka(product)
  const dead = await kill(product, 'kafka')
  try {
    await call('POST', `incidents/${id}/acknowledge`, { comment: 'Mine' })
    t.match(await seen.escalation(), { state: 'paused', next_at: null })
    t.equal(await seen.pass(LAST_SECONDS), 0, 'no step waits any more')
    t.ok((await seen.unsent()).includes('incident.acknowledged'), 'the log has not heard of it')
    t.equal((await seen.steps()).length, 2)
  } finally {
    releaseKafka(product)
  }
  await restarted(product, 'kafka', dead)
  await until('the log to have heard', async () => ((await seen.unsent()).length === 0 ? true : null), LIMIT_MS)
}

/** A step that is due during a silence does not come; once released, it continues there. */
async function heldAndReleased(t: Test, call: Call, id: string, seen: Watching): Promise<void> {
  await call('POST', `incidents/${id}/silence`, { minutes: 60 })
  t.equal(await seen.pass(TIMEOUT_SECONDS), 1)
  await until('the run to be held', async () => ((await seen.escalation()).state === 'held' ? true : null), LIMIT_MS)
  t.match(await seen.escalation(), { step: 1, hold_reason: 'silence', next_at: null })
  const held = await seen.explained()
  t.match(held.suppressions, [{ kind: 'silence' }])
  t.match(held.steps.filter(({ rule }) => rule === 'escalation_run').at(-1)?.values, { state: 'held', hold_reason: 'silence' })
  t.equal((await seen.steps()).length, 3, 'nobody is asked meanwhile')
  await call('DELETE', `incidents/${id}/silence`)
}

/** Reads what both topics say of the incident, each record once. */
async function onTheLog(product: Product, { tenant_id }: TestWorkspace, id: string): Promise<Pick<Asked, 'events' | 'deliveries'>> {
  const log = await readBack(product)
  try {
    // The relay may have sent an event twice, with the same id.
    const events = new Map<string, IncidentEvent>()
    for (const { value } of await log.read('incident.events.v1')) {
      const event = value && log.codec.decode('IncidentEvent', value)
      if (event?.tenant_id === tenant_id && event.incident_id === id) events.set(event.event_id, event)
    }
    const deliveries = new Map<string, Delivery>()
    for (const { value } of await log.read('notification.deliveries.v1')) {
      const delivery = value && log.codec.decode('Delivery', value)
      if (delivery?.tenant_id === tenant_id && delivery.incident_id === id) deliveries.set(delivery.event_id, delivery)
    }
    return {
      events: [...events.values()].sort((one, other) => one.ver - other.ver),
      deliveries: [...deliveries.values()].sort((one, other) => (one.event_id < other.event_id ? -1 : 1))
    }
  } finally {
    await log.close()
  }
}

const CHANGES = [
  'created',
  'escalated',
  'escalated',
  'acknowledged',
  'unacknowledged',
  'escalated',
  'silenced',
  'unsilenced',
  'escalated',
  'resolved'
]
/**
 * Versions of the incident at which somebody was asked. A run is named by the version at which it
 * begins.
 */
const SECOND_RUN = 5

type Step = Record<string, unknown>

async function timelineSays(t: Test, { ann, ben, policy }: Made, seen: Watching, told: readonly Step[]): Promise<void> {
  const items = await seen.timeline()
  t.same(
    items.map(({ ver, type }) => [ver, type]),
    CHANGES.map((change, at) => [at + 1, change === 'created' ? 'opened' : change === 'resolved' ? 'recovered' : change])
  )
  const steps = items.filter(({ type }) => type === 'escalated')
  const place = (run: number, step: number, who: string) => ({
    ...{ outcome: 'fired', run, cycle: 0, step, policy_id: policy },
    ...{ user_ids: [who], channel_ids: [] }
  })
  t.match(
    steps.map(({ data }) => data),
    [place(1, 0, ann), place(1, 1, ben), place(SECOND_RUN, 0, ann), place(SECOND_RUN, 1, ben)]
  )
  t.same(
    told.map(({ at }) => at),
    steps.map(({ at }) => at),
    'at the instants of which explain tells'
  )
  // Moved time counts as passed: a step is due its delay after the one before it.
  const at = new Map(items.map((item) => [item.ver, item.at]))
  t.same(
    told.map(({ due_at }) => due_at),
    [at.get(1), at.get(2), at.get(5), at.get(6)]
  )
  t.ok(Date.parse(String(told[3]?.at)) >= Date.parse(at.get(8) ?? ''), 'the held step came when it was released')
}

async function explainSays(t: Test, { ann, ben, primary, backup, policy }: Made, seen: Watching, told: readonly Step[]): Promise<void> {
  const { steps } = await seen.explained()
  t.match(steps.find(({ rule }) => rule === 'policy')?.values, { escalation_policy_id: policy, policy_by: 'rule' })
  const ref = [{ type: 'escalation_policy', id: policy, version: 1 }]
  t.same(
    steps.filter(({ rule }) => rule === 'escalation_run').map(({ values, config_refs }) => [values.run, config_refs]),
    [
      [1, ref],
      [SECOND_RUN, ref]
    ]
  )
  const by = (schedule: string, who: string, on_call: object) => ({
    ...{ asked: [who], not_asked: [], fallback: false },
    targets: [{ type: 'schedule', id: schedule, user_ids: [who], on_call: { ...on_call, schedule_version: 1, tzdb: String } }]
  })
  const [layer, override] = [by(primary, ann, { origin: 'layer', layer: 'all' }), by(backup, ben, { origin: 'override', layer: 'all' })]
  t.match(told, [layer, override, layer, override], 'who was on call then, and by what')
}

function intentsSay(t: Test, { ann, ben }: Made, intents: readonly StoredIntent[], told: readonly Step[]): void {
  const pages = intents.filter(({ event }) => event === 'down')
  t.match(
    pages,
    [
      { user_id: ann, run: 1, step: 0 },
      { user_id: ben, run: 1, step: 1 },
      { user_id: ann, run: SECOND_RUN, step: 0 },
      { user_id: ben, run: SECOND_RUN, step: 1 }
    ].map((one) => ({ ...one, method_kind: 'email', suppressed_by: null }))
  )
  t.same(
    pages.map(({ at }) => iso(at)),
    told.map(({ at }) => at),
    'each with its step'
  )
  t.same([...new Set(intents.map(({ user_id }) => user_id))].sort(), [ann, ben].sort(), 'and nobody else hears of it')
}

function topicsSay(
  t: Test,
  { policy }: Made,
  log: Pick<Asked, 'events' | 'deliveries'>,
  intents: readonly StoredIntent[],
  items: readonly Item[]
) {
  t.same(
    log.events.map(({ ver, change }) => [ver, change]),
    CHANGES.map((change, at) => [at + 1, change])
  )
  t.same(
    log.events.map(({ at }) => iso(at)),
    items.map(({ at }) => at)
  )
  const queued = log.deliveries.filter(({ ver }) => ver === 1)
  t.same(queued.map(({ intent_id }) => intent_id).sort(), intents.map(({ intent_id }) => intent_id).sort(), 'each intent once')
  t.ok(
    queued.every(({ escalation_policy_id, event }) => event !== 'down' || escalation_policy_id === policy),
    'with the policy that asked'
  )
  t.notMatch(JSON.stringify(log), /@example\.test/, 'and without addresses')
}

export async function asked(t: Test, product: Product): Promise<Asked> {
  const pool = product.pool()
  t.teardown(() => pool.end())
  const workspace = await makeWorkspace(pool, `asked-${Date.now()}`, 'generic')
  const call: Call = async <T>(method: string, path: string, body?: unknown) => {
    const answer = await product.api(method, `/api/v1/${path}`, body, workspace.apiToken)
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as T
  }
  const send = async (alert: object): Promise<void> => {
    const answer = await fetch(`${product.access.base_url}/api/v1/webhooks/incoming/${workspace.door}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: TITLE, dedup_key: 'shop', ...alert })
    })
    if (answer.status !== 200) throw new Error(`the door answered ${answer.status}`)
  }
  const made = await setUp(pool, call, workspace)

  await send({ severity: 'critical' })
  const { id } = await until(
    'the incident',
    async () => (await call<{ items: { id: string }[] }>('GET', 'incidents')).items[0] ?? null,
    LIMIT_MS
  )
  const seen = watching(pool, call, workspace, id)
  await seen.stepped(1)
  t.match(await seen.escalation(), { state: 'running', step: 1 })
  t.equal(await seen.pass(TIMEOUT_SECONDS), 1)
  await seen.stepped(2)
  await acknowledgedWithoutKafka(t, product, call, id, seen)
  await call('POST', `incidents/${id}/unacknowledge`, {})
  await seen.stepped(3)
  await heldAndReleased(t, call, id, seen)
  const told = await seen.stepped(4)
  await send({ status: 'resolved' })
  await until('it to be resolved', async () =>
    (await call<{ status: string }>('GET', `incidents/${id}`)).status === 'resolved' ? true : null
  )
  t.equal(await seen.pass(LAST_SECONDS), 0, 'the owner, who is the last, is never asked')

  await t.test('the timeline shows every change and every escalation step', (t) => timelineSays(t, made, seen, told))
  await t.test('explain names the policy and the person on call at each step', (t) => explainSays(t, made, seen, told))
  const intents = await seen.intents()
  await t.test('each escalation step notifies the person on call and nobody else', async (t) => intentsSay(t, made, intents, told))
  await until(
    'every delivery to end, and the log to have heard',
    async () => ((await seen.open()) === 0 && (await seen.unsent()).length === 0 ? true : null),
    LIMIT_MS
  )
  const log = await onTheLog(product, workspace, id)
  await t.test('the topics hold every event and intent, without addresses', async (t) =>
    topicsSay(t, made, log, intents, await seen.timeline())
  )
  return { tenant_id: workspace.tenant_id, incident_id: id, ...log }
}

/**
 * Checks that the tables hold the log's records once. Only one process at a time can use the
 * engine.
 */
export async function askedTables(t: Test, dataDir: string, { tenant_id, incident_id, events, deliveries }: Asked): Promise<void> {
  const engine = openEngine({ path: join(dataDir, 'clickhouse') })
  const read = async (sql: string): Promise<unknown> =>
    JSON.parse(await engine.query(sql, { tenant_id, incident_id }, { timeMs: 60_000, maxRows: 1000 }))
  try {
    t.same(
      await read(
        `SELECT ver, change, toUnixTimestamp64Milli(at) AS at, status FROM incident_events FINAL
          WHERE tenant_id = {tenant_id:UUID} AND incident_id = {incident_id:UUID} ORDER BY ver`
      ),
      events.map(({ ver, change, at, incident }) => ({ ver, change, at, status: incident.status }))
    )
    t.same(
      await read(
        `SELECT toString(delivery_id) AS delivery_id, ver, toString(intent_id) AS intent_id, incident_ver, event, channel_kind, user_id, state,
                toUnixTimestamp64Milli(at) AS at
           FROM notification_deliveries FINAL
          WHERE tenant_id = {tenant_id:UUID} AND incident_id = {incident_id:String} ORDER BY delivery_id, ver`
      ),
      deliveries
        .map(({ delivery_id, ver, intent_id, incident_ver, event, channel_kind, user_id, state, at }) => ({
          ...{ delivery_id, ver, intent_id, incident_ver, event, channel_kind, user_id, state, at }
        }))
        .sort((one, other) => (one.delivery_id < other.delivery_id ? -1 : one.delivery_id > other.delivery_id ? 1 : one.ver - other.ver))
    )
  } finally {
    await engine.close()
  }
}
