/**
 * Tests dependencies: what is known of a parent, whether it holds its children's incidents, and
 * until when.
 */
import t from 'tap'
import { uuidv5 } from '../../../schemas/uuid.ts'
import {
  type Held,
  heldAt,
  holdingState,
  LOOK_AGAIN_MS,
  letsGo,
  lookAgainAt,
  MAX_HELD_MS,
  type Parent,
  type Wait,
  type Watched,
  waitOf,
  watchedAfter
} from '../../../streams/incident/dependencies.ts'
import { nameOf } from '../../../streams/incident/fold.ts'
import { holdsOf, noFacts } from '../../../streams/incident/holds.ts'
import { replayIncident } from '../../../streams/incident/replay.ts'
import { monitor_id as child, id, monitorInput, monitorTransition, pending, T0, tenant_id, world } from './build.ts'

const SECOND = 1000
const router = id('router')
const dns = id('dns')

const watched = (status: Watched['status'], phase: Watched['phase'], over: Partial<Watched> = {}): Watched => ({
  status,
  phase,
  ver: 3,
  down_until: null,
  ...over
})
const down = watched('down', 'down')
const ok = watched('up', 'ok')
const validating = watched('up', 'validating')

t.test('the parent states that hold the incidents of its children', (t) => {
  const rows: [Watched['status'], Watched['phase'], ReturnType<typeof holdingState>][] = [
    ['down', 'down', 'down'],
    ['down', 'no_data', 'down'],
    ['down', 'flapping', 'down'],
    ['up', 'validating', 'validating'],
    ['up', 'maintenance', 'maintenance'],
    ['up', 'ok', null],
    ['up', 'degraded', null],
    ['up', 'unconfirmed', null],
    ['paused', 'paused', null]
  ]
  for (const [status, phase, state] of rows) t.equal(holdingState(watched(status, phase)), state, `${status}, ${phase}`)
  t.end()
})

t.test('a transition updates what is known of a parent, and an older one does not', (t) => {
  const after = (before: Watched | null, status: Watched['status'], phase: Watched['phase'], ver = 4) =>
    watchedAfter(before, monitorTransition({ status, phase, ver }), T0)
  t.same(after(null, 'down', 'down'), { status: 'down', phase: 'down', ver: 4, down_until: null })
  t.same(after(down, 'up', 'ok'), { status: 'up', phase: 'ok', ver: 4, down_until: T0 }, 'it is down no more')
  t.same(after(down, 'paused', 'paused'), { status: 'paused', phase: 'paused', ver: 4, down_until: T0 })
  t.same(after({ ...ok, down_until: T0 - 1 }, 'up', 'validating'), { status: 'up', phase: 'validating', ver: 4, down_until: T0 - 1 })
  t.equal(after(down, 'up', 'ok', 3), down, 'an older change says nothing')
  t.end()
})

t.test('how long a child is held for each state of its parents', (t) => {
  const waiting = { began_at: T0, wait_seconds: 60, bound_at: T0 + MAX_HELD_MS }
  const at = T0 + 10 * SECOND
  const held = (monitor_id: string, state: Held['state'], until: number): Held => ({ monitor_id, state, ver: 3, until })
  const parent = (monitor_id: string, known: Watched | null, ...maintenance: [number, number][]): Parent => ({
    monitor_id,
    watched: known,
    maintenance
  })
  const rows: [string, Parent[], Held | null][] = [
    ['nothing is known of the parent', [parent(router, null)], null],
    ['it is well', [parent(router, ok)], null],
    ['it is down', [parent(router, down)], held(router, 'down', waiting.bound_at)],
    ['it is in maintenance', [parent(router, watched('up', 'maintenance'))], held(router, 'maintenance', waiting.bound_at)],
    ['a window covers it', [parent(router, ok, [T0, T0 + 90 * SECOND])], held(router, 'maintenance', T0 + 90 * SECOND)],
    [
      'it is paused by a window',
      [parent(router, watched('paused', 'paused'), [T0, T0 + SECOND * 50])],
      held(router, 'maintenance', T0 + 50 * SECOND)
    ],
    ['the window has settled', [parent(router, ok, [T0 - 90 * SECOND, at])], null],
    ['it is down within a window', [parent(router, down, [T0, T0 + 90 * SECOND])], held(router, 'down', waiting.bound_at)],
    ['it is judged', [parent(router, validating)], held(router, 'validating', T0 + 60 * SECOND)],
    [
      'it was down, and the child recovers behind it',
      [parent(router, { ...ok, down_until: T0 + SECOND })],
      held(router, 'down', T0 + 61 * SECOND)
    ],
    [
      'it was down, and some regions judge it still',
      [parent(router, { ...validating, down_until: at })],
      held(router, 'down', at + 60 * SECOND)
    ],
    [
      'it was down before the child began to fail, and is judged anew',
      [parent(router, { ...validating, down_until: T0 - SECOND })],
      held(router, 'validating', T0 + 60 * SECOND)
    ],
    ['it was down before the child began to fail', [parent(router, { ...ok, down_until: T0 - SECOND })], null],
    ['it was down too long ago', [parent(router, { ...ok, down_until: at - 60 * SECOND })], null],
    ['one of two is down', [parent(dns, ok), parent(router, down)], held(router, 'down', waiting.bound_at)],
    ['the one that holds longest counts', [parent(dns, validating), parent(router, down)], held(router, 'down', waiting.bound_at)]
  ]
  for (const [what, parents, expected] of rows) t.same(heldAt(parents, waiting, at), expected, what)
  t.equal(heldAt([parent(router, validating)], waiting, T0 + 60 * SECOND), null, 'the verdict did not come in time')
  t.equal(heldAt([parent(router, down)], waiting, waiting.bound_at), null, 'nothing is held for ever')
  t.equal(lookAgainAt({ until: T0 + SECOND }, T0), T0 + SECOND)
  t.equal(lookAgainAt({ until: waiting.bound_at }, T0), T0 + LOOK_AGAIN_MS)
  t.same(waitOf([parent(router, down)], { wait_seconds: 60 }, T0), {
    monitor_id: router,
    state: 'down',
    ver: 3,
    wait_seconds: 60,
    until: T0 + MAX_HELD_MS,
    bound_at: T0 + MAX_HELD_MS
  } satisfies Wait)
  t.equal(waitOf([parent(router, validating)], { wait_seconds: 0 }, T0), null, 'without a wait no verdict is waited for')
  t.end()
})

t.test('the parent transitions that release children or shorten their wait', (t) => {
  const maintained = watched('up', 'maintenance')
  const rows: [Watched | null, Watched, boolean][] = [
    [null, ok, false],
    [ok, down, false],
    [validating, down, false],
    [down, validating, true],
    [down, ok, true],
    [down, maintained, false],
    [maintained, ok, true],
    [validating, ok, true],
    [validating, { ...validating, ver: 4 }, false],
    [ok, validating, false]
  ]
  for (const [before, after, is] of rows) t.equal(letsGo(before, after), is, `${before?.phase} to ${after.phase}`)
  t.end()
})

/** A status change of the router, `seconds` after T0. */
const router_is = (status: 'up' | 'down', phase: Watched['phase'], ver: number, seconds: number, offset: number) =>
  monitorInput(
    {
      event_id: id(`router ${ver}`),
      monitor_id: router,
      name: 'Router',
      status,
      phase,
      ver,
      previous_status: status === 'down' || phase === 'validating' ? 'up' : 'down',
      previous_phase: phase === 'validating' ? 'ok' : 'validating',
      at: T0 + seconds * SECOND
    },
    { offset }
  )
const child_down = (seconds: number, offset: number) =>
  monitorInput(
    { status: 'down', previous_status: 'up', phase: 'down', previous_phase: 'validating', at: T0 + seconds * SECOND },
    { offset }
  )

function depending() {
  const w = world()
  w.depends.set(nameOf({ tenant_id, dedup_key: `mon:${child}` }), { parent_ids: [router], wait_seconds: 60, maintenance: new Map() })
  w.parents.add(nameOf({ tenant_id, dedup_key: `mon:${router}` }))
  return w
}

t.test('the fold holds a child while its parent is down and records the wait in the event', (t) => {
  for (const together of [true, false]) {
    const w = depending()
    const first = [router_is('down', 'down', 3, 0, 0)]
    const second = [child_down(5, 1)]
    if (together) w.take([...first, ...second])
    else {
      w.take(first)
      w.take(second)
    }
    const [parent] = w.of(`mon:${router}`)
    const [incident] = w.of(`mon:${child}`)
    t.match([parent?.status, incident?.status], ['ongoing', 'ongoing'])
    const wait = {
      monitor_id: router,
      state: 'down' as const,
      ver: 3,
      wait_seconds: 60,
      until: T0 + 5 * SECOND + MAX_HELD_MS,
      bound_at: T0 + 5 * SECOND + MAX_HELD_MS
    }
    t.same(w.holds, [{ tenant_id, incident_id: incident?.incident_id, began_at: T0 + 5 * SECOND, wait }])
    const created = w.events.find(({ incident_id }) => incident_id === incident?.incident_id)
    t.same(JSON.parse(created?.cause.input ?? '').waits, wait)
    t.notOk(w.events[0]?.cause.input?.includes('waits'), 'the parent waits for nobody')
    t.match(
      pending(w.jobs).filter(({ start }) => start === 'dependency_end'),
      [{ run_at: T0 + 5 * SECOND + LOOK_AGAIN_MS, payload: { incident_id: incident?.incident_id } }]
    )
    const events = w.events.filter(({ incident_id }) => incident_id === incident?.incident_id)
    t.same(replayIncident(events, incident?.number ?? 0, uuidv5), { events, fault: null }, 'it follows once more from its causes')
    const keptFor = new Map([
      [incident?.incident_id ?? '', [{ kind: 'dependency' as const, id: router, until: null, bound_at: wait.bound_at }]]
    ])
    if (!incident) throw new Error('no incident')
    t.same(holdsOf(incident, { ...noFacts, keptFor }, T0), [{ kind: 'dependency', id: router, until: null }])
    t.same(holdsOf(incident, { ...noFacts, keptFor }, wait.bound_at), [])
    const group = { ongoing_alerts: 1, dedup_key: `grp:g/${incident.incident_id}` }
    t.same(holdsOf({ ...incident, ...group }, { ...noFacts, keptFor }, T0), [], 'a group is held by none')
    t.equal(holdsOf({ ...incident, ongoing_alerts: 1 }, { ...noFacts, keptFor }, T0).length, 1, 'an alert that was promoted is')
  }
  t.end()
})

t.test('a validating parent without an incident is remembered, and its verdict ends the wait', (t) => {
  const w = depending()
  w.take([router_is('up', 'validating', 2, 0, 0)])
  t.same(w.of(`mon:${router}`), [])
  t.match(w.signals.get(nameOf({ tenant_id, dedup_key: `mon:${router}` }))?.facts, { watched: { phase: 'validating', ver: 2 } })
  w.take([child_down(5, 1)])
  t.match(w.holds, [{ wait: { state: 'validating', ver: 2 } }])
  t.match(
    pending(w.jobs).filter(({ start }) => start === 'dependency_end'),
    [{ run_at: T0 + 65 * SECOND }],
    'its own wait'
  )
  w.take([
    monitorInput(
      {
        event_id: id('well'),
        monitor_id: router,
        status: 'up',
        phase: 'ok',
        previous_status: 'up',
        previous_phase: 'validating',
        ver: 3,
        at: T0 + 9 * SECOND
      },
      { offset: 2 }
    )
  ])
  t.match(
    pending(w.jobs).filter(({ idem_key }) => idem_key === `dependency_end:${router}:3`),
    [{ run_at: T0 + 9 * SECOND, payload: { monitor_id: router } }]
  )
  t.end()
})

t.test('records of a clock that is ahead do not prolong the wait for a parent', (t) => {
  const w = depending()
  w.now = T0
  w.take([router_is('down', 'down', 3, 300, 0), child_down(300, 1)])
  t.match(w.holds, [{ began_at: T0, wait: { bound_at: T0 + MAX_HELD_MS } }])
  w.take([router_is('up', 'ok', 4, 301, 2)])
  t.match(w.signals.get(nameOf({ tenant_id, dedup_key: `mon:${router}` }))?.facts, { watched: { ver: 4, down_until: T0 } })
  t.end()
})

t.test('monitors without dependencies remember nothing and wait for nothing', (t) => {
  const w = world()
  w.take([router_is('up', 'validating', 2, 0, 0), router_is('down', 'down', 3, 1, 1), child_down(5, 2)])
  t.same(w.holds, [])
  t.same(
    [...w.signals.values()].map(({ facts }) => facts),
    [null, null]
  )
  t.notOk(w.events.some(({ cause }) => cause.input?.includes('waits')))
  t.same(pending(w.jobs), [])
  t.end()
})
