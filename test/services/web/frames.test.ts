/**
 * Tests of frames and what pages show of them: only the row that changed is updated, and at once; a
 * late frame changes nothing; many frames at once cause few requests.
 */
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import t from 'tap'
import type { Incident, Monitor } from '../../../services/web/api/shapes.ts'
import type { Frame } from '../../../services/web/live/frame.ts'
import { createFrames } from '../../../services/web/live/frames.ts'
import { until } from '../../harness/until.ts'

const AT = '2026-11-22T10:00:00.000Z'
const LATER = '2026-11-22T10:00:30.000Z'

const monitor = (id: string): Monitor => ({ id, status: 'up', phase: 'ok', last_checked_at: AT, last_response_time_ms: 20 }) as Monitor
const changed = (monitor_id: string, status: string, checked_at = LATER): Frame => ({
  channel: 'monitors.status',
  type: 'monitor.status_changed',
  data: { monitor_id, status, response_time_ms: 77, checked_at },
  at: checked_at,
  ver: 2
})

interface List {
  items: Monitor[]
}

function stage(t: { teardown(work: () => void): void }) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  t.teardown(() => queries.clear())
  const read: string[] = []
  queries.invalidateQueries = async ({ queryKey } = {}) => void read.push((queryKey ?? []).join('/'))
  queries.setQueryData(['monitors', 'list', {}], { items: [monitor('a'), monitor('b')], total: 2 })
  const list = (): Monitor[] => queries.getQueryData<List>(['monitors', 'list', {}])?.items ?? []
  return { queries, read, list, hear: createFrames(queries) }
}

t.test('a frame updates its row in place, and other rows stay the same objects', async (t) => {
  const { list, hear, read } = stage(t)
  const [first, second] = list()
  hear(changed('b', 'down'))
  await until('the row', () => list()[1]?.status === 'down')
  t.match(list()[1], { phase: 'down', last_response_time_ms: 77, last_checked_at: LATER })
  t.equal(list()[0], first)
  t.not(list()[1], second)
  await until('the monitor is read again', () => read.includes('monitors/one/b'))
})

t.test('a frame about another status replaces the time of the change, and a monitor that goes down loses its old reason', async (t) => {
  const { queries, list, hear } = stage(t)
  const old = { at: AT, region: 'eu-central', reason: 'timeout', message: 'No answer' }
  const before = ['a', 'b', 'c'].map((id) => ({ ...monitor(id), last_status_change_at: AT, last_failure: old }) as Monitor)
  const [first, second, third] = before as [Monitor, Monitor, Monitor]
  queries.setQueryData(['monitors', 'list', {}], { items: [first, { ...second, status: 'down' }, third], total: 3 })
  hear(changed('a', 'down'))
  hear(changed('b', 'up'))
  hear({ ...changed('c', 'up'), type: 'monitor.phase_changed' })
  await until('the rows', () => list()[2]?.last_checked_at === LATER)
  t.match(list()[0], { status: 'down', last_status_change_at: LATER, last_failure: null })
  t.match(list()[1], { status: 'up', last_status_change_at: LATER, last_failure: old })
  t.match(list()[2], { status: 'up', last_status_change_at: AT, last_failure: old }, 'the status did not change')
})

t.test('a frame about a phase change updates the phase of its row', async (t) => {
  const { list, hear, read } = stage(t)
  const { data, ...frame } = changed('b', 'up')
  hear({ ...frame, type: 'monitor.phase_changed', data: { ...data, phase: 'degraded', flapping: false } })
  await until('the row', () => list()[1]?.phase === 'degraded')
  t.match(list()[1], { status: 'up', last_checked_at: LATER })
  await until('the monitor is read again', () => read.includes('monitors/one/b'))
})

t.test('an on-call change reloads only schedules and policies', async (t) => {
  const { hear, read } = stage(t)
  hear({ channel: 'oncall', type: 'oncall.changed', data: { schedule_id: 'a', policy_id: null, change: 'override' }, at: LATER })
  await until('both', () => read.includes('schedules') && read.includes('policies'))
  t.same([...read].sort(), ['policies', 'schedules'], 'and nothing else')
})

t.test('a frame older than the loaded data changes nothing', async (t) => {
  const { list, hear } = stage(t)
  const before = list()
  hear(changed('a', 'down', '2026-11-22T09:59:00.000Z'))
  hear(changed('b', 'down'))
  await until('the other row', () => list()[1]?.status === 'down')
  t.equal(list()[0], before[0])
})

t.test('a frame about a monitor that is not shown leaves the list unchanged', async (t) => {
  const { list, hear, read } = stage(t)
  const before = list()
  hear(changed('z', 'down'))
  await until('it was taken', () => read.includes('monitors/one/z'))
  t.equal(list(), before)
})

t.test('a new incident reloads the lists, itself, its monitor and its heartbeat', async (t) => {
  const { hear, read } = stage(t)
  hear({ channel: 'monitors.status', type: 'incident.created', data: { incident_id: 'i', monitor_id: 'm', heartbeat_id: 'h' } })
  await until('it was taken', () => read.length > 0)
  t.same(read.toSorted(), [
    'alerts',
    'heartbeats/list',
    'heartbeats/one/h',
    'incidents/counts',
    'incidents/list',
    'incidents/one/i',
    'integrations/list',
    'monitors/one/m'
  ])
})

t.test('an incident that already shows the change is not read again, but lists and counts are', async (t) => {
  const { queries, hear, read } = stage(t)
  queries.setQueryData(['incidents', 'one', 'i'], { id: 'i', ver: 3 })
  queries.setQueryData(['incidents', 'one', 'i', 'timeline'], [{ ver: 1 }, { ver: 2 }])
  const frame = (ver: number, type = 'incident.acknowledged', change?: string): Frame => ({
    channel: 'monitors.status',
    type,
    data: { incident_id: 'i', monitor_id: 'm', change },
    ver
  })
  hear(frame(3))
  await until('it was taken', () => read.length > 0)
  t.same(read.toSorted(), ['alerts/list', 'alerts/one', 'incidents/counts', 'incidents/list', 'incidents/one/i/timeline'])
  read.length = 0
  hear(frame(4, 'incident.updated', 'comment'))
  await until('it was taken', () => read.includes('incidents/one/i'))
  t.ok(read.includes('incidents/one/i/timeline') && read.includes('incidents/one/i/comments'), 'a newer one is read')
  t.notOk(read.includes('monitors/one/m'), 'what is behind it has not changed')
})

t.test('many frames at once cause few requests', async (t) => {
  const { hear, read, list } = stage(t)
  const readings = (): number => read.filter((key) => key === 'monitors/one/a').length
  for (let round = 0; round < 40; round++) {
    hear(changed('a', round % 2 === 0 ? 'down' : 'up', new Date(Date.parse(LATER) + round).toISOString()))
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  await until('the last one is shown', () => list()[0]?.last_checked_at === new Date(Date.parse(LATER) + 39).toISOString())
  t.ok(readings() >= 1 && readings() < 8, `${readings()} for 40 frames`)
})

/** A list whose answers come when the test says so. */
function slowStage(t: { teardown(work: () => void): void }, queryKey: readonly unknown[]) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  const begun: { aborted: () => boolean; answer(data: unknown): void }[] = []
  const stop = new QueryObserver(queries, {
    queryKey,
    queryFn: ({ signal }) => new Promise<unknown>((answer) => begun.push({ aborted: () => signal.aborted, answer }))
  }).subscribe(() => undefined)
  t.teardown(() => {
    stop()
    queries.clear()
  })
  return { queries, begun, hear: createFrames(queries), shown: () => queries.getQueryData(queryKey) }
}

t.test('a slow reading is not broken off while frames keep coming, and its list is read again afterwards', async (t) => {
  const { queries, begun, hear, shown } = slowStage(t, ['incidents', 'list', {}])
  begun[0]?.answer({ items: [] })
  await until('the first answer', shown)
  const frame = (): void =>
    hear({ channel: 'monitors.status', type: 'incident.updated', data: { incident_id: 'i', monitor_id: 'm', change: 'alerts_changed' } })
  frame()
  await until('a reading', () => begun.length === 2)
  // Another query shows that the frames below are read, in two rounds.
  let others = 0
  const other = new QueryObserver(queries, { queryKey: ['incidents', 'counts'], queryFn: () => ++others }).subscribe(() => undefined)
  t.teardown(other)
  for (let round = 1; round <= 2; round++) {
    const before = others
    await until('another reading after the frames', () => {
      frame()
      return others > before
    })
  }
  t.equal(begun.length, 2, 'the list is not asked for twice at a time')
  t.equal(begun[1]?.aborted(), false)
  begun[1]?.answer({ items: ['slow'] })
  await until('the slow answer is shown', () => (shown() as { items: unknown[] }).items.length === 1)
  await until('the list is read again', () => begun.length === 3)
})

t.test('an answer that is older than a frame does not stay', async (t) => {
  const { queries, begun, hear, shown } = slowStage(t, ['monitors', 'list', {}])
  const status = (): string | undefined => (shown() as List | undefined)?.items[0]?.status
  const up = { items: [monitor('a')], total: 1 }
  const down = { items: [{ ...monitor('a'), status: 'down', phase: 'down', last_checked_at: LATER }], total: 1 }
  // At the first load the frame finds no row to change.
  hear(changed('a', 'down'))
  const read = async (count: number): Promise<void> => void (await until(`reading ${count}`, () => begun.length === count))
  const other = ['monitors', 'list', { team: 'x' }]
  queries.setQueryData(other, up)
  await until('the frame is taken', () => queries.getQueryData<List>(other)?.items[0]?.status === 'down')
  begun[0]?.answer(up)
  await until('the older answer', () => status() === 'up')
  await read(2)
  begun[1]?.answer(down)
  await until('the row', () => status() === 'down')

  // Later it changes the row, and the answer under way changes it back.
  const again = queries.refetchQueries()
  await read(3)
  hear(changed('a', 'up', '2026-11-22T10:01:00.000Z'))
  await until('the frame', () => status() === 'up')
  begun[2]?.answer(down)
  await until('the older answer', () => status() === 'down')
  await read(4)
  begun[3]?.answer(up)
  await again
  await until('the row', () => status() === 'up')
})

/** Two lists of incidents, and one incident that is open by its key. */
function incidentStage(t: { teardown(work: () => void): void }, role: string) {
  const { queries, hear, read } = stage(t)
  const incident = (id: string): Incident => ({ id, key: `INC-${id}` }) as Incident
  queries.setQueryData(['session'], { role })
  queries.setQueryData(['incidents', 'list', { status: ['ongoing'] }], { items: [incident('a'), incident('b')], total: 7 })
  queries.setQueryData(['incidents', 'list', { dashboard_state: ['Acknowledged'], per_page: 1 }], { items: [incident('b')], total: 3 })
  queries.setQueryData(['incidents', 'one', 'INC-a'], incident('a'))
  queries.setQueryData(['incidents', 'one', 'a', 'timeline'], [{ id: 'change' }])
  queries.setQueryData(['incidents', 'one', 'b'], incident('b'))
  const shown = () => ({
    list: queries.getQueryData(['incidents', 'list', { status: ['ongoing'] }]),
    other: queries.getQueryData(['incidents', 'list', { dashboard_state: ['Acknowledged'], per_page: 1 }]),
    byKey: queries.getQueryData(['incidents', 'one', 'INC-a']),
    timeline: queries.getQueryData(['incidents', 'one', 'a', 'timeline']),
    another: queries.getQueryData(['incidents', 'one', 'b'])
  })
  const remove = (): void => hear({ channel: 'monitors.status', type: 'incident.removed', data: { incident_id: 'a', monitor_id: 'm' } })
  return { shown, remove, read }
}

t.test('a removed incident leaves lists, counts and its own page at once', async (t) => {
  const { shown, remove, read } = incidentStage(t, 'responder')
  remove()
  await until('it was taken', () => shown().byKey === undefined)
  t.match(shown().list, { items: [{ id: 'b' }], total: 6 })
  t.match(shown().other, { items: [{ id: 'b' }], total: 3 }, 'a list without it stays')
  t.equal(shown().timeline, undefined)
  t.match(shown().another, { id: 'b' })
  await until('they are read again', () => read.includes('incidents/list'))
  t.ok(['monitors/list', 'monitors/one/m', 'teams', 'feed'].every((key) => read.includes(key)))
})

t.test('an owner, who sees all teams, keeps a removed incident, which is only read again', async (t) => {
  const { shown, remove, read } = incidentStage(t, 'owner')
  remove()
  await until('it was read again', () => read.includes('incidents/one/a'))
  t.match(shown(), { list: { total: 7 }, byKey: { id: 'a' } })
})
