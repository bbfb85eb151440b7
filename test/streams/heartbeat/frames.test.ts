/**
 * Tests that dashboards also get a frame when a heartbeat changes without a ping: when it is
 * missed, paused or resumed.
 */
import t from 'tap'
import { createRepeats } from '../../../services/gateway/repeats.ts'
import { config, configInput, heartbeat_id, MINUTE, ping, pingInput, SECOND, T0, team_id, tenant_id, tickInput, World } from './build.ts'

interface Told {
  aggregate: string
  ver: number
  audience: string
  status: string
  last_ping_at: string | null
}

/** Frames of changes, in order, without hints. */
const frames = (world: World): Told[] =>
  world.outgoing.flatMap((one) => {
    if (one.body !== 'frame') return []
    const frame = JSON.parse(one.json)
    t.match(frame, { channel: 'heartbeats.status', type: 'heartbeat.ping_received', data: { heartbeat_id }, ver: one.ver })
    t.match(one, { topic: 'realtime.frames.v1', key: tenant_id, event_type: 'heartbeat.ping_received' })
    const { status, last_ping_at } = frame.data
    return [{ aggregate: one.aggregate, ver: one.ver, audience: one.audience, status, last_ping_at }]
  })

const iso = (ms: number): string => new Date(ms).toISOString()
const aggregate = `heartbeat:${heartbeat_id}`

t.test('a miss, a pause and a resume send a frame through the outbox', async (t) => {
  const world = new World().take(configInput(config()), pingInput(ping(T0)), tickInput(T0)).ticks(T0, T0 + 2 * MINUTE)
  world.take(configInput(config({ version: 2, at: T0 + 2 * MINUTE, paused: true })))
  world.take(configInput(config({ version: 3, at: T0 + 3 * MINUTE })))
  const last_ping_at = iso(T0)
  t.same(frames(world), [
    { aggregate, ver: 1, audience: 'tenant', status: 'missed', last_ping_at },
    { aggregate, ver: 2, audience: 'tenant', status: 'missed', last_ping_at },
    { aggregate, ver: 3, audience: 'tenant', status: 'up', last_ping_at }
  ])
})

t.test('without any ping the frame has null as the time of the last ping', async (t) => {
  const world = new World().take(configInput(config()), configInput(config({ version: 2, paused: true })))
  t.same(frames(world), [{ aggregate, ver: 1, audience: 'tenant', status: 'up', last_ping_at: null }])
})

t.test('a private heartbeat without a team sends no frame', async (t) => {
  const told = (over: object) =>
    frames(new World().take(configInput(config(over)), configInput(config({ ...over, version: 2, paused: true }))))
  t.same(told({ visibility: 'private' }), [])
  t.match(told({ visibility: 'private', team_id }), [{ audience: `team:${team_id}` }])
})

t.test('the gateway takes no frame for a repeat, even after many pings', async (t) => {
  const world = new World().take(configInput(config()), tickInput(T0))
  for (let nth = 0; nth < 50; nth++) world.take(pingInput(ping(T0 + nth * 2 * SECOND)), tickInput(T0 + nth * 2 * SECOND + SECOND))
  world.take(configInput(config({ version: 2, at: T0 + 2 * MINUTE, paused: true })))
  const repeats = createRepeats()
  const seen = [...world.hints, ...frames(world)].map(({ aggregate, ver, audience }) =>
    repeats.seen({ aggregate, ver: String(ver), audience }, 0)
  )
  t.equal(world.hints.length, 50)
  t.same([...new Set(seen)], [false])
})
