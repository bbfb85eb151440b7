/**
 * Tests holds that end, on a real Postgres: a storm, silences by a pattern, flapping. Each case
 * says which incidents nothing holds any more.
 */
import t from 'tap'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import type { Condition } from '../../../schemas/http/routing-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { perform } from '../../../services/notifier/perform.ts'
import { type LeasedJob, leaseJobs } from '../../../services/store/jobs.ts'
import { type Tx, tenantTransaction } from '../../../services/store/pool.ts'
import { type HoldEnd, holdsChanged, RELEASE_PAGE } from '../../../services/store/releases.ts'
import { changeSilenceEnd, endSilence, startSilenceEnd } from '../../../services/store/silence-ends.ts'
import { expireSilence, insertSilence, readSilence, updateSilence } from '../../../services/store/silences.ts'
import { endStorm } from '../../../services/store/storms.ts'
import { alertInput, id, integration_id, monitor_id, monitorInput, T0, tenant_id } from './build.ts'
import { codec, type Stack, stack } from './stack.ts'

const MINUTE = 60_000
const NOW = Date.now()

let offset = 0
const fire = (name: string, over: Partial<InboundAlert> = {}) => {
  const dedup_key = `int:${integration_id}:${name}`
  const at = over.received_at ?? NOW
  return alertInput({ event_id: id(`fire ${name} ${at}`), dedup_key, occurred_at: at, received_at: at, ...over }, { offset: offset++ })
}

const inTenant = <T>(s: Stack, work: (tx: Tx) => Promise<T>): Promise<T> => tenantTransaction(s.pool, wholeWorkspace(tenant_id), work)
const end = (at: number): HoldEnd => ({ at, kind: 'job', src: 'job:one', request_id: null })

interface Row {
  incident_id: string
  ver: number
  number: number
  storm_until: number | null
  status: string
}
const incidents = (s: Stack): Promise<Row[]> =>
  s.rows<Row>('SELECT incident_id, ver, number, storm_until, status FROM incidents WHERE tenant_id = $1 ORDER BY number', [tenant_id])
const numbers = async (s: Stack, some: readonly { incident_id: string }[]): Promise<number[]> => {
  const all = await incidents(s)
  return some.map((one) => all.find(({ incident_id }) => incident_id === one.incident_id)?.number ?? 0).sort((a, b) => a - b)
}
const jobs = (s: Stack): Promise<{ kind: string; run_at: number; payload: object }[]> =>
  s.rows("SELECT kind, run_at, payload FROM jobs WHERE kind <> 'incident_notify' ORDER BY run_at, kind")

/** Runs the jobs that are due, as the worker does. It does not check who is notified. */
async function runDue(s: Stack): Promise<LeasedJob[]> {
  const due = await leaseJobs(s.pool, {
    kinds: Object.keys(runs).filter((kind) => kind !== 'incident_notify'),
    most: 100,
    perTenant: 100,
    held: new Map(),
    leaseMs: MINUTE
  })
  for (const job of due) {
    await perform({ pool: s.pool, codec, runs }, job, () => false)
  }
  return due
}

t.test('a storm holds the incidents above the threshold, and its end releases them page by page', async (t) => {
  const s = await stack(t)
  const before = NOW - 2 * MINUTE
  const most = RELEASE_PAGE + 40
  await s.take(...Array.from({ length: most }, (_, n) => fire(`a${n}`, { received_at: before + n })))
  const until = before + 30 + MINUTE
  const all = await incidents(s)
  t.equal(all.filter(({ storm_until }) => storm_until === null).length, 30, 'the threshold that a workspace has at first')
  t.equal(all.filter(({ storm_until }) => storm_until === until).length, most - 30)
  t.match(await s.rows('SELECT last_number, storm_until FROM incident_numbers WHERE tenant_id = $1', [tenant_id]), [
    { last_number: most, storm_until: until }
  ])
  t.same(await jobs(s), [{ kind: 'storm_end', run_at: until, payload: { until } }])

  await s.take(fire('a31', { received_at: before + MINUTE, action: 'resolve' }), fire('late', { received_at: before + 70_000 }))
  t.match((await incidents(s)).at(-1), { storm_until: null }, 'a minute later nothing is counted any more')

  const { released, more } = await inTenant(s, (tx) => endStorm(tx, codec, tenant_id, until, { ...end(NOW), by: 'system:storm_end' }))
  t.equal(released.length, RELEASE_PAGE)
  t.ok(more)
  await runDue(s)
  const after = await incidents(s)
  t.same(
    after.filter(({ storm_until }) => storm_until !== null).map(({ status }) => status),
    ['resolved'],
    'what ended keeps the mark'
  )
  t.equal(after.filter(({ ver, status }) => ver === 2 && status === 'ongoing').length, most - 31)
  const told = await s.rows("SELECT count(*) FROM incident_events WHERE change = 'storm_ended' AND cause ->> 'kind' = 'job'")
  t.match(told, [{ count: most - 31 }])
  t.same(await jobs(s), [])
})

t.test('releasing a page takes the same number of statements for any number of incidents', async (t) => {
  const s = await stack(t)
  await s.rows('UPDATE tenants SET storm_threshold = 1')
  const counts: number[] = []
  for (const [nth, most] of [3, RELEASE_PAGE].entries()) {
    const began = NOW - 30 * MINUTE + nth * 10 * MINUTE
    await s.take(...Array.from({ length: most + 1 }, (_, n) => fire(`of ${nth} ${n}`, { received_at: began })))
    let sent = 0
    // Counted at the connection, because a part of the transaction has a Tx of its own.
    s.pool.once('acquire', (client) => {
      const { query } = client
      client.query = ((...asked: unknown[]) => {
        sent += 1
        return (query as (...asked: unknown[]) => unknown).apply(client, asked)
      }) as typeof query
      s.pool.once('release', () => {
        client.query = query
      })
    })
    await inTenant(s, async (tx) => {
      const { released } = await endStorm(tx, codec, tenant_id, began + MINUTE, { ...end(NOW), by: 'system:storm_end' })
      t.equal(released.length, most)
    })
    counts.push(sent)
  }
  t.equal(counts[1], counts[0])
  t.ok((counts[0] ?? 0) > 5)
})

t.test('a release job with more than a page of incidents starts the next job', async (t) => {
  const s = await stack(t)
  await s.rows('UPDATE tenants SET storm_threshold = 1')
  await s.take(...Array.from({ length: RELEASE_PAGE + 3 }, (_, n) => fire(`a${n}`, { received_at: NOW - 2 * MINUTE })))
  t.equal((await runDue(s)).length, 1)
  t.equal((await incidents(s)).filter(({ storm_until }) => storm_until !== null).length, 2)
  t.equal((await runDue(s)).length, 1)
  t.equal((await incidents(s)).filter(({ storm_until }) => storm_until !== null).length, 0)
  t.same(await runDue(s), [])
})

const title = (value: string): Condition[] => [{ field: 'title', op: 'contains', value }]
const settings = (matchers: Condition[], over: object = {}) => ({
  matchers,
  comment: 'Disks are replaced',
  starts_at: NOW - MINUTE,
  ends_at: NOW + MINUTE,
  ...over
})

t.test('the end of a silence releases the incidents that nothing else holds', async (t) => {
  const s = await stack(t)
  await s.take(
    fire('a', { title: 'Disk full' }),
    fire('b', { title: 'Disk slow' }),
    fire('c', { title: 'Room' }),
    fire('d', { title: 'Disk' })
  )
  const [one, two, , four] = await incidents(s)
  await s.obey(four?.incident_id ?? '', { command: 'silence', by: 'user:x', until: Date.now() + MINUTE, reason: null })
  const silence_id = id('silence')
  const own = { team_ids: [], created_by: 'user:x' }
  await inTenant(s, async (tx) => {
    await insertSilence(tx, tenant_id, silence_id, settings(title('Disk')), own)
    await startSilenceEnd(tx, { tenant_id, silence_id }, settings(title('Disk')))
    await insertSilence(tx, tenant_id, id('other'), settings(title('slow')), own)
  })
  const asked = { matchers: title('Disk'), after: null }
  const ids = (await incidents(s)).map(({ incident_id }) => incident_id)
  t.same(await numbers(s, await inTenant(s, (tx) => holdsChanged(tx, codec, tenant_id, ids, end(NOW)))), [3], 'the others are held')
  t.same(await inTenant(s, (tx) => endSilence(tx, codec, tenant_id, asked, end(NOW))), { released: [], after: null }, 'it is not over')
  const over = await inTenant(s, (tx) => endSilence(tx, codec, tenant_id, asked, end(NOW + MINUTE)))
  t.same(await numbers(s, over.released), [1, 2], 'over, and the other one with it')

  await inTenant(s, async (tx) => {
    const before = await readSilence(tx, tenant_id, silence_id)
    if (!before) throw new Error('no silence')
    await expireSilence(tx, tenant_id, silence_id, NOW)
    await changeSilenceEnd(tx, before, null, NOW)
  })
  t.match(await jobs(s), [{ kind: 'pattern_silence_end', run_at: NOW, payload: { silence_id, after: null } }, { kind: 'silence_end' }])
  const early = await inTenant(s, (tx) => endSilence(tx, codec, tenant_id, asked, end(NOW)))
  t.same(
    early.released.map(({ incident_id }) => incident_id),
    [one?.incident_id],
    'the other silence still holds the second'
  )
  t.ok(two)
  t.match(await runDue(s), [{ kind: 'pattern_silence_end' }])
  t.match(await jobs(s), [{ kind: 'silence_end' }])
})

t.test('changing a silence moves its timer and rechecks the incidents that it held before', async (t) => {
  const s = await stack(t)
  const silence_id = id('silence')
  const first = settings(title('Disk'))
  await inTenant(s, async (tx) => {
    await insertSilence(tx, tenant_id, silence_id, first, { team_ids: [], created_by: 'user:x' })
    await startSilenceEnd(tx, { tenant_id, silence_id }, first)
  })
  const change = (after: typeof first) =>
    inTenant(s, async (tx) => {
      const before = await readSilence(tx, tenant_id, silence_id)
      if (!before) throw new Error('no silence')
      await updateSilence(tx, tenant_id, silence_id, after, [])
      await changeSilenceEnd(tx, before, after, NOW)
    })
  const times = async () => (await jobs(s)).map(({ run_at }) => run_at - NOW)
  t.same(await times(), [MINUTE])
  await change({ ...first, ends_at: NOW + 2 * MINUTE })
  t.same(await times(), [2 * MINUTE], 'another end')
  await change({ ...first, comment: 'Still', ends_at: NOW + 2 * MINUTE })
  t.same(await times(), [2 * MINUTE], 'another comment')
  await change({ ...first, matchers: title('Room'), ends_at: NOW + 2 * MINUTE })
  t.same(await times(), [0, 2 * MINUTE], 'other matchers: what the former held is looked at')
  t.match(await jobs(s), [{ payload: { matchers: title('Disk') } }, { payload: { matchers: title('Room') } }])
  await change({ ...first, matchers: title('Room'), starts_at: NOW + 1, ends_at: NOW + 2 * MINUTE })
  t.same(await times(), [0, 0, 2 * MINUTE], 'it begins later')
  await change({ ...first, matchers: title('Door'), starts_at: NOW + 1, ends_at: NOW + 3 * MINUTE })
  t.same(await times(), [0, 0, 3 * MINUTE], 'what has not begun held nothing')
})

t.test('the end of a silence releases more than one page of incidents', async (t) => {
  const s = await stack(t)
  await s.take(...Array.from({ length: RELEASE_PAGE + 2 }, (_, n) => fire(`a${n}`, { title: 'Disk', received_at: T0 + n * MINUTE })))
  const matchers = title('Disk')
  const page = await inTenant(s, (tx) => endSilence(tx, codec, tenant_id, { matchers, after: null }, end(NOW)))
  t.equal(page.released.length, RELEASE_PAGE)
  const rest = await inTenant(s, (tx) => endSilence(tx, codec, tenant_id, { matchers, after: page.after }, end(NOW)))
  t.equal(rest.released.length, 2)
  t.equal(rest.after, null)
  await inTenant(s, (tx) => startSilenceEnd(tx, { tenant_id, silence_id: id('silence') }, settings(matchers, { ends_at: NOW - 1 })))
  t.equal((await runDue(s)).length, 1)
  t.match(await jobs(s), [{ kind: 'pattern_silence_end', payload: { after: page.after } }])
  t.equal((await runDue(s)).length, 1)
  t.same(await jobs(s), [])
})

t.test('a merge that raises the severity releases an incident that its silence no longer covers', async (t) => {
  const s = await stack(t)
  const warnings = settings([{ field: 'severity', op: 'eq', value: 'warning' }])
  await inTenant(s, (tx) => insertSilence(tx, tenant_id, id('silence'), warnings, { team_ids: [], created_by: 'user:x' }))
  await s.take(fire('a', { severity: 'warning' }), fire('b', { severity: 'critical' }))
  const [target] = await incidents(s)
  t.equal(await s.merge('INC-2', 'INC-1'), null)
  const told = () => s.rows('SELECT FROM jobs WHERE idem_key LIKE $1', [`notify:${target?.incident_id}:2%`])
  t.equal((await told()).length, 0, 'a merge alone tells nobody')
  t.match(await runDue(s), [{ kind: 'hold_end' }])
  t.equal((await told()).length, 1)
})

t.test('the end of flapping starts a job that checks the holds of the incident', async (t) => {
  const s = await stack(t)
  const at = (ver: number, over: object) =>
    monitorInput({ event_id: id(`monitor ${ver}`), ver, at: NOW + ver, ...over }, { offset: offset++ })
  await s.take(at(2, { flapping: true }))
  t.match(await s.rows('SELECT flapping FROM incidents'), [{ flapping: true }])
  const [row] = await incidents(s)
  const look = () => inTenant(s, (tx) => holdsChanged(tx, codec, tenant_id, [row?.incident_id ?? ''], end(NOW)))
  t.same(await look(), [])
  await s.take(at(3, { previous_status: 'down', status: 'down', previous_phase: 'down', phase: 'down' }))
  t.match(await s.rows('SELECT flapping, ver FROM incidents WHERE monitor_id = $1', [monitor_id]), [{ flapping: false, ver: 2 }])
  t.match(await look(), [{ incident_id: row?.incident_id }])
  t.match(await runDue(s), [{ kind: 'hold_end' }])
})

t.test('a source that changes what a silence matches starts a job that checks the holds of the incident', async (t) => {
  const s = await stack(t)
  const words = (over: Partial<InboundAlert>) => fire('a', { severity: 'warning', ...over })
  await s.take(words({ title: 'Disk' }))
  t.same(await jobs(s), [])
  const cases: Partial<InboundAlert>[] = [
    { received_at: NOW + 1, action: 'update', title: 'Room' },
    { received_at: NOW + 2, action: 'update', title: '', description: 'It is on fire' },
    { received_at: NOW + 3, severity: 'critical' }
  ]
  for (const over of cases) {
    await s.take(words(over))
    t.match(await runDue(s), [{ kind: 'hold_end' }], JSON.stringify(over))
  }
  await s.take(words({ received_at: NOW + 4, action: 'update', title: '', description: 'It is on fire' }))
  t.same(await runDue(s), [], 'not when nothing changed')
})
