/**
 * Tests the incident fold with its real rows: locks, versions, numbers, and the unique index that
 * backs up the rules.
 */
import type pg from 'pg'
import t from 'tap'
import type { Incident } from '../../../schemas/generated/events.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { toIncident } from '../../../services/store/incident-rows.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { type Tx, transaction } from '../../../services/store/pool.ts'
import { RowMoved } from '../../../services/store/row-moved.ts'
import type { Input } from '../../../streams/define.ts'
import type { Command } from '../../../streams/incident/rules.ts'
import type { SignalRow } from '../../../streams/incident/signals.ts'
import { incidentProcessor } from '../../../streams/topology.ts'
import {
  alertInput,
  heartbeatInput,
  id,
  integration_id,
  monitorInput,
  other_tenant_id,
  T0,
  team_id,
  tenant_id,
  user_id,
  world
} from './build.ts'
import { foldIn, type Stack, stack } from './stack.ts'

const key = (name: string): string => `int:${integration_id}:${name}`
let events = 0
const fire = (name: string, at: number, over: object = {}, place: { offset?: number } = {}): Input =>
  alertInput({ dedup_key: key(name), occurred_at: T0 + at, received_at: T0 + at, event_id: id(`event ${events++}`), ...over }, place)
const resolve = (name: string, at: number, over: object = {}): Input => fire(name, at, { action: 'resolve', ...over })
const newKeys = { a: 0 }
const freshKey = (): string => `k${newKeys.a++}`

/** SQLSTATE of a transaction that Postgres ends because it and another wait for each other. */
const DEADLOCK = '40P01'
/** How many of the 60 batches below may meet one. Usually none does. */
const MAX_DEADLOCKS = 6

const incidentsOf = (s: Stack, tenant = tenant_id): Promise<Incident[]> =>
  s.rows<Incident>('SELECT * FROM incidents WHERE tenant_id = $1 ORDER BY number', [tenant])

t.test('the tables store and return what the fold produced', async (t) => {
  const s = await stack(t)
  const acme = world()
  const both = async (...inputs: Input[]) => {
    acme.take(inputs)
    await s.take(...inputs)
  }
  await both(
    fire('a', 0, {
      labels: { zone: 'b', a: '1', longer: 'x' },
      description: 'line\nü \u{1F525} \0',
      sequence: 2 ** 53 - 1,
      delivery_id: 'd-1'
    }),
    fire('b', 0, { visibility: 'private', team_id, source_severity: 'P1', description: null, links: [], labels: {} }),
    fire('a', 0, { tenant_id: other_tenant_id })
  )
  await both(monitorInput(), heartbeatInput())
  // Three incidents of one key.
  await both(fire('b', 10, { severity: 'critical' }), resolve('b', 20), fire('b', 30), resolve('b', 40), fire('b', 50))
  await both(fire('a', 0), fire('unusable', 0, { action: 'unknown' }), resolve('c', 5))
  await both(fire('c', 1), heartbeatInput({ ver: 6, previous_status: 'missed', status: 'up', at: T0 + 99, event_id: id('up') }))

  const rows = [...(await incidentsOf(s)), ...(await incidentsOf(s, other_tenant_id))].map(toIncident)
  const expected = [...acme.incidents.values()].toSorted((a, b) => a.tenant_id.localeCompare(b.tenant_id) || a.number - b.number)
  t.equal(rows.length, 7)
  t.equal(JSON.stringify(rows.map(sorted)), JSON.stringify(expected.map(sorted)), 'to the byte, labels in their order')

  const signals = await s.rows<SignalRow>('SELECT * FROM signals WHERE occurrences > 0 ORDER BY tenant_id, dedup_key')
  t.strictSame(
    signals,
    [...acme.signals.values()].toSorted((a, b) => (`${a.tenant_id}${a.dedup_key}` < `${b.tenant_id}${b.dedup_key}` ? -1 : 1))
  )

  const stored = await s.rows('SELECT * FROM incident_events ORDER BY tenant_id, incident_id, ver')
  const told = acme.events.map(({ incident, team_id, visibility, ...event }) => event)
  t.equal(stored.length, told.length)
  t.strictSame(
    stored,
    told.toSorted((a, b) => (`${a.tenant_id}${a.incident_id}${a.ver}` < `${b.tenant_id}${b.incident_id}${b.ver}` ? -1 : 1))
  )

  const outbox = await s.rows<{ topic: string; ver: number; aggregate: string }>('SELECT topic, aggregate, ver FROM outbox ORDER BY id')
  t.strictSame(
    outbox,
    acme.outgoing.map(({ topic, aggregate, ver }) => ({ topic, aggregate, ver }))
  )

  // And a second life: the next batch starts from what was loaded.
  await both(resolve('a', 100, { sequence: 2 ** 53 - 1 }), resolve('b', 100))
  t.strictSame(
    (await incidentsOf(s)).map((row) => [row.number, row.status, row.ver]),
    acmeRows(acme.incidents)
  )
})
const sorted = (incident: Incident) => Object.fromEntries(Object.entries(incident).toSorted(([a], [b]) => (a < b ? -1 : 1)))
const acmeRows = (incidents: Map<string, Incident>) =>
  [...incidents.values()]
    .filter((incident) => incident.tenant_id === tenant_id)
    .toSorted((a, b) => a.number - b.number)
    .map((incident) => [incident.number, incident.status, incident.ver])

t.test('a signal row of an older version keeps its order rules until it is written again', async (t) => {
  const s = await stack(t)
  const door = { time_source: 'door' } as const
  await s.take(fire('timed', 0), resolve('timed', 10), fire('untimed', 0, door), resolve('untimed', 10, door))
  // Rows as an older version wrote them.
  await s.pool.query('UPDATE signals SET last_time_source = NULL, last_sender_at = NULL, last_offset = NULL')
  await s.take(fire('timed', 5), fire('untimed', 5, door))
  const last = 'SELECT dedup_key, last_action, last_at, last_time_source, last_sender_at, last_offset FROM signals ORDER BY dedup_key'
  const old = { last_time_source: null, last_sender_at: null, last_offset: null }
  const [timed, untimed] = await s.rows(last)
  t.match(timed, { last_action: 'resolve', last_at: T0 + 10, ...old }, 'the fire was older')
  t.match(untimed, { last_action: 'fire', last_at: T0 + 5, last_time_source: 'door', last_sender_at: T0 + 10, last_offset: 0 })
  await s.take(fire('timed', 20, {}, { offset: 7 }))
  t.match((await s.rows(last))[0], { last_action: 'fire', last_time_source: 'sender', last_sender_at: T0 + 20, last_offset: 7 })
})

t.test('a batch of 100 alerts takes at most five statements', async (t) => {
  const s = await stack(t)
  const counted = async (...inputs: Input[]): Promise<[load: number, save: number]> =>
    transaction(s.pool, async (tx) => {
      let count = 0
      const counting: Tx = {
        query: (...args: Parameters<Tx['query']>) => {
          count += 1
          return tx.query(...args)
        }
      }
      const loaded = await incidentStore.load(counting, inputs)
      const afterLoad = count
      await incidentStore.save(counting, incidentProcessor.fold(loaded, inputs).saved)
      return [afterLoad, count - afterLoad]
    })
  const many = Array.from({ length: 100 }, (_, n) => fire(`k${n}`, 0))
  t.same(await counted(...many), [4, 1], 'a hundred new keys; one asks for the rules, beside two others')
  t.same(await counted(...many), [3, 1], 'repeats need no number')
  t.same(await counted(...many.map((_, n) => resolve(`k${n}`, 5))), [2, 1], 'nor do recoveries')
  t.same(await counted(alertInput({ dedup_key: '' })), [0, 0], 'nothing usable, nothing asked')
})

/** Runs `first` up to its commit, starts `second`, sees it wait, then lets `first` commit. */
async function taking(s: Stack, first: (tx: Tx) => Promise<void>, second: () => Promise<unknown>): Promise<unknown> {
  let waiting: Promise<unknown> = Promise.resolve()
  await transaction(s.pool, async (tx) => {
    await first(tx)
    waiting = second()
    await s.blocked()
  })
  return waiting
}

t.test('two transactions on one key run one after the other, with or without an existing row', async (t) => {
  const s = await stack(t)
  for (const known of [false, true]) {
    const name = freshKey()
    if (known) await s.take(resolve(name, 0))
    const before = (await incidentsOf(s)).length
    await taking(
      s,
      (tx) => foldIn(tx, [fire(name, 10)]),
      () => s.take(fire(name, 20, { severity: 'critical' }))
    )
    const rows = await incidentsOf(s)
    t.equal(rows.length, before + 1, 'the second saw the incident of the first')
    t.match(rows.at(-1), { status: 'ongoing', ver: 2, severity: 'critical' })
  }
})

t.test('a rollback leaves no gap in the incident numbers', async (t) => {
  const s = await stack(t)
  await s.take(fire(freshKey(), 0))
  await t.rejects(
    transaction(s.pool, async (tx) => {
      await foldIn(tx, [fire(freshKey(), 0), fire(freshKey(), 0)])
      throw new Error('the process dies here')
    }),
    /dies here/
  )
  await taking(
    s,
    (tx) => foldIn(tx, [fire(freshKey(), 0)]),
    // Another key of the same workspace: it waits for the counter.
    () => s.take(fire(freshKey(), 0))
  )
  t.same(
    (await incidentsOf(s)).map((row) => row.number),
    [1, 2, 3]
  )
})

t.test('a save of stale rows is rejected and writes nothing', async (t) => {
  const s = await stack(t)
  const name = freshKey()
  await s.take(fire(name, 0))
  const inputs = [resolve(name, 5)]
  const stale = await transaction(s.pool, (tx) => incidentStore.load(tx, inputs))
  await s.take(fire(name, 3, { severity: 'critical' })) // The lock is gone: another write is first.
  const { saved } = incidentProcessor.fold(stale, inputs)
  await t.rejects(
    transaction(s.pool, (tx) => incidentStore.save(tx, saved)),
    { code: '23505', constraint: 'incident_events_pkey' },
    'its version is taken'
  )
  t.match(await incidentsOf(s), [{ status: 'ongoing', ver: 2 }], 'and nothing else of the batch was written')
  t.equal((await s.rows('SELECT 1 FROM incident_events')).length, 2)

  await s.pool.query('UPDATE incidents SET ver = 7')
  await t.rejects(
    transaction(s.pool, (tx) => incidentStore.save(tx, saved)),
    { code: '23505' }
  )
  const { incidents, signals } = saved
  const some = { signals: [], incidents: [], events: [], counters: [], alerts: [], alertEvents: [], holds: [] }
  await t.rejects(
    transaction(s.pool, (tx) => incidentStore.save(tx, { ...some, incidents })),
    { name: 'RowMoved', code: '40001', message: 'updated: 1 rows to write, 0 were as loaded' }
  )
  const gone = signals.map((row) => ({ ...row, dedup_key: 'int:gone' }))
  await t.rejects(
    transaction(s.pool, (tx) => incidentStore.save(tx, { ...some, signals: gone })),
    RowMoved
  )
  await t.rejects(
    transaction(s.pool, (tx) => incidentStore.save(tx, { ...some, signals, counters: [{ tenant_id, last_number: 1 }] })),
    RowMoved,
    'a number is given once'
  )
})

t.test('the unique index rejects a second ongoing incident of a key', async (t) => {
  const s = await stack(t)
  const name = freshKey()
  await s.take(fire(name, 0))
  // Makes the row look as if it had lost its incident.
  await s.pool.query('UPDATE signals SET incident_id = NULL, last_action = NULL')
  await t.rejects(s.take(fire(name, 5)), { code: '23505', constraint: 'incidents_one_ongoing' })
  t.equal((await incidentsOf(s)).length, 1)
  t.equal((await s.rows('SELECT 1 FROM outbox')).length, 3, 'what the refused one would have told is not told')
})

t.test('a command and the fold on one key run one after the other', async (t) => {
  const s = await stack(t)
  const by = `user:${user_id}`
  const close: Command = { command: 'close', by, note: null, user_id }

  const first = freshKey()
  await s.take(fire(first, 0))
  const incident = (await incidentsOf(s)).at(-1)
  // The fold holds the lock on the key: the command waits, and then finds the incident resolved.
  const step = await taking(
    s,
    (tx) => foldIn(tx, [resolve(first, 5)]),
    () => s.obey(incident?.incident_id ?? '', { command: 'acknowledge', by, comment: null })
  )
  t.match(step, { refused: { code: 'INCIDENT_RESOLVED' } })

  const second = freshKey()
  await s.take(fire(second, 0))
  const { number, incident_id } = (await incidentsOf(s)).at(-1) ?? { number: 0, incident_id: '' }
  // The command holds the lock on the key: the fold waits, and then finds the incident closed and
  // the key suppressed.
  let folding: Promise<unknown> = Promise.resolve()
  await s.obey(`INC-${number}`, close, {
    pause: () => {
      folding = s.take(fire(second, 5))
      return s.blocked()
    }
  })
  await folding
  t.match((await incidentsOf(s)).at(-1), { incident_id, status: 'resolved', ver: 2, manually_closed_by: user_id })
  const rows = await s.rows<SignalRow>('SELECT * FROM signals WHERE dedup_key = $1', [key(second)])
  t.match(rows, [{ occurrences: 2, last_at: T0 }])
})

t.test('concurrent batches on the same keys leave no gap and lose nothing', async (t) => {
  const s = await stack(t)
  const names = Array.from({ length: 8 }, () => freshKey())
  const rounds = Array.from({ length: 60 }, (_, round) =>
    names
      .filter((_, n) => (round * 7 + n * 3) % 5 < 3)
      .toSorted((a, b) => ((round + a.length) % 2 === 0 ? a.localeCompare(b) : b.localeCompare(a)))
      .map((name, n) =>
        fire(name, round, { action: (round + n) % 3 === 0 ? 'resolve' : 'fire', tenant_id: n % 4 === 0 ? other_tenant_id : tenant_id })
      )
  )
  // Runs as many at once as there are connections: waiting for a connection fails after five
  // seconds.
  const waiting = [...rounds]
  let deadlocks = 0
  const lane = async (): Promise<void> => {
    for (let inputs = waiting.shift(); inputs; inputs = waiting.shift()) {
      try {
        await s.take(...inputs)
      } catch (error) {
        // A wrong guess can lock counters out of order (opening-guess.ts). As in production, a
        // batch that met a deadlock runs again.
        if ((error as pg.DatabaseError).code !== DEADLOCK) throw error
        deadlocks++
        waiting.unshift(inputs)
      }
    }
  }
  await Promise.all(Array.from({ length: s.pool.options.max }, lane))
  t.ok(deadlocks <= MAX_DEADLOCKS, `${deadlocks} deadlocks`)
  const [{ seen } = { seen: 0 }] = await s.rows<{ seen: number }>('SELECT sum(occurrences)::bigint AS seen FROM signals')
  t.equal(seen, rounds.flat().length)
  for (const tenant of [tenant_id, other_tenant_id]) {
    const rows = await incidentsOf(s, tenant)
    t.ok(rows.length > 0)
    t.same(
      rows.map((row) => row.number),
      rows.map((_, n) => n + 1)
    )
  }
  const broken = await s.rows(`SELECT i.incident_id FROM incidents i
     WHERE i.ver <> (SELECT count(*) FROM incident_events e WHERE e.tenant_id = i.tenant_id AND e.incident_id = i.incident_id)
        OR i.ver <> (SELECT max(e.ver) FROM incident_events e WHERE e.tenant_id = i.tenant_id AND e.incident_id = i.incident_id)`)
  t.same(broken, [], 'ver has no gap')
})

t.test('a recovery under a former key resolves its incident and creates no row', async (t) => {
  const s = await stack(t)
  const former = (name: string, at: number): Input => resolve(name, at, { by_former_key: true })
  await s.take(fire('old', 0))
  await s.take(resolve('new', 10), former('old', 10), resolve('other', 11), former('never', 11))
  t.strictSame(
    (await incidentsOf(s)).map(({ dedup_key, status, resolution_reason }) => [dedup_key, status, resolution_reason]),
    [[key('old'), 'resolved', 'recovered']]
  )
  const known = async () =>
    (await s.rows<{ dedup_key: string }>('SELECT dedup_key FROM signals ORDER BY dedup_key')).map((row) => row.dedup_key)
  t.strictSame(await known(), [key('new'), key('old'), key('other')])

  // Doors of both versions run at once, so the fire may be in the same batch.
  await s.take(former('both', 20), fire('both', 21), former('both', 22))
  t.match((await incidentsOf(s)).at(-1), { dedup_key: key('both'), status: 'resolved' })
  await s.take(former('never', 30))
  t.strictSame(await known(), [key('both'), key('new'), key('old'), key('other')])
})

t.test('for a known workspace, one round trip locks the keys and the counter', async (t) => {
  const s = await stack(t)
  /** The queries that a batch sends before the first answer comes, and those after it. */
  async function asked(...inputs: Input[]): Promise<{ at_once: string[]; later: string[] }> {
    const names: string[] = []
    const at_once: string[] = []
    await transaction(s.pool, async (tx) => {
      const noting: Tx = {
        query: (text, values) => {
          names.push(typeof text === 'string' ? text : String(text.name))
          return tx.query(text, values)
        }
      }
      const loading = incidentStore.load(noting, inputs)
      at_once.push(...names)
      await incidentStore.save(tx, incidentProcessor.fold(await loading, inputs).saved)
    })
    return { at_once, later: names.slice(at_once.length) }
  }
  const first = ['signals-lock', 'signals-load', 'routing-heads']
  const counters = 'incident-numbers-lock'
  // The process already knows the workspaces of the other tests, so this one uses new ones.
  const [one, two] = [uuidv7(), uuidv7()]
  await s.pool.query("INSERT INTO tenants (tenant_id, name, slug) VALUES ($1, 'One', 'one'), ($2, 'Two', 'two')", [one, two])
  const fresh = freshKey()
  t.same(await asked(fire(fresh, 0, { tenant_id: one })), { at_once: first, later: [counters] }, 'nothing is known of it')
  t.same(await asked(fire(freshKey(), 0, { tenant_id: one })), { at_once: [...first, counters], later: [] })
  t.same(await asked(fire(fresh, 10, { tenant_id: one })), { at_once: first, later: [] }, 'a repeat needs no counter')
  t.same(
    await asked(fire(freshKey(), 20, { tenant_id: one }), fire(freshKey(), 20, { tenant_id: two })),
    { at_once: [...first, counters], later: [counters] },
    'of one of two'
  )
  const numbers = async (tenant: string): Promise<number[]> => (await incidentsOf(s, tenant)).map(({ number }) => number)
  t.same([await numbers(one), await numbers(two)], [[1, 2, 3], [1]])
  await asked(resolve(fresh, 30, { tenant_id: one }))
  t.same(await asked(fire(fresh, 40, { tenant_id: one })), { at_once: [...first, counters], later: [] }, 'after its end it may open again')
  // A person resolved the incident; no signal did.
  await s.pool.query("UPDATE incidents SET status = 'resolved' WHERE tenant_id = $1 AND status = 'ongoing'", [one])
  t.same(await asked(fire(fresh, 50, { tenant_id: one })), { at_once: first, later: [counters] }, 'a wrong guess costs a round trip')
  t.same(await numbers(one), [1, 2, 3, 4, 5])
})
