/**
 * Tests heartbeats while the clocks of doors, brokers and the clock role are wrong: there is no
 * false miss, and every real miss is reported. Heartbeats are due every minute with 30 s of grace,
 * unless a case says otherwise. Real time is the time of the ticks.
 */
import assert from 'node:assert/strict'
import { mock } from 'node:test'
import fc from 'fast-check'
import t from 'tap'
import type { Input } from '../../../streams/define.ts'
import { type HeartbeatState, partitionKey } from '../../../streams/heartbeat/state.ts'
import { config, configInput, cronOf, gapInput, ping, pingInput, SECOND, T0, tickInput, World } from './build.ts'

const at = (second: number): number => T0 + second * SECOND
const say = (world: World): string[] =>
  world.told.map(({ previous_phase, phase, reason }) => `${previous_phase}>${phase} ${reason ?? ''}`.trim())

interface Clocks {
  /** How far the door's clock is ahead, s. */
  door?: number
  /** How far the broker's clock is ahead, s. */
  broker?: number
}

/**
 * Plays a log: ticks every second, pings at the given seconds of real time, other records at their
 * second.
 */
function play(
  world: World,
  until: number,
  pings: readonly number[],
  { door = 0, broker = 0 }: Clocks,
  others: [number, Input][] = []
): World {
  for (let second = 0; second <= until; second++) {
    const timestamp = at(second + broker)
    world.take(tickInput(at(second), { timestamp }))
    if (pings.includes(second)) world.take(pingInput(ping(at(second + door)), { timestamp: timestamp + 10 }))
    for (const [when, input] of others) if (when === second) world.take({ ...input, timestamp: timestamp + 20 })
  }
  return world
}
const known = (over = {}): World => new World().take(configInput(config(over)))
const everyMinute = Array.from({ length: 10 }, (_, nth) => nth * 60 + 1)

for (const door of [-120, -30, -7, 4, 30, 120, 3600]) {
  t.test(`a door clock ${door} s off causes no false miss`, async (t) => {
    const world = play(known(), 600, everyMinute, { door })
    t.same(say(world), [])
    t.equal(world.row().last_ping_at, at(541) + 10, 'people read when it came')
    t.equal(world.remarks.times_placed, everyMinute.length)
  })
  t.test(`a door clock ${door} s off hides no miss`, async (t) => {
    const world = play(known(), 100, [1], { door })
    t.same(say(world), ['grace>missed missed'])
    t.equal(world.told[0]?.tick_at, at(100), 'within two seconds of the deadline and 8 s')
  })
}

for (const broker of [-3600, -6, 6, 60]) {
  t.test(`ticks of a broker with a clock ${broker} s off count`, async (t) => {
    t.same(say(play(known(), 600, everyMinute, { broker })), [])
    t.same(say(play(known(), 100, [1], { broker })), ['grace>missed missed'])
  })
}

t.test('the third tick of a new broker with a clock an hour off counts again', async (t) => {
  const world = play(known(), 100, [1, 61], {})
  for (let second = 101; second <= 200; second++) world.take(tickInput(at(second), { timestamp: at(second + 3600) }))
  t.same(say(world), ['grace>missed missed'])
  t.same(
    world.notices.map(({ cause }) => cause),
    ['ticks_ignored']
  )
  t.equal(world.remarks.ticks_stray, 2)
})

t.test('a gap reported by a door two minutes behind moves the deadline', async (t) => {
  // Pings were refused from second 70 to 90; the attempt to report that began at 91.
  const gap = gapInput(at(70 - 120), at(96 - 120))
  const world = play(known(), 125, [1], {}, [[91, gap]])
  t.same(say(world), ['grace>unknown'])
  t.match(world.row(), { deadline_at: at(126) + 20 })
  t.same(world.notices, [{ cause: 'door_refused', from: at(64) + 20, to: at(96) + 20 }])
})

t.test('a cron job that pings during three minutes without ticks is not missed', async (t) => {
  // The slot is at 300, the ping at 310, the ticks go from 200 to 380.
  const beat = () => new World().take(configInput(cronOf('*/5 * * * *', 'UTC', { grace_seconds: 30 })))
  const away = (door: number, pings: number[]): World => {
    const world = beat()
    for (let second = 0; second <= 570; second++) {
      if (second <= 200 || second >= 380) world.take(tickInput(at(second)))
      if (pings.includes(second)) world.take(pingInput(ping(at(second + door)), { timestamp: at(second) + 10 }))
    }
    return world
  }
  t.same(say(away(0, [1, 310])), [])
  t.same(say(away(120, [1, 310])), [], 'through a door two minutes ahead, too')
  t.same(say(away(0, [1])), ['on_time>unknown', 'unknown>missed missed'], 'without the ping it is missed')
})

t.test('a broker two minutes behind makes no early ping expire', async (t) => {
  const world = new World()
  world.take(tickInput(at(0), { timestamp: at(-120) }), pingInput(ping(at(1)), { timestamp: at(1 - 120) }))
  world.take(tickInput(at(2), { timestamp: at(2 - 120) }), configInput(config(), { timestamp: at(3 - 120) }))
  t.match(world.row(), { last_ping_at: at(1), phase: 'on_time' })
})

t.test('an old row without an append time is read, and the next tick adds the time', async (t) => {
  const world = play(known(), 60, [1], {})
  const own = world.state.get(partitionKey(0))
  if (own?.kind !== 'partition') throw new Error('no partition')
  const before: HeartbeatState = { kind: 'partition', last_tick: own.last_tick }
  world.state.set(partitionKey(0), JSON.parse(JSON.stringify(before)))
  world.take(pingInput(ping(at(61)), { timestamp: at(61 + 6) }), tickInput(at(61), { timestamp: at(61 + 6) }))
  t.match(world.row(), { last_ping_at: at(61), phase: 'on_time' })
  t.match(world.state.get(partitionKey(0)), { last_tick: at(61), tick_appended_at: at(67) })
})

t.test('ticks that go back in time are counted and reported, and cause no miss', async (t) => {
  const world = play(known(), 60, [1], {})
  for (let second = 61; second <= 120; second++) world.take(tickInput(at(second - 3600), { timestamp: at(second) }))
  t.same(say(world), [])
  t.equal(world.remarks.ticks_old, 60)
  t.same(
    world.notices.map(({ cause, from }) => [cause, (from - T0) / SECOND]),
    [61, 76, 91, 106].map((second) => ['ticks_ignored', second])
  )
})

/**
 * Every value at the bounds of what is allowed: doors within 1 s of real time, appends within 5 s,
 * ticks within 2 s of real time that drift by at most 10 %, and a broker clock that is wrong by any
 * amount.
 */
const allowed = fc.record({
  broker: fc.integer({ min: -7_200_000, max: 7_200_000 }),
  lead: fc.array(fc.integer({ min: -2000, max: 2000 }), { minLength: 12, maxLength: 12 }),
  pings: fc.array(fc.record({ door: fc.integer({ min: -999, max: 999 }), wait: fc.nat(5000), early: fc.nat(30_000) }), {
    minLength: 1,
    maxLength: 10
  })
})

t.test('ticks that drift from 2 s behind to 2 s ahead cause no miss', async (t) => {
  const world = known()
  for (let real = 0; real <= 96; real++) {
    const lead = Math.max(-2, Math.min(2, -2 + real / 20))
    world.take(tickInput(Math.floor(at(real + lead) / SECOND) * SECOND, { timestamp: at(real) }))
    if (real === 1) world.take(pingInput(ping(at(real)), { timestamp: at(real) }))
    // Received by the deadline, appended 5 s later.
    if (real === 96) world.take(pingInput(ping(at(91)), { timestamp: at(real) }))
  }
  t.same(say(world), [])
  t.equal(world.row().last_finish_at, at(98), 'what waited that long is taken for later, which harms nobody')
})

t.test('an acknowledged ping is never missed if doors are honest and ticks at most 2 s off', async (t) => {
  const property = fc.property(allowed, ({ broker, lead, pings }) => {
    const world = known()
    const log: [appended: number, Input][] = []
    let due = at(1)
    for (const { door, wait, early } of pings) {
      log.push([due + wait, pingInput(ping(due + door), { timestamp: due + wait + broker })])
      // The next ping comes at its deadline, as the door's clock of this ping gives it, or earlier.
      due += 90_000 - early + Math.min(door, 0) - 1000
    }
    const end = due
    let ticked = Number.NEGATIVE_INFINITY
    for (let real = at(0); real < end; real += SECOND) {
      const minute = (real - at(0)) / 90_000
      const [one, next] = [lead[Math.floor(minute) % 12] ?? 0, lead[(Math.floor(minute) + 1) % 12] ?? 0]
      const tick = Math.floor((real + one + (next - one) * (minute % 1)) / SECOND) * SECOND
      if (tick > ticked) log.push([real, tickInput(tick, { timestamp: real + broker })])
      ticked = Math.max(ticked, tick)
    }
    log.sort(([one, a], [other, b]) => one - other || (a.record === 'Tick' ? -1 : b.record === 'Tick' ? 1 : 0))
    world.fold(log.map(([, input], offset) => ({ ...input, offset: BigInt(offset) })))
    assert.deepEqual(say(world), [])
  })
  fc.assert(property, { numRuns: 300 })
  t.pass('300 runs')
})

t.test('the same records give the same result at every time of the wall clock', async (t) => {
  t.teardown(() => mock.timers.reset())
  const foldedAt = (now: number): World => {
    mock.timers.reset()
    mock.timers.enable({ apis: ['Date'], now })
    const cron = configInput(cronOf('*/2 * * * *', 'Europe/Berlin', { grace_seconds: 30, version: 2 }), { timestamp: at(200) })
    return play(known(), 600, [1, 61, 310], { door: 30 }, [
      [71, gapInput(at(71), at(76))],
      [200, cron]
    ])
  }
  const world = foldedAt(T0)
  t.same(say(world), ['grace>missed missed', 'missed>waiting', 'grace>missed missed'])
  for (const now of [0, T0 + 300 * SECOND, Date.UTC(2100, 6, 1)]) {
    const other = foldedAt(now)
    t.equal(Date.now(), now)
    t.same(other, world, new Date(now).toISOString())
  }
})
