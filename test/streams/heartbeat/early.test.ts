/**
 * Tests pings that arrive before the first configuration of their heartbeat. Each case says what
 * came, what the configuration at second 5 makes of it, and which transitions follow, written as in
 * rules.test.ts. Then: how long and how many early pings are kept, and what is stored when.
 */
import t from 'tap'
import type { HeartbeatConfig, HeartbeatPing } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { MAX_EARLY_ROWS } from '../../../streams/heartbeat/early.ts'
import { earlyKey, type HeartbeatRow, partitionKey } from '../../../streams/heartbeat/state.ts'
import {
  config,
  configInput,
  cronOf,
  fold,
  frozen,
  gapInput,
  heartbeat_id,
  id,
  MINUTE,
  ping,
  pingInput,
  SECOND,
  T0,
  tickInput,
  World
} from './build.ts'

const at = (second: number): number => T0 + second * SECOND
const keys = (map: ReadonlyMap<string, unknown>): string[] => [...map.keys()].sort()
const pinged = (second: number, kind: HeartbeatPing['kind'] = 'success', over: Partial<HeartbeatPing> = {}): Input =>
  pingInput(ping(at(second), { kind, ...over }))

interface Story {
  config?: HeartbeatConfig
  came: Input[]
  told?: string[]
  row: Partial<Record<keyof HeartbeatRow, unknown>>
}

const stories: Record<string, Story> = {
  'a success counts from its receipt': {
    came: [pinged(2)],
    row: { phase: 'on_time', since: at(5), pings: 1, last_ping_at: at(2), expected_at: at(62), deadline_at: at(92) }
  },
  'and by cron': {
    config: cronOf('*/5 * * * *', 'UTC'),
    came: [pinged(2)],
    row: { phase: 'on_time', expected_at: at(300) }
  },
  'a failure is told': { came: [pinged(2, 'fail')], told: ['5 waiting>failed missed failed'], row: { failures: 1 } },
  'an exit code ends the run that it names': {
    came: [pinged(1, 'start', { run_id: id('r1') }), pinged(4, 'exit', { run_id: id('r1'), exit_code: 0 })],
    row: { phase: 'on_time', runs: [], last_run_seconds: 3 }
  },
  'a run goes on': {
    config: config({ max_run_seconds: 40 }),
    came: [pinged(1, 'start')],
    row: { phase: 'running', started_at: at(1), runs: [{ run_id: null, started_at: at(1), shifted_ms: 0 }] }
  },
  'in their order': {
    came: [pinged(1, 'fail'), pinged(2), pinged(3, 'exit', { exit_code: 9 })],
    told: ['5 waiting>failed missed failed', '5 failed>on_time up', '5 on_time>failed missed failed'],
    row: { pings: 3, last_finish_at: at(3) }
  },
  'born paused, it counts none': { config: config({ paused: true }), came: [pinged(2, 'fail')], row: { phase: 'paused', pings: 0 } },
  'a gap of the doors behind a ping moves what it opened': {
    config: config({ period_seconds: 1, grace_seconds: 2 }),
    came: [pinged(1), gapInput(at(2), at(4))],
    told: ['5 on_time>unknown up'],
    row: { expected_at: at(2), deadline_at: at(6), shifted_ms: 2000 }
  },
  'gaps that reach into each other are one': {
    config: config({ period_seconds: 1, grace_seconds: 2 }),
    came: [pinged(1), gapInput(at(2), at(4)), gapInput(at(3), at(5))],
    told: ['5 on_time>unknown up'],
    row: { deadline_at: at(7) }
  },
  'a gap before the first ping moves nothing': { came: [gapInput(at(0), at(4)), pinged(1)], row: { deadline_at: at(91), shifted_ms: 0 } },
  'a gap in the ticks moves it, too': {
    came: [tickInput(at(0)), pinged(0), tickInput(at(4))],
    row: { deadline_at: at(94), shifted_ms: 4000, tick_gap_ms: 4000 }
  }
}

for (const [name, { config: first = config(), came, told = [], row }] of Object.entries(stories)) {
  t.test(name, async (t) => {
    const world = new World().take(...came).take(configInput(first, { timestamp: at(5) }))
    const said = world.told.map(({ at, previous_phase, phase, status, reason }) =>
      `${(at - T0) / SECOND} ${previous_phase}>${phase} ${status} ${reason ?? ''}`.trim()
    )
    t.same(said, told)
    t.match(world.row(), row)
    t.same(
      world.told.map(({ ver }) => ver),
      world.told.map((_, nth) => nth + 1)
    )
    t.same([world.early(), world.refused], [null, []])
  })
}

t.test('an early ping causes a transition that names it, and frames for dashboards', async (t) => {
  const world = new World().take(tickInput(at(0)), pinged(1), pinged(2, 'exit', { exit_code: 7, run_id: id('r1') }))
  world.take(configInput(config(), { timestamp: at(5) }))
  t.match(world.told, [
    {
      reason: 'failed',
      exit_code: 7,
      run_id: id('r1'),
      last_ping_at: at(2),
      cause: { src: 'heartbeat.pings.v1:0:2', event_id: ping(at(2)).event_id }
    }
  ])
  t.same(
    world.ticks(at(5), at(7)).hints.map(({ ver }) => ver),
    [1, 2],
    'one frame a second, as ever'
  )
})

t.test('log pings and pings with an invalid id are not kept', async (t) => {
  const world = new World().take(pinged(0, 'log'), pinged(0, 'success', { heartbeat_id: 'x' }), pinged(0, 'success', { run_id: 'x' }))
  t.equal(world.state.size, 0)
  t.match(
    world.refused.map(({ reason }) => reason),
    [/UUID/, /UUID/]
  )
})

t.test('a kept ping contains no text of the sender', async (t) => {
  const world = new World().take(pinged(0, 'fail', { body_excerpt: 'no space left', user_agent: 'curl' }))
  t.notMatch(JSON.stringify(world.early()), /no space|curl/)
})

t.test('early pings survive a refused configuration, and end with a deletion', async (t) => {
  const refused = new World().take(pinged(0), configInput(config({ period_seconds: null })))
  t.equal(refused.early()?.inputs.length, 1)
  t.equal(refused.take(configInput(config({ version: 2 }))).row().pings, 1)
  const deleted = new World().take(pinged(0, 'fail'), configInput(config({ deleted: true })))
  t.same([deleted.state.size, deleted.told], [0, []])
  const late = new World().take(configInput(config()), configInput(config({ version: 2, deleted: true })), tickInput(T0), pinged(1))
  t.equal(late.ticks(T0, at(60)).state.size, 2, 'a ping that comes after a deletion')
  t.same(keys(late.ticks(at(60), at(61)).state), [partitionKey(0)], 'is gone after a minute')
})

t.test('an early ping is forgotten after a minute', async (t) => {
  const world = new World().take(tickInput(T0), pinged(0, 'fail')).ticks(T0, at(30)).take(pinged(30)).ticks(at(30), at(60))
  t.equal(world.early()?.inputs.length, 2, 'the row goes with the last of them')
  world.take(configInput(config(), { timestamp: at(60) }))
  t.same([world.told, world.row().pings, world.row().last_ping_at], [[], 1, at(30)], 'what is forgotten counts for nothing')
})

t.test('an early ping does not expire while ticks are missing', async (t) => {
  const world = new World()
    .take(tickInput(T0), pinged(0))
    .take(tickInput(at(600)))
    .ticks(at(600), at(659))
  t.equal(world.early()?.next_at, at(660))
  t.equal(world.ticks(at(659), at(660)).early(), null)
})

t.test('only the newest 100 early pings are kept', async (t) => {
  const world = new World().take(...Array.from({ length: 130 }, (_, nth) => pinged(nth * 0.1, nth === 29 ? 'fail' : 'success')))
  t.equal(world.early()?.inputs.length, 100)
  world.take(configInput(config()))
  t.same([world.told, world.row().pings, world.row().last_ping_at], [[], 100, at(12.9)])
})

t.test('many refusals of a door displace no early ping', async (t) => {
  const gaps = Array.from({ length: 200 }, (_, nth) => gapInput(at(nth * 0.2), at(nth * 0.2 + 5)))
  t.equal(new World().take(pinged(0), ...gaps).early()?.inputs.length, 2)
})

t.test('early pings of too many heartbeats are refused until there is room again', async (t) => {
  const names = Array.from({ length: MAX_EARLY_ROWS }, (_, nth) => id(`beat ${nth}`))
  const first = names[0] ?? ''
  const all = names.map((name) => pinged(0, 'success', { heartbeat_id: name }))
  const world = new World().take(tickInput(T0), ...all)
  t.same(world.refused, [])
  world.take(pinged(1), pinged(1, 'fail', { heartbeat_id: first }))
  t.match(world.refused, [{ input: { value: { heartbeat_id } }, reason: /1000 such are kept/ }], 'one more ping of a kept one is kept')
  world.take(configInput(config({ heartbeat_id: first })), pinged(2))
  t.equal(world.early()?.inputs.length, 1)
  world.ticks(T0, at(60)).take(pinged(61, 'success', { heartbeat_id: first }), pinged(61, 'success', { heartbeat_id: id('another') }))
  t.same([world.refused.length, keys(world.state).length], [1, 4], 'the partition, the known one, and two that wait')
})

t.test('early pings are stored when they come and go, but not at the ticks between', async (t) => {
  const world = new World().take(tickInput(T0))
  const came = fold(frozen(world.state), [pinged(0)])
  t.same([keys(came.changed), keys(came.kept)], [[earlyKey(heartbeat_id)], []])
  world.take(pinged(0)).ticks(T0, at(58))
  const quiet = fold(frozen(world.state), [tickInput(at(59))])
  t.same([keys(quiet.changed), keys(quiet.kept)], [[], [partitionKey(0)]])
  const gone = fold(frozen(world.ticks(at(58), at(59)).state), [tickInput(at(60))])
  t.same([gone.changed.get(earlyKey(heartbeat_id)), keys(gone.changed)], [null, [earlyKey(heartbeat_id), partitionKey(0)]])
  const known = fold(frozen(world.state), [configInput(config(), { timestamp: at(59) })])
  t.same(keys(known.changed), [heartbeat_id, earlyKey(heartbeat_id)].sort())
})

t.test('an early ping in the same batch as its configuration is not stored', async (t) => {
  const { changed, kept } = fold(new Map(), [pinged(0), configInput(config(), { timestamp: at(1) })])
  t.same([keys(changed), keys(kept)], [[heartbeat_id], []])
})

t.test('early pings work beside rows that an older version stored', async (t) => {
  const old = new World().take(configInput(config({ heartbeat_id: id('old') })), tickInput(T0))
  const world = new World()
  for (const [key, row] of old.state) world.state.set(key, JSON.parse(JSON.stringify(row)))
  world.take(pinged(1), configInput(config(), { timestamp: at(2) })).ticks(T0, at(2 * (MINUTE / SECOND)))
  t.equal(world.row().status, 'missed')
  t.equal(world.row(id('old')).phase, 'waiting')
})
