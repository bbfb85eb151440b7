/**
 * Tests whole batches: what is stored at once and what may be stored later, which ticks count,
 * which notices are made, and which frames dashboards get.
 */
import t from 'tap'
import { partitionKey } from '../../../streams/heartbeat/state.ts'
import {
  config,
  configInput,
  fold,
  frozen,
  gapInput,
  heartbeat_id,
  ping,
  pingInput,
  SECOND,
  T0,
  team_id,
  tenant_id,
  tickInput,
  World
} from './build.ts'

const at = (second: number): number => T0 + second * SECOND
const keys = (map: ReadonlyMap<string, unknown>): string[] => [...map.keys()].sort()

t.test('a ping is stored at once, and a tick that changes nothing may be stored later', async (t) => {
  const world = new World().take(configInput(config()), tickInput(T0))
  const pinged = fold(frozen(world.state), [pingInput(ping(at(1)))])
  t.same([keys(pinged.changed), keys(pinged.kept)], [[heartbeat_id], []])
  const ticked = fold(frozen(world.state), [tickInput(at(1))])
  t.same([keys(ticked.changed), keys(ticked.kept)], [[], [partitionKey(0)]])
})

t.test('the last tick is stored together with a ping', async (t) => {
  const world = new World().take(configInput(config()), tickInput(T0))
  const { changed, kept } = fold(frozen(world.state), [tickInput(at(1)), pingInput(ping(at(1)))])
  t.same([keys(changed), keys(kept)], [[heartbeat_id, partitionKey(0)].sort(), []])
})

t.test('the start of the grace period may be stored later, but a miss must not', async (t) => {
  const world = new World().take(configInput(config()), pingInput(ping(T0))).ticks(T0, at(59))
  t.same(keys(fold(frozen(world.state), [tickInput(at(60))]).kept), [heartbeat_id, partitionKey(0)].sort())
  world.ticks(at(59), at(97))
  t.same(keys(fold(frozen(world.state), [tickInput(at(98))]).changed), [heartbeat_id, partitionKey(0)].sort())
})

t.test('a tick counts only if both clocks advanced alike, and an older tick never counts', async (t) => {
  const last = (...ticks: ReturnType<typeof tickInput>[]) => new World().take(...ticks).state.get(partitionKey(0))
  t.match(last(tickInput(T0)), { last_tick: T0 })
  t.match(last(tickInput(T0), tickInput(at(2)), tickInput(at(1))), { last_tick: at(2) })
  t.match(last(tickInput(T0), tickInput(at(1), { timestamp: at(6) })), { last_tick: at(1) })
  t.match(last(tickInput(T0), tickInput(at(1), { timestamp: at(6) + 1 })), { last_tick: T0 })
  t.match(last(tickInput(T0), tickInput(at(8), { timestamp: at(2) })), { last_tick: T0 })
})

t.test('a clock that jumps by an hour causes no miss, and makes one notice', async (t) => {
  const world = new World().take(configInput(config()), pingInput(ping(T0))).ticks(T0, at(50))
  world.take(tickInput(at(3650), { timestamp: at(51) })).ticks(at(50), at(59))
  t.same([world.told, world.row().phase], [[], 'on_time'])
  t.same(world.notices, [{ cause: 'ticks_ignored', from: at(50), to: at(50) }])
  t.same([world.remarks.ticks_stray, world.remarks.ticks_old], [1, 0])
})

t.test('outages make notices, but the first tick of a partition does not', async (t) => {
  const world = new World().take(tickInput(at(100)), tickInput(at(103)), tickInput(at(107)))
  t.same(world.notices, [{ cause: 'tick_gap', from: at(103), to: at(107) }])
  world.take(gapInput(at(104), at(108)), gapInput(at(104), at(109), 'unconfirmed'))
  t.same(world.notices.slice(1), [
    { cause: 'door_refused', from: at(104), to: at(108) },
    { cause: 'door_unconfirmed', from: at(104), to: at(109) }
  ])
})

t.test('each partition has its own ticks', async (t) => {
  const world = new World().take(tickInput(T0), tickInput(at(60), { partition: 1 }), tickInput(at(1)))
  t.same(world.notices, [])
  t.match(world.state.get(partitionKey(1)), { last_tick: at(60) })
})

t.test('the exact frame that dashboards get for a ping', async (t) => {
  const { hints } = new World().take(configInput(config()), pingInput(ping(T0), { timestamp: T0 + 7 }))
  t.same(hints, [
    {
      tenant_id,
      aggregate: `heartbeat-ping:${heartbeat_id}`,
      ver: 1,
      event_type: 'heartbeat.ping_received',
      json: `{"channel":"heartbeats.status","type":"heartbeat.ping_received","data":{"heartbeat_id":"${heartbeat_id}","status":"up","last_ping_at":"2026-03-01T12:00:00.000Z"},"at":"2026-03-01T12:00:00.007Z","ver":1}`,
      audience: 'tenant'
    }
  ])
})

t.test('frames come at most once a second, and the next tick sends the latest ping', async (t) => {
  const world = new World().take(configInput(config()), tickInput(T0), ...[0, 200, 400, 900].map((ms) => pingInput(ping(T0 + ms))))
  t.same(
    world.hints.map(({ ver }) => ver),
    [1]
  )
  world.ticks(T0, at(3))
  t.same(
    world.hints.map(({ ver }) => ver),
    [1, 4]
  )
  t.match(JSON.parse(world.hints[1]?.json ?? ''), { data: { last_ping_at: '2026-03-01T12:00:00.900Z' }, ver: 4 })
  world.take(pingInput(ping(at(10))), pingInput(ping(at(11))))
  t.same(
    world.hints.map(({ ver }) => ver),
    [1, 4, 5, 6]
  )
})

t.test('frames of a private heartbeat reach only its team, and nobody without a team', async (t) => {
  const audience = (over: object) => new World().take(configInput(config(over)), pingInput(ping(T0))).hints.map((hint) => hint.audience)
  t.same(audience({ visibility: 'private', team_id }), [`team:${team_id}`])
  t.same(audience({ visibility: 'private' }), [])
  t.same(audience({ visibility: 'org' }), ['tenant'])
  t.same(audience({ visibility: 'org', team_id }), [`org-team:${team_id}`], 'whether it is private now is asked when it is sent')
})

t.test('a log ping and a ping during a pause make no frame', async (t) => {
  const world = new World().take(configInput(config()), pingInput(ping(T0, { kind: 'log' })))
  world.take(configInput(config({ version: 2, paused: true })), pingInput(ping(at(5))))
  t.same(world.hints, [])
})
