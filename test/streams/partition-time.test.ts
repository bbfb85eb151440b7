/**
 * Tests the time of a partition by tables: which ticks count, what T is, and which times of doors
 * are taken unchanged.
 */
import t from 'tap'
import {
  gapShift,
  isSkewed,
  isTold,
  judgeTick,
  LATENESS_MS,
  partitionTime,
  placed,
  placedGap,
  strayAfter,
  type TickRecord
} from '../../streams/partition-time.ts'

const S = 1000
const HOUR = 3600 * S
const T0 = Date.UTC(2026, 2, 1, 12)

t.equal(LATENESS_MS, 8 * S, '5 s append, 1 s between clocks, 2 s lead of ticks')

t.test('partition time is the last tick plus the broker time since then, whatever the broker offset', async (t) => {
  for (const offset of [0, 5 * S, -5 * S, HOUR, -HOUR]) {
    const time = (after: number) => partitionTime(T0, T0 + offset, T0 + offset + after) - T0
    t.same([time(0), time(400), time(3 * S), time(90 * S), time(-2 * S)], [0, 400, 3 * S, 90 * S, 0], `${offset / S} s off`)
  }
  t.ok(Number.isNaN(partitionTime(null, undefined, T0)), 'none before the first tick')
  t.ok(Number.isNaN(partitionTime(T0, undefined, T0)), 'none after a tick whose append time was not kept')
})

const receipts: [name: string, written: number, sinceTick: number, becomes: number][] = [
  ['as it is', 0, 0, 0],
  ['an append that waited 5 s, clocks 1 s apart', -6 * S, 0, -6 * S],
  ['further back', -6 * S - 1, 0, 0],
  ['a door two minutes behind', -120 * S, 700, 700],
  ['clocks 1 s apart, ticks 2 s behind', 3 * S, 0, 3 * S],
  ['further ahead', 3 * S + 1, 0, 0],
  ['a door an hour ahead', HOUR, 700, 700],
  ['ticks away for a minute, the door says so too', 60 * S, 60 * S, 60 * S],
  ['ticks away for a minute, or the broker was set: the door is taken at its word', 20 * S, 60 * S, 20 * S],
  ['ticks away for a minute, and the door behind them', -4 * S, 60 * S, 60 * S],
  ['ticks away for a minute, and the door beyond', 64 * S, 60 * S, 60 * S],
  ['the broker was set back', 2 * S, -HOUR, 2 * S]
]
for (const [name, written, sinceTick, becomes] of receipts) {
  const time = partitionTime(T0, T0 + 5 * S, T0 + 5 * S + sinceTick)
  t.equal(placed(T0 + written, T0, time) - T0, becomes, name)
}
t.equal(placed(T0 - HOUR, null, Number.NaN), T0 - HOUR, 'without T it is taken as it is')
t.equal(placed(T0 - HOUR, T0, Number.NaN), T0 - HOUR)

t.test('a gap reported by a door with a wrong clock is moved to partition time', async (t) => {
  const gap = (from: number, to: number, sinceTick = 0) => {
    const { from: a, to: b } = placedGap(T0 + from, T0 + to, T0, partitionTime(T0, T0, T0 + sinceTick))
    return [a - T0, b - T0]
  }
  t.same(gap(-300 * S, 5 * S), [-300 * S, 5 * S], 'its attempt began 5 s before its end: now')
  t.same(gap(-300 * S, 0), [-300 * S, 0], 'or 5 s ago')
  t.same(gap(-420 * S, -115 * S), [-306 * S, 5 * S], 'a door two minutes behind; its beginning a little earlier than told')
  t.same(gap(-180 * S, 125 * S), [-306 * S, 5 * S], 'and two minutes ahead')
  t.equal(gapShift(T0, null, Number.NaN), 0)
})

t.test('a result is skewed relative to partition time, not to the receipt time', async (t) => {
  const time = partitionTime(T0, T0 - HOUR, T0 - HOUR)
  t.same([isSkewed(T0 + 5 * S, T0 - 120 * S, time), isSkewed(T0 + 5 * S + 1, T0 + HOUR, time)], [false, true])
  t.same([isSkewed(T0 + 5 * S, T0, Number.NaN), isSkewed(T0 + 5 * S + 1, T0, Number.NaN)], [false, true], 'without T, against the receipt')
})

/** Takes ticks as `t` and append time, in seconds after T0. Returns a letter for each verdict. */
function run(ticks: [t: number, appended: number][], first: TickRecord = {}): string {
  let last: number | null = null
  let record = first
  let verdicts = ''
  for (const [second, appended] of ticks) {
    const [tick, at] = [T0 + second * S, T0 + appended * S]
    const verdict = judgeTick(last, record, tick, at)
    verdicts += verdict[0]
    if (verdict === 'counts') {
      last = tick
      record = { tick_appended_at: at }
    } else if (verdict === 'stray') record = { ...record, stray_ticks: strayAfter(record, tick, at) }
  }
  return verdicts
}
const from = (second: number, count: number, offset: number): [number, number][] =>
  Array.from({ length: count }, (_, nth) => [second + nth, second + nth + offset])

const stories: [name: string, ticks: [number, number][], verdicts: string][] = [
  ['a broker that is right', from(0, 4, 0), 'cccc'],
  ['5 s off', from(0, 4, 5), 'cccc'],
  ['an hour off', from(0, 4, -3600), 'cccc'],
  ['set by 5 s', [...from(0, 2, 0), ...from(2, 2, 5)], 'cccc'],
  ['set by an hour: the third that agrees with the two before counts', [...from(0, 2, 0), ...from(2, 5, 3600)], 'ccssccc'],
  ['set back by an hour', [...from(0, 2, 0), ...from(2, 5, -3600)], 'ccssccc'],
  ['one mad tick', [...from(0, 2, 0), [3602, 2], ...from(3, 2, 0)], 'ccscc'],
  ['two that do not agree, and two again', [...from(0, 2, 0), [3602, 2], [7203, 3], [3604, 4], [3605, 5], ...from(6, 1, 0)], 'ccssssc'],
  [
    'mad ones between good ones',
    [
      [0, 0],
      [3601, 1],
      [2, 2],
      [3603, 3],
      [4, 4],
      [3605, 5],
      [6, 6]
    ],
    'cscscsc'
  ],
  [
    'ticks that were away',
    [
      [0, 0],
      [90, 90]
    ],
    'cc'
  ],
  [
    'one that waited too long',
    [
      [0, 0],
      [1, 7],
      [8, 8]
    ],
    'csc'
  ],
  [
    'another clock process',
    [
      [5, 5],
      [4, 6],
      [5, 6],
      [6, 6]
    ],
    'crrc'
  ],
  [
    'time that went back',
    [
      [3600, 0],
      [1, 1],
      [2, 2]
    ],
    'coo'
  ],
  [
    'no time at all',
    [
      [0, 0],
      [Number.NaN, 1],
      [0.0005, 2]
    ],
    'css'
  ]
]
for (const [name, ticks, verdicts] of stories) t.equal(run(ticks), verdicts, name)

t.test('a tick counts after a row without an append time, whatever the broker clock says', async (t) => {
  t.equal(judgeTick(T0, {}, T0 + S, T0 + HOUR), 'counts')
})

t.test('people are notified at most once per 15 s of log time', async (t) => {
  t.same([isTold(undefined, T0), isTold(T0, T0 + 14_999), isTold(T0, T0 + 15_000), isTold(T0, T0 - HOUR)], [true, false, true, true])
})
