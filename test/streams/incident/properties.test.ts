/**
 * Properties that hold however alerts repeat, arrive and mix with commands. Each property says how
 * far it goes:
 *
 * - Batches: however a log is cut into batches, everything is equal: rows, events to the byte of
 *   their JSON, numbers, frames.
 * - Repeats: with signals of a key at distinct positions (by sequence and time together, either
 *   always with a sequence or never), repeats anywhere later in the log leave status, severity and
 *   number of incidents as they were.
 * - Order: of such signals, in any order of arrival, the newest decides whether the key is ongoing.
 *   How many incidents there were on the way, and their versions, may differ: an alert whose
 *   recovery came first never opens one.
 * - Late: in any state, a signal that is older than the last applied one of its key, or equal to
 *   it, makes no event.
 * - Commands: a command and a signal end in the same status in either order, except in three
 *   cases in which the order matters: a later occurrence after a person ended the incident reopens
 *   it, and so do an alert that is worse than what the person ended, and any later alert when the
 *   person did not want to wait for the recovery. All three are shown.
 * - Always, in any mix: a key has at most one ongoing incident; ver has no gaps; numbers have no
 *   gaps; severity is never lowered; an incident has one created event and at most one ending
 *   event; each event has its frame.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { frameOf } from '../../../streams/incident/frame.ts'
import { type Command, endsIncident, reduceIncident } from '../../../streams/incident/rules.ts'
import { judge, readSignal, rowAfter } from '../../../streams/incident/signals.ts'
import {
  alert,
  alertInput,
  context,
  dedup_key,
  fold,
  frozen,
  id,
  integration_id,
  row,
  T0,
  tenant_id,
  user_id,
  type World,
  world
} from './build.ts'

/** Throws, with the smallest example, when the property does not hold. */
function holds<T>(t: Test, property: fc.IProperty<T>, numRuns = 300): void {
  fc.assert(property, { numRuns })
  t.pass(`${numRuns} runs`)
}
const keys = ['a', 'b', 'c'].map((name) => `int:${integration_id}:${name}`)
const severity = fc.constantFrom('critical', 'warning', 'info')

interface Point {
  action: 'fire' | 'resolve'
  severity: InboundAlert['severity']
  /** True when this signal begins a later occurrence. */
  next: boolean
}
const point: fc.Arbitrary<Point> = fc.record({ action: fc.constantFrom('fire', 'resolve'), severity, next: fc.boolean() })

/** Signals of one key at distinct positions, oldest first; with sequences or without. */
const history = (key: string): fc.Arbitrary<Input[]> =>
  fc.record({ points: fc.array(point, { minLength: 1, maxLength: 8 }), sequenced: fc.boolean() }).map(({ points, sequenced }) => {
    let sequence = 1
    let last: Point | undefined
    return points.flatMap((one, n) => {
      // Each action comes once in an occurrence: a second one would be a repeat and not a position
      // of its own.
      const again = last?.action === one.action || points.slice(0, n).some((earlier) => earlier.action === one.action)
      if (one.next || again) sequence += 1
      last = one
      const occurred_at = T0 + n * 1000
      const over = {
        action: one.action,
        severity: one.severity,
        occurred_at,
        received_at: occurred_at + 10,
        sequence: sequenced ? sequence : null
      }
      return [alertInput({ ...over, dedup_key: key, event_id: id(`${key} ${n}`) })]
    })
  })

/** The log: records of several keys, shuffled together. */
const log = fc.tuple(...keys.map(history)).map((histories) => histories.flat())

/**
 * Adds what the log adds: offsets in order of arrival, and the time at which the door appended each
 * record.
 */
const appended = (inputs: readonly Input[]): Input[] =>
  inputs.map((input, n) => ({ ...input, offset: BigInt(n), timestamp: T0 + 100_000 + n }) as Input)

const shuffled = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length })

function run(inputs: readonly Input[], cuts: readonly number[] = []): World {
  const acme = world()
  const edges = [0, ...cuts.map((cut) => cut % (inputs.length + 1)).sort((a, b) => a - b), inputs.length]
  edges.slice(1).forEach((edge, n) => {
    const batch = inputs.slice(edges[n], edge)
    if (batch.length > 0) acme.take(batch)
  })
  return acme
}

const statuses = (acme: World) => Object.fromEntries(keys.map((key) => [key, acme.of(key).at(-1)?.status ?? null]))

const newestAction = (inputs: readonly Input[], key: string): string | undefined => {
  const own = inputs.flatMap((input) => (input.record === 'InboundAlert' && input.value.dedup_key === key ? [input.value] : []))
  return own.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0) || a.occurred_at - b.occurred_at).at(-1)?.action
}

t.test('batches: every cut of the log gives the same rows, events and frames', async (t) => {
  const property = fc.property(
    log.chain((inputs) => shuffled(inputs)),
    fc.array(fc.nat(30), { maxLength: 6 }),
    (inputs, cuts) => {
      const [whole, cut] = [run(appended(inputs)), run(appended(inputs), cuts)]
      const seen = ({ signals, incidents, counters, events, refused }: World) =>
        JSON.stringify([[...signals], [...incidents], [...counters], events, refused])
      assert.deepEqual(seen(cut), seen(whole))
      const sent = (acme: World) => JSON.stringify(acme.outgoing.filter((out) => out.body !== 'current'))
      assert.deepEqual(sent(cut), sent(whole))
    }
  )
  holds(t, property, 150)
})

t.test('equal inputs give equal output', async (t) => {
  holds(
    t,
    fc.property(log, (inputs) => {
      const load = () => ({
        signals: new Map(keys.map((key) => [`${tenant_id}|${key}`, row({ dedup_key: key })])),
        incidents: new Map(),
        counters: new Map([[tenant_id, 0]]),
        traffic: new Map(),
        rules: new Map(),
        policies: new Map(),
        windows: new Map(),
        depends: new Map(),
        parents: new Set<string>(),
        outages: new Map(),
        alerts: new Map(),
        members: new Map()
      })
      assert.equal(JSON.stringify(fold(load(), appended(inputs)), text), JSON.stringify(fold(load(), appended(inputs)), text))
    }),
    50
  )
})
const text = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)

t.test('repeats: a repeated signal is counted and changes no incident', async (t) => {
  const withRepeats = log
    .chain((inputs) => shuffled(inputs))
    .chain((inputs) =>
      fc.tuple(fc.constant(inputs), fc.array(fc.record({ which: fc.nat(inputs.length - 1), later: fc.nat(40) }), { maxLength: 12 }))
    )
  holds(
    t,
    fc.property(withRepeats, ([inputs, repeats]) => {
      const doubled = inputs.map((input) => [input])
      for (const { which, later } of repeats) {
        const original = inputs[which]
        const place = doubled[Math.min(which + later, inputs.length - 1)]
        if (original && place) place.push(original)
      }
      const [once, more] = [run(appended(inputs)), run(appended(doubled.flat()))]
      const seen = (acme: World) =>
        [...acme.incidents.values()].map(({ incident_id, status, severity, number, ver }) => ({
          incident_id,
          status,
          severity,
          number,
          ver
        }))
      assert.deepEqual(seen(more), seen(once))
      assert.equal(more.events.length, once.events.length)
      const counted = [...more.signals.values()].reduce((sum, one) => sum + one.occurrences, 0)
      assert.equal(counted, doubled.flat().length, 'but all are counted')
    })
  )
})

t.test('order: the newest signal decides in any order of arrival', async (t) => {
  const property = fc.property(
    log.chain((inputs) => fc.tuple(fc.constant(inputs), shuffled(inputs))),
    fc.array(fc.nat(30), { maxLength: 4 }),
    ([inOrder, arrived], cuts) => {
      const acme = run(appended(arrived), cuts)
      for (const key of keys) {
        assert.equal(acme.of(key).at(-1)?.status === 'ongoing', newestAction(inOrder, key) === 'fire', key)
        assert.ok(acme.of(key).length <= run(appended(inOrder)).of(key).length, 'disorder opens no more incidents than order')
      }
    }
  )
  holds(t, property)
})

const by = `user:${user_id}`
const LATER = T0 + 200_000
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ command: fc.constant('acknowledge' as const), by: fc.constant(by), comment: fc.option(fc.string()) }),
  fc.record({
    command: fc.constant('resolve' as const),
    by: fc.constantFrom(by, `token:${id('t')}`),
    note: fc.option(fc.string()),
    until_recovered: fc.constant(true)
  }),
  fc.record({ command: fc.constant('close' as const), by: fc.constant(by), note: fc.option(fc.string()), user_id: fc.constant(user_id) }),
  fc.record({
    command: fc.constant('silence' as const),
    by: fc.constant(by),
    until: fc.integer({ min: LATER + 1, max: LATER + 600_000 }),
    reason: fc.option(fc.string())
  }),
  fc.record({ command: fc.constant('unsilence' as const), by: fc.constant(by) }),
  fc.record({ command: fc.constant('assign' as const), by: fc.constant(by), user_id: fc.option(fc.uuid()) }),
  fc.record({ command: fc.constantFrom('comment' as const, 'delete_comment' as const), by: fc.constant(by), comment_id: fc.uuid() }),
  fc.record({ command: fc.constant('silence_end' as const), by: fc.constant('system:silence'), until: fc.nat() })
)

/** Signals and commands in any order, on one key. */
const mixed = fc.array(fc.oneof({ weight: 3, arbitrary: point }, { weight: 2, arbitrary: command }), { maxLength: 14 })

function play(acme: World, steps: readonly (Point | Command)[], sequenced: boolean): void {
  let sequence = 1
  steps.forEach((step, n) => {
    const at = T0 + n * 1000
    if ('command' in step) {
      acme.obey(step.command === 'silence' ? { ...step, until: at + 60_000 } : step, at)
    } else {
      if (step.next) sequence += 1
      const over = { action: step.action, severity: step.severity, occurred_at: at, received_at: at, sequence: sequenced ? sequence : null }
      acme.take([alertInput({ ...over, event_id: id(`step ${n}`) }, { offset: n })])
    }
  })
}

t.test('late: a late or repeated signal makes no event in any state', async (t) => {
  const property = fc.property(
    mixed,
    fc.boolean(),
    fc.constantFrom('fire' as const, 'resolve' as const),
    fc.nat(20_000),
    fc.nat(3),
    (steps, sequenced, action, behind, lower) => {
      const acme = world()
      play(acme, steps, sequenced)
      const last = [...acme.signals.values()][0]
      if (last?.last_at === null || last?.last_at === undefined || last.last_action === null) return
      const [events, incidents] = [acme.events.length, JSON.stringify([...acme.incidents])]
      const sequence = last.last_sequence === null ? null : last.last_sequence - lower
      const repeats = behind === 0 && lower === 0
      // Late: a lower sequence at any time, or the same sequence (or none) at a lower time.
      // Repeated: the action of the last signal at its own position.
      const occurred_at = lower > 0 && sequence !== null ? last.last_at + behind : last.last_at - Math.max(behind, repeats ? 0 : 1)
      const late = { action: repeats ? last.last_action : action, occurred_at, received_at: LATER, sequence, event_id: id('late') }
      // Long after every suppression has ended.
      acme.take([alertInput(late, { offset: 99, timestamp: LATER + 86_400_000 })])
      assert.equal(acme.events.length, events)
      assert.equal(JSON.stringify([...acme.incidents]), incidents)
    }
  )
  holds(t, property)
})

t.test('commands: a command and a signal in either order end in the same status', async (t) => {
  let [ended, met] = [0, 0]
  const property = fc.property(mixed, fc.boolean(), command, point, (steps, sequenced, command, { action, severity }) => {
    const ends = (order: 'command first' | 'signal first') => {
      const acme = world()
      play(acme, steps, sequenced)
      const { last_sequence = null, facts } = [...acme.signals.values()][0] ?? {}
      // No later occurrence: the sequence stays, or there is none. No worse alert.
      const over = {
        action,
        severity: facts?.worst ?? severity,
        occurred_at: LATER - 1,
        received_at: LATER,
        sequence: last_sequence,
        event_id: id('either')
      }
      const take = () => acme.take([alertInput(over, { offset: 99, timestamp: LATER })])
      const target = acme.of().at(-1)
      if (target?.status !== 'ongoing') return null
      met += 1
      if (order === 'signal first') take()
      if (acme.obey(command, LATER, target.incident_id).events.some(endsIncident)) ended += 1
      if (order === 'command first') take()
      return statuses(acme)[dedup_key] ?? acme.of().at(-1)?.status
    }
    assert.equal(ends('command first'), ends('signal first'))
  })
  holds(t, property)
  t.ok(met > 100 && ended > 10, `${met} runs had an incident to act on, ${ended} commands ended it`)
})

t.test('commands: a later alert reopens an ended incident, and an earlier one does not', async (t) => {
  const resolve = (until_recovered: boolean): Command => ({ command: 'resolve', by, note: null, until_recovered })
  const ends = (command: Command, sequence: number | null, signalFirst: boolean, severity: 'warning' | 'critical' = 'warning') => {
    const acme = world()
    acme.take([alertInput({ sequence: sequence === null ? null : 1 })])
    const take = () => acme.take([alertInput({ sequence, severity, occurred_at: T0 + 5, event_id: id('x') }, { offset: 1 })])
    if (signalFirst) take()
    acme.obey(command, T0 + 1000)
    if (!signalFirst) take()
    return acme.of().at(-1)?.status
  }
  t.equal(ends(resolve(true), 2, true), 'resolved')
  t.equal(ends(resolve(true), 2, false), 'ongoing', 'a later occurrence reopens what a person had ended')
  t.equal(ends(resolve(true), null, true, 'critical'), 'resolved')
  t.equal(ends(resolve(true), null, false, 'critical'), 'ongoing', 'what is worse than what a person had ended reopens it')
  t.equal(ends(resolve(false), null, true), 'resolved')
  t.equal(ends(resolve(false), null, false), 'ongoing', 'nobody waited for the recovery')
  t.equal(ends(resolve(true), null, true), ends(resolve(true), null, false), 'control: without either the order does not matter')
})

t.test('always: a key has one ongoing incident, no gaps, no lowered severity and the right frames', async (t) => {
  const rank = { info: 0, warning: 1, critical: 2 }
  let most = 0
  holds(
    t,
    fc.property(mixed, fc.boolean(), (steps, sequenced) => {
      // Throws on a second ongoing incident of a key, and on a version that moved.
      const acme = world()
      play(acme, steps, sequenced)
      most = Math.max(most, acme.incidents.size)
      assert.deepEqual(
        acme.of().map((incident) => incident.number),
        acme.of().map((_, n) => n + 1)
      )
      for (const incident of acme.of()) {
        const events = acme.events.filter((event) => event.incident_id === incident.incident_id)
        assert.deepEqual(
          events.map((event) => event.ver),
          events.map((_, n) => n + 1)
        )
        assert.deepEqual(events.at(-1)?.incident, incident)
        assert.deepEqual(
          events.map((event) => event.change === 'created'),
          events.map((_, n) => n === 0)
        )
        assert.equal(events.filter(endsIncident).length, incident.status === 'resolved' ? 1 : 0)
        events.slice(1).forEach((event, n) => {
          const before = events[n]?.incident.severity ?? 'critical'
          assert.ok(rank[event.incident.severity] >= rank[before])
        })
        const frames = acme.outgoing.filter((out) => out.body === 'frame' && out.aggregate === `incident:${incident.incident_id}`)
        assert.deepEqual(
          frames.map((frame) => [frame.ver, 'json' in frame && frame.json]),
          events.flatMap((event) => {
            const frame = frameOf(event)
            return frame ? [[event.ver, frame.json]] : []
          })
        )
      }
    })
  )
  t.ok(most > 1, `up to ${most} incidents of the key`)
})

t.test('no rule throws on a valid record', async (t) => {
  const unit = fc
    .oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff }))
    .map((code) => String.fromCharCode(code))
  const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ unit, maxLength: 400 }))
  const long = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
  const maybeId = fc.oneof(
    { weight: 15, arbitrary: fc.constant(null) },
    { weight: 15, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: anyText }
  )
  const anyInstant = fc.oneof({ weight: 30, arbitrary: fc.nat({ max: T0 }) }, { weight: 1, arbitrary: long })
  const anyAlert: fc.Arbitrary<InboundAlert> = fc.record({
    event_id: fc.oneof({ weight: 30, arbitrary: fc.uuid() }, { weight: 1, arbitrary: anyText }),
    tenant_id: fc.oneof({ weight: 30, arbitrary: fc.uuid() }, { weight: 1, arbitrary: anyText }),
    integration_id: fc.oneof({ weight: 30, arbitrary: fc.uuid() }, { weight: 1, arbitrary: anyText }),
    source: anyText,
    dedup_key: fc.oneof({ weight: 1, arbitrary: anyText }, { weight: 10, arbitrary: fc.constantFrom(...keys) }),
    source_dedup_key: anyText,
    action: fc.constantFrom('fire', 'resolve', 'note', 'update', 'unknown'),
    title: anyText,
    description: fc.option(anyText),
    severity,
    source_severity: fc.option(anyText),
    occurred_at: anyInstant,
    time_source: fc.constantFrom('sender', 'door', 'unknown'),
    received_at: anyInstant,
    sequence: fc.option(long),
    sequence_kind: fc.constantFrom('position', 'occurrence'),
    delivery_id: fc.option(anyText),
    labels: fc.dictionary(anyText, anyText),
    links: fc.array(fc.record({ title: anyText, url: anyText }), { maxLength: 25 }),
    team_id: maybeId,
    visibility: fc.constantFrom('org', 'private'),
    retention_days: fc.nat(),
    by_former_key: fc.constant(false)
  })
  let [accepted, refused] = [0, 0]
  holds(
    t,
    fc.property(anyAlert, anyInstant, mixed, (value, timestamp, commands) => {
      const reading = readSignal(frozen(alertInput(value, { timestamp })))
      if (!('signal' in reading)) {
        refused += 1
        return
      }
      accepted += 1
      const { tenant_id, dedup_key } = reading.signal
      const before = row({ tenant_id, dedup_key })
      const judged = judge(before, reading.signal, null)
      let { incident } = reduceIncident(null, judged, context(timestamp))
      rowAfter(before, judged, incident)
      for (const one of commands) if ('command' in one) incident = reduceIncident(incident, one, context(timestamp)).incident
      // Text that Postgres accepts: no NUL and no half of a surrogate pair.
      assert.doesNotMatch(JSON.stringify(incident), /\\u0000|\\ud[89a-f]/i)
    }),
    1000
  )
  t.ok(accepted > 50 && refused > 50, `${accepted} accepted, ${refused} refused`)
})

t.test('control: the test world rejects a second ongoing incident and changes to frozen records', async (t) => {
  const acme = world()
  acme.take([alertInput()])
  // The row that refers to the incident is lost: the same alert tries to open a second one.
  acme.signals.clear()
  t.throws(() => acme.take([alertInput({ event_id: id('other') }, { offset: 1 })]), /two ongoing/)
  t.throws(() => frozen(alert()).labels.x === 'y' || Object.assign(frozen(alert()).labels, { x: 'y' }), TypeError)
})
