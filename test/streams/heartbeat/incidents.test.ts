/**
 * Tests heartbeats and incidents together: the transitions of the heartbeat fold are the signals of
 * the incident fold.
 */
import t from 'tap'
import type { Input } from '../../../streams/define.ts'
import { world as incidentWorld } from '../incident/build.ts'
import { config, configInput, gapInput, heartbeat_id, MINUTE, ping, pingInput, SECOND, T0, tenant_id, tickInput, World } from './build.ts'

/** A heartbeat with a first ping at T0 and a tick, and the incidents that its transitions open. */
function pair() {
  const beats = new World().take(configInput(config()), pingInput(ping(T0)), tickInput(T0))
  const incidents = incidentWorld()
  let read = 0
  return {
    beats,
    incidents,
    /** Hands over the transitions since the last call. */
    flow(): void {
      const inputs: Input[] = beats.told.slice(read).map((value, nth) => ({
        record: 'HeartbeatTransition',
        value,
        topic: 'heartbeat.transitions.v1',
        partition: 0,
        offset: BigInt(read + nth),
        timestamp: value.at + 5,
        key: value.heartbeat_id
      }))
      read = beats.told.length
      incidents.take(inputs)
    }
  }
}
const statuses = (incidents: ReturnType<typeof incidentWorld>): string[] => incidents.of(`hb:${heartbeat_id}`).map(({ status }) => status)

t.test('a missed heartbeat opens one incident, and the next ping resolves it', async (t) => {
  const { beats, incidents, flow } = pair()
  beats.ticks(T0, T0 + 5 * MINUTE)
  flow()
  t.equal(beats.row().missed_count, 4)
  t.match(incidents.of(`hb:${heartbeat_id}`), [
    {
      tenant_id,
      status: 'ongoing',
      title: 'Nightly backup missed its ping',
      severity: 'critical',
      heartbeat_id,
      monitor_id: null,
      started_at: T0 + MINUTE,
      detected_at: T0 + 98 * SECOND
    }
  ])
  beats.take(pingInput(ping(T0 + 301 * SECOND)))
  flow()
  t.same(statuses(incidents), ['resolved'])
  beats.ticks(T0 + 301 * SECOND, T0 + 420 * SECOND)
  flow()
  t.same(statuses(incidents), ['resolved', 'ongoing'], 'another miss is another incident')
})

t.test('a miss that turns into a failure stays one incident', async (t) => {
  const { beats, incidents, flow } = pair()
  beats.ticks(T0, T0 + 100 * SECOND).take(pingInput(ping(T0 + 101 * SECOND, { kind: 'fail' })))
  flow()
  t.same(
    beats.told.map(({ phase }) => phase),
    ['missed', 'failed']
  )
  t.same(statuses(incidents), ['ongoing'])
})

t.test('an unknown or paused heartbeat opens no incident', async (t) => {
  const { beats, incidents, flow } = pair()
  beats.ticks(T0, T0 + 70 * SECOND).take(gapInput(T0 + 60 * SECOND, T0 + 70 * SECOND), tickInput(T0 + 90 * SECOND))
  beats.take(configInput(config({ version: 2, at: T0 + 91 * SECOND, paused: true })))
  beats.ticks(T0 + 91 * SECOND, T0 + 400 * SECOND)
  flow()
  t.same(
    beats.told.map(({ phase }) => phase),
    ['unknown', 'paused']
  )
  t.same(statuses(incidents), [])
})

t.test('a missed heartbeat keeps its incident while paused, and resolves it when resumed', async (t) => {
  const { beats, incidents, flow } = pair()
  beats.ticks(T0, T0 + 100 * SECOND).take(configInput(config({ version: 2, at: T0 + 101 * SECOND, paused: true })))
  flow()
  t.same(statuses(incidents), ['ongoing'])
  beats.take(configInput(config({ version: 3, at: T0 + 200 * SECOND })))
  flow()
  t.same(statuses(incidents), ['resolved'])
})
