/**
 * The time that ticks carry: it is slewed, never jumps, never goes back, and stops when the clocks
 * disagree.
 */
import t, { type Test } from 'tap'
import { advance, begin, compare, MAX_SLEW, type Reading, type Time, untilNextSecond } from '../../../services/clock/advance.ts'

const START = 1_800_000_000_000
const HOUR = 3_600_000

/** A running clock that has been compared once. */
const running = (): Time => compare(begin({ mono: 0, wall: START }), { mono: 0, wall: START }, START)

/**
 * Reads the clocks every `stepMs` for `seconds`. The wall clock first jumps by `jumpMs` and then
 * drifts by `drift` (0.01: 1 % fast). Every 5 s the time is compared with a server that is off by
 * `serverOffset`.
 */
function live(
  t: Test,
  time: Time,
  {
    seconds,
    jumpMs = 0,
    drift = 0,
    stepMs = 250,
    serverOffset
  }: { seconds: number; jumpMs?: number; drift?: number; stepMs?: number; serverOffset?: number }
): { time: Time; ticks: number[]; readings: Reading[]; states: Time['state'][] } {
  const from = time.mono
  const wallFrom = START + from
  const ticks: number[] = []
  const readings: Reading[] = []
  const faults: number[] = []
  const states: Time['state'][] = []
  for (let passed = stepMs; passed <= seconds * 1000; passed += stepMs) {
    const reading = { mono: from + passed, wall: wallFrom + jumpMs + passed * (1 + drift) }
    const next = advance(time, reading)
    const went = next.time.t - time.t
    if (went < (time.state === 'stopped' ? 0 : stepMs * (1 - MAX_SLEW) - 0.001) || went > stepMs * (1 + MAX_SLEW) + 0.001) faults.push(went)
    time = next.time
    if (next.tick !== null) ticks.push(next.tick)
    if (serverOffset !== undefined && passed % 5000 === 0) {
      time = compare(time, reading, START + reading.mono + serverOffset)
      states.push(time.state)
    }
    readings.push(reading)
  }
  t.same(faults, [], 'time never goes back, and runs at most 10 % fast or slow')
  return { time, ticks, readings, states }
}

t.test('a clock sends no tick before its first comparison', async (t) => {
  const { time, ticks } = live(t, begin({ mono: 0, wall: START }), { seconds: 3 })
  t.equal(time.state, 'unchecked')
  t.same(ticks, [])
})

t.test('each second has one tick, stamped with that second', async (t) => {
  const { ticks } = live(t, running(), { seconds: 5 })
  t.same(
    ticks,
    [1, 2, 3, 4, 5].map((n) => START + n * 1000)
  )
})

const jumps: [name: string, jumpMs: number, seconds: number, ticksAbout: number][] = [
  ['the wall clock jumps an hour ahead: time runs 10 % fast', HOUR, 10, 11],
  ['the wall clock jumps an hour back: time runs 10 % slow', -HOUR, 10, 9],
  ['the wall clock is 300 ms ahead: time has caught up after 3 s', 300, 10, 10],
  ['the wall clock is 300 ms behind: time has waited for it after 3 s', -300, 10, 9]
]
for (const [name, jumpMs, seconds, about] of jumps) {
  t.test(name, async (t) => {
    const { ticks } = live(t, running(), { seconds, jumpMs })
    t.equal(ticks.length, about)
    t.same(ticks, [...new Set(ticks)].sort(), 'each second once, in order')
  })
}

t.test('a slow drift of the wall clock is followed to the millisecond', async (t) => {
  for (const drift of [0.001, -0.001, 0.05, -0.05]) {
    const { time, readings } = live(t, running(), { seconds: 600, drift })
    t.ok(Math.abs(time.t - (readings.at(-1)?.wall ?? 0)) < 1)
  }
})

t.test('a drift of 10 % is followed, and of a larger drift only 10 %', async (t) => {
  for (const sign of [1, -1]) {
    const missing = (drift: number): number => {
      const { time, readings } = live(t, running(), { seconds: 60, drift: sign * drift })
      return sign * Math.round((readings.at(-1)?.wall ?? 0) - time.t)
    }
    t.equal(Math.abs(missing(MAX_SLEW)), 0)
    t.equal(missing(MAX_SLEW + 0.01), 600)
    t.equal(missing(0.2), 6000)
  }
})

t.test('ticks stop while only the wall clock of this machine is an hour ahead', async (t) => {
  const { time, states, ticks } = live(t, running(), { seconds: 60, jumpMs: HOUR, serverOffset: 0 })
  t.equal(time.state, 'stopped')
  t.same(states.slice(0, 5), ['running', 'running', 'running', 'running', 'stopped'])
  t.ok((ticks.at(-1) ?? 0) - (START + 25_000) <= 2500)
  const fixed = live(t, time, { seconds: 10, serverOffset: 0 })
  t.equal(fixed.time.state, 'running', 'once it is set right, ticks go on')
  t.ok((fixed.ticks[0] ?? 0) > (ticks.at(-1) ?? 0), 'behind the last one')
})

t.test('ticks stop while only the wall clock of this machine is an hour behind', async (t) => {
  const { time } = live(t, running(), { seconds: 60, jumpMs: -HOUR, serverOffset: 0 })
  t.equal(time.state, 'stopped')
  const fixed = live(t, time, { seconds: 11, serverOffset: 0 })
  t.equal(fixed.time.state, 'running')
  t.ok(Math.abs(fixed.time.t - (START + fixed.time.mono)) < 1, 'from where the wall clock stands')
})

t.test('when both clocks jump an hour ahead, ticks stop once and resume after one gap', async (t) => {
  const { states, ticks } = live(t, running(), { seconds: 20, jumpMs: HOUR, serverOffset: HOUR })
  t.same(states, ['stopped', 'running', 'running', 'running'])
  const gaps = ticks.map((tick, index) => tick - (ticks[index - 1] ?? tick)).filter((gap) => gap > 1000)
  t.equal(gaps.length, 1)
})

t.test('when both clocks go an hour back, ticks wait until the clocks have caught up', async (t) => {
  const { time, ticks, states } = live(t, running(), { seconds: 60, jumpMs: -HOUR, serverOffset: -HOUR })
  t.ok(states.every((state) => state === 'stopped'))
  t.ok((ticks.at(-1) ?? 0) <= START + 5000)
  const caughtUp = { mono: time.mono + HOUR, wall: START + time.mono }
  const on = compare(time, caughtUp, caughtUp.wall)
  t.equal(on.state, 'running')
  t.ok(on.t >= time.t)
})

const skews: [name: string, server: number, state: Time['state']][] = [
  ['Postgres 2 s ahead', 2000, 'running'],
  ['Postgres 2 s behind', -2000, 'running'],
  ['Postgres a little over 2 s ahead', 2001, 'stopped'],
  ['Postgres a little over 2 s behind', -2001, 'stopped']
]
for (const [name, offset, state] of skews) {
  t.test(`${name}: ${state}`, async (t) => {
    t.equal(compare(running(), { mono: 0, wall: START }, START + offset).state, state)
    t.equal(compare(begin({ mono: 0, wall: START }), { mono: 0, wall: START }, START + offset).state, state, 'at the first comparison too')
  })
}

t.test('an answer that is not a number stops ticks', async (t) => {
  t.equal(compare(begin({ mono: 0, wall: START }), { mono: 0, wall: START }, Number.NaN).state, 'stopped')
  t.equal(compare(running(), { mono: 0, wall: START }, Number.NaN).state, 'stopped')
})

t.test('missed seconds are skipped, not caught up', async (t) => {
  const { time, tick } = advance(running(), { mono: 7300, wall: START + 7300 })
  t.equal(tick, START + 7000)
  t.equal(advance(time, { mono: 7400, wall: START + 7400 }).tick, null)
  t.equal(Math.round(untilNextSecond(time)), 700)
})

t.test('a clock that leads again continues from its last tick', async (t) => {
  const before = live(t, running(), { seconds: 10 }).time
  const again = begin({ mono: 10_000, wall: START + 2000 }, before)
  t.equal(again.t, before.t)
  t.equal(again.ticked, before.ticked)
})
