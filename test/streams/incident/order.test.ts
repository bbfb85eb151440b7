/**
 * Tests which of two signals of a key came first: one sentence a row, and properties of all of
 * them. Neither a door's clock nor an offset decides, except the original offset of a redriven
 * record.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { type LastApplied, type Ordered, offsetAfter, orderOf, type Place, senderAtAfter } from '../../../streams/incident/order.ts'
import { judge, readSignal, rowAfter } from '../../../streams/incident/signals.ts'
import { alertInput, frozen, id, row, T0, world } from './build.ts'

const HOUR = 3_600_000

const nothing: LastApplied = row()
const timed = (last_action: 'fire' | 'resolve', over: Partial<LastApplied> = {}): LastApplied => ({
  ...nothing,
  last_action,
  last_at: T0,
  last_time_source: 'sender',
  last_sender_at: T0,
  last_offset: 100,
  ...over
})
const untimed = (last_action: 'fire' | 'resolve', over: Partial<LastApplied> = {}): LastApplied =>
  timed(last_action, { last_at: T0 + HOUR, last_time_source: 'door', last_sender_at: null, ...over })
/** The last signal had no time; the one before it had T0 by the sender's clock. */
const since = (last_action: 'fire' | 'resolve'): LastApplied => untimed(last_action, { last_sender_at: T0 })
const before = (last_action: 'fire' | 'resolve', over: Partial<LastApplied> = {}): LastApplied =>
  timed(last_action, { last_time_source: null, last_sender_at: null, last_offset: null, ...over })

const plain: Omit<Ordered, 'action'> = {
  sequence: null,
  sequence_kind: 'position',
  delivery_id: null,
  occurred_at: T0,
  time_source: 'sender'
}
const door = (at: number): Partial<Ordered> => ({ occurred_at: at, time_source: 'door' })
const at = (ms: number): Partial<Ordered> => ({ occurred_at: T0 + ms })
const position = (sequence: number, over: Partial<Ordered> = {}): Partial<Ordered> => ({ sequence, sequence_kind: 'position', ...over })
const receipt = (sequence: number, over: Partial<Ordered> = {}): Partial<Ordered> => ({ sequence, sequence_kind: 'receipt', ...over })
const occurrence = (sequence: number, over: Partial<Ordered> = {}): Partial<Ordered> => ({ sequence, sequence_kind: 'occurrence', ...over })
const put = (offset: number): Place => ({ offset, redriven: true })
const read = (offset: number): Place => ({ offset, redriven: false })
const run5 = { last_sequence: 5 }

type Case = [name: string, last: LastApplied, action: Ordered['action'], over: Partial<Ordered>, place: Place | null, order: string]
const cases: Case[] = [
  ['the first of a key', nothing, 'fire', {}, read(0), 'newer'],
  [
    'the same delivery, whatever else it says',
    timed('fire', { last_delivery_id: 'd' }),
    'resolve',
    { delivery_id: 'd' },
    read(101),
    'repeat'
  ],

  // Clocks of doors.
  ['a resolve without a time, by a door an hour behind', untimed('fire'), 'resolve', door(T0), read(101), 'newer'],
  ['a fire without a time, by a door an hour behind', untimed('resolve'), 'fire', door(T0), read(101), 'newer'],
  ['the same instant of two doors is no repeat', untimed('fire'), 'fire', door(T0 + HOUR), read(101), 'newer'],
  ["a door's time beside the sender's, an hour behind", timed('fire'), 'resolve', door(T0 - HOUR), read(101), 'newer'],
  ["a sender's time beside a door's, an hour behind", untimed('fire'), 'resolve', at(0), read(101), 'newer'],
  ['the offset of a record that is not redriven says nothing: the log began anew', untimed('resolve'), 'fire', door(T0), read(3), 'newer'],

  // Times of senders.
  ['earlier', timed('resolve'), 'fire', at(-1), read(101), 'older'],
  ['later', timed('resolve'), 'fire', at(1), read(101), 'newer'],
  ['the same, once more', timed('fire'), 'fire', at(0), read(101), 'repeat'],
  ['the same, the other action: the log decides', timed('fire'), 'resolve', at(0), read(101), 'newer'],
  ['a fire comes again after a resolve without a time', since('resolve'), 'fire', at(0), read(101), 'older'],
  ['a fire from before the one that it came after', since('resolve'), 'fire', at(-1), read(101), 'older'],
  ['a later fire after a resolve without a time', since('resolve'), 'fire', at(1), read(101), 'newer'],
  ['a fire without a time after both', since('resolve'), 'fire', door(T0 - HOUR), read(101), 'newer'],

  // Rows of before: their only time orders, as it did.
  ['an earlier fire, row of before', before('resolve'), 'fire', at(-1), read(101), 'older'],
  ['a repeat, row of before', before('fire'), 'fire', at(0), read(101), 'repeat'],
  ['the same instant, the other action, row of before', before('fire'), 'resolve', at(0), read(101), 'newer'],
  ['without a time, row of before', before('resolve'), 'fire', door(T0 - HOUR), read(101), 'newer'],
  ['a row of before says nothing of offsets', before('resolve'), 'fire', door(T0), put(3), 'newer'],

  // Sequences.
  ['a lower one', timed('fire', run5), 'resolve', position(4, at(HOUR)), read(101), 'older'],
  ['a higher one', timed('resolve', run5), 'fire', position(6, at(-HOUR)), read(101), 'newer'],
  ['the same with the same action', timed('fire', run5), 'fire', position(5, at(HOUR)), read(101), 'repeat'],
  [
    'a resolve ends its occurrence, though its time is earlier',
    timed('fire', run5),
    'resolve',
    occurrence(5, at(-HOUR)),
    read(101),
    'newer'
  ],
  [
    'first delivered after seven days: a resolve by an earlier time',
    untimed('fire', run5),
    'resolve',
    occurrence(5, at(0)),
    read(101),
    'newer'
  ],
  [
    'an occurrence that ended does not fire again, though its time is later',
    timed('resolve', run5),
    'fire',
    occurrence(5, at(HOUR)),
    read(101),
    'older'
  ],
  ['nor without a time', timed('resolve', run5), 'fire', occurrence(5, door(T0 + HOUR)), read(101), 'older'],
  ['the next occurrence fires', timed('resolve', run5), 'fire', occurrence(6, at(-HOUR)), read(101), 'newer'],
  ['a position fires again: later', timed('resolve', run5), 'fire', position(5, at(1)), read(101), 'newer'],
  ['a position fires again: earlier', timed('resolve', run5), 'fire', position(5, at(-1)), read(101), 'older'],
  ['a position fires again, without a time', untimed('resolve', run5), 'fire', position(5, door(T0)), read(101), 'newer'],

  // Sequences that the api numbers: copies are repeats, whatever came between them; all other
  // signals are ordered as without a sequence.
  ['a copy of the last one', untimed('fire', run5), 'fire', receipt(5, door(T0)), read(101), 'repeat'],
  ['a copy of a fire behind the resolve that came after it', untimed('resolve', run5), 'fire', receipt(4, door(T0)), read(101), 'repeat'],
  ['a copy, though its time is later', timed('resolve', run5), 'fire', receipt(4, at(HOUR)), read(101), 'repeat'],
  ['a number of its own', untimed('resolve', run5), 'fire', receipt(6, door(T0)), read(101), 'newer'],
  ['a higher number by an earlier time of the sender', timed('resolve', run5), 'fire', receipt(6, at(-1)), read(101), 'older'],
  ['a higher number at the same time, once more', timed('fire', run5), 'fire', receipt(6, at(0)), read(101), 'repeat'],
  ['the first number', untimed('fire'), 'resolve', receipt(1, door(T0)), read(101), 'newer'],
  ['a redriven number from before', untimed('resolve', run5), 'fire', receipt(4, door(T0)), put(99), 'repeat'],

  // Redriven records count at the offset at which they were first on the log.
  ['a redriven fire from before the resolve', untimed('resolve'), 'fire', door(T0 + 9 * HOUR), put(99), 'older'],
  ['a redriven fire from after the resolve', untimed('resolve'), 'fire', door(T0 - HOUR), put(101), 'newer'],
  ['redriven once more', untimed('fire'), 'fire', door(T0), put(100), 'repeat'],
  ['redriven, and later by the sender: its clock says more than the log', timed('resolve'), 'fire', at(1), put(99), 'newer'],
  ['redriven, and earlier by the sender', timed('resolve'), 'fire', at(-1), put(101), 'older'],
  ['redriven and later than a time that is not of the last one: the log', since('resolve'), 'fire', at(1), put(99), 'older'],
  ['a redriven resolve of the occurrence that fires', timed('fire', run5), 'resolve', occurrence(5), put(99), 'newer'],
  ['what is in no log', untimed('resolve'), 'fire', door(T0), null, 'newer']
]
for (const [name, last, action, over, place, order] of cases)
  t.test(name, async (t) => t.equal(orderOf(frozen(last), frozen({ ...plain, action, ...over }), place), order))

t.test('what a signal row keeps of sender times and log offsets', async (t) => {
  const signal = { ...plain, action: 'fire' } as const
  t.equal(senderAtAfter(timed('fire'), { ...signal, ...at(5) }), T0 + 5)
  t.equal(senderAtAfter(timed('fire'), { ...signal, ...door(T0 + 5) }), T0, "the sender's last time stays")
  t.equal(senderAtAfter(before('fire'), { ...signal, ...door(T0 + 5) }), T0, 'so does the one of before')
  t.equal(senderAtAfter(nothing, { ...signal, ...door(T0 + 5) }), null)
  t.equal(offsetAfter(timed('fire'), read(101)), 101)
  t.equal(offsetAfter(timed('fire'), read(3)), 3, 'of a log that began anew')
  t.equal(offsetAfter(timed('fire'), put(101)), 101)
  t.equal(offsetAfter(timed('fire'), put(99)), 100, 'a redriven one never moves it back')
  t.equal(offsetAfter(nothing, put(99)), 99)
  t.equal(offsetAfter(timed('fire'), null), 100)
})

interface Sent {
  action: 'fire' | 'resolve'
  /** Minutes by the sender's clock; null when it sent no time. */
  minute: number | null
  sequence: number | null
  kind: InboundAlert['sequence_kind']
}
const sent: fc.Arbitrary<Sent> = fc.record({
  action: fc.constantFrom('fire', 'resolve'),
  minute: fc.option(fc.nat(4)),
  sequence: fc.option(fc.nat(3)),
  kind: fc.constantFrom('position', 'occurrence')
})

/**
 * How each alert is accepted in turn, with the doors' clocks of `clock`, at the offsets of
 * `places`.
 */
function accepted(alerts: readonly Sent[], clock: readonly number[] = [], places = (nth: number): number => nth): string[] {
  let before = row()
  return alerts.map(({ action, minute, sequence, kind }, nth) => {
    const received_at = T0 + HOUR + (clock[nth] ?? 0)
    const [occurred_at, time_source] = minute === null ? [received_at, 'door' as const] : [T0 + minute * 60_000, 'sender' as const]
    const over = { action, occurred_at, time_source, received_at, sequence, sequence_kind: kind, event_id: id(`${nth}`) }
    const reading = readSignal(alertInput(over))
    if (!('signal' in reading)) throw new Error('no signal')
    const place = read(places(nth))
    const signal = judge(frozen(before), frozen(reading.signal), null, place)
    before = rowAfter(before, signal, null, place)
    return signal.accepted_as
  })
}

const someClocks = fc.array(fc.integer({ min: -HOUR, max: HOUR }), { minLength: 12, maxLength: 12 })

t.test('the clock of a door does not change how signals are accepted', async (t) => {
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 12 }), someClocks, someClocks, (alerts, one, other) =>
      assert.deepEqual(accepted(alerts, one), accepted(alerts, other))
    ),
    { numRuns: 2000 }
  )
  t.pass('2000 runs')
})

t.test('the first offset of a new log does not change how signals are accepted', async (t) => {
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 12 }), fc.nat(1000), (alerts, begins) => {
      const half = Math.floor(alerts.length / 2)
      // The second half is in a new log, possibly at lower offsets.
      const inTwo = accepted(alerts, [], (nth) => (nth < half ? 500 + nth : begins + nth))
      assert.deepEqual(inTwo, accepted(alerts))
    }),
    { numRuns: 500 }
  )
  t.pass('500 runs')
})

t.test('signals without times and sequences are applied in log order', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('fire', 'resolve'), { maxLength: 12 }), someClocks, (actions, clock) => {
      const alerts = actions.map((action): Sent => ({ action, minute: null, sequence: null, kind: 'position' }))
      assert.deepEqual(
        accepted(alerts, clock),
        actions.map(() => 'applied')
      )
    }),
    { numRuns: 500 }
  )
  t.pass('500 runs')
})

t.test('an old redriven alert does not reopen a resolved incident, and a later alert opens one', async (t) => {
  const door = { time_source: 'door' } as const
  const acme = world()
  const told = (action: 'fire' | 'resolve', offset: number) => alertInput({ ...door, action, event_id: id(`at ${offset}`) }, { offset })
  acme.take([told('fire', 10), told('resolve', 12)])
  acme.take([{ ...told('fire', 11), redriven: true }])
  t.same(
    acme.of().map(({ status }) => status),
    ['resolved']
  )
  acme.take([{ ...told('fire', 13), redriven: true }])
  t.equal(acme.of().length, 2)
})
