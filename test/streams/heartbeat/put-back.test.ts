/**
 * Dead letters that were put back: a ping counts from when it was received, and never as a ping of
 * now; a tick does nothing; a gap of the doors moves only what it can have touched.
 */
import t from 'tap'
import type { Input } from '../../../streams/define.ts'
import { config, configInput, cronOf, gapInput, HOUR, MINUTE, ping, pingInput, SECOND, T0, tickInput, World } from './build.ts'

const hourly = config({ period_seconds: 3600, grace_seconds: 300 })
const NOW = T0 + 3 * HOUR

const putBack = (input: Input): Input => ({ ...input, redriven: true })
const pingAt = (minute: number, over: Parameters<typeof ping>[1] = {}): Input => pingInput(ping(T0 + minute * MINUTE, over))

/** A world whose heartbeat got successes in these minutes, with ticks to `until`. */
function pinged(minutes: readonly number[], until = NOW, settings = hourly): World {
  const world = new World().take(configInput(settings), tickInput(T0 - SECOND))
  let at = T0 - SECOND
  for (const minute of minutes) {
    world.ticks(at, T0 + minute * MINUTE).take(pingAt(minute))
    at = T0 + minute * MINUTE
  }
  return world.ticks(at, until)
}

/** The status, the phase, and the transitions since, after one record was put back. */
function after(world: World, input: Input): { status: string; phase: string; told: (string | null)[][] } {
  const before = world.told.length
  world.take(putBack(input))
  const { status, phase } = world.row()
  return { status, phase, told: world.told.slice(before).map((one) => [one.previous_status, one.status, one.reason]) }
}

t.test('a ping that was put back is judged by when it was received', async (t) => {
  const silent = { status: 'missed', phase: 'missed', told: [] }
  const well = { status: 'up', phase: 'on_time', told: [] }
  const back = { status: 'up', phase: 'on_time', told: [['missed', 'up', null]] }
  const fails = { status: 'missed', phase: 'failed', told: [['up', 'missed', 'failed']] }
  const nightly = cronOf('0 * * * *', 'UTC', { grace_seconds: 300 })
  for (const [name, world, input, expected] of [
    ['a success whose next slot was missed, too, ends no miss', pinged([0]), pingAt(30), silent],
    ['a success whose next slot is still open ends the miss', pinged([0]), pingAt(130), back],
    ['a failure before the newest ping reports nothing', pinged([0, 30, 60, 90, 120, 150, 180]), pingAt(20, { kind: 'fail' }), well],
    ['a failure as the newest ping is reported', pinged([0, 60, 120]), pingAt(150, { kind: 'fail' }), fails],
    ['a failure before later misses changes nothing', pinged([0]), pingAt(30, { kind: 'fail' }), silent],
    ['a success before the slot of a cron expression that was missed', pinged([0], NOW, nightly), pingAt(30), silent],
    ['a success of the slot itself', pinged([0], T0 + 70 * MINUTE, nightly), pingAt(62), back]
  ] as const)
    t.same(after(world, input), expected, name)
})

t.test('a ping that was put back is the newest known one, and counts once', async (t) => {
  const world = pinged([0])
  after(world, pingAt(30))
  t.match(world.row(), { pings: 2, last_ping_at: T0 + 30 * MINUTE, deadline_at: T0 + 185 * MINUTE })
  after(world, pingAt(30))
  t.equal(world.row().pings, 2)
  t.equal(world.remarks.times_placed, 0)
})

t.test('what is no ping counts as none when it is put back, also while missed', async (t) => {
  const world = pinged([0])
  for (const kind of ['log', 'unknown'] as const) {
    after(world, pingAt(30, { kind }))
    t.match(world.row(), { pings: 1, last_ping_at: T0 }, kind)
  }
})

t.test('a ping that was put back neither ends a pause nor begins the slots of new settings', async (t) => {
  const world = pinged([0], T0 + HOUR)
  world.take(configInput({ ...hourly, version: 2, at: T0 + HOUR, paused: true, pause_reason: 'user', unpause_on_ping: true }))
  t.match(after(world, pingAt(30)), { phase: 'paused', told: [] })
  world.take(configInput({ ...hourly, version: 3, at: T0 + 2 * HOUR, paused: false }))
  t.match(after(world, pingAt(30)), { phase: 'waiting', told: [] })
  t.match(after(world.ticks(T0 + HOUR, NOW), pingAt(130)), { phase: 'on_time', told: [] })
})

t.test('an outage that moved the open deadline also moves the one after a ping that was put back', async (t) => {
  const world = pinged([0], T0 + 30 * MINUTE).take(tickInput(T0 + 2 * HOUR))
  t.same(after(world, pingAt(20)).status, 'up')
  world.ticks(T0 + 2 * HOUR, T0 + 175 * MINUTE - SECOND)
  t.same(
    world.told.filter((one) => one.status === 'missed'),
    [],
    'expected at 13:20, with 5 min of grace, moved by 90 min to 14:55'
  )
  world.ticks(T0 + 175 * MINUTE - SECOND, NOW)
  t.match(world.row(), { status: 'missed', last_miss: { deadline_at: T0 + 175 * MINUTE } })
})

t.test('a status that such a ping begins is not older than the one that it ends', async (t) => {
  const world = pinged([0], T0 + 70 * MINUTE)
  const { since } = world.row()
  t.match(after(world, pingAt(50)), { status: 'up' })
  t.equal(world.row().since, since)
  t.equal(world.told.at(-1)?.at, since)
})

t.test('a tick that was put back does nothing, and a gap moves only the deadlines of its time', async (t) => {
  const world = pinged([0, 60, 120], T0 + 170 * MINUTE)
  const { deadline_at } = world.row()
  t.same(after(world, tickInput(T0 + 10 * MINUTE)).told, [])
  t.same([world.remarks.ticks_old, world.notices], [0, []])
  t.same(after(world, gapInput(T0 + 10 * MINUTE, T0 + 20 * MINUTE)).told, [])
  t.same([world.row().deadline_at, world.remarks.times_placed], [deadline_at, 0])
})
