/**
 * Tests, on the real log and store, a heartbeat that is pinged before its configuration is on the
 * log: the ping survives the end of the process that read it, and counts when the configuration
 * comes.
 */
import t from 'tap'
import type { HeartbeatTransition } from '../../../schemas/generated/events.ts'
import { topicNames } from '../../../schemas/topics.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { start } from '../../../services/processors/main.ts'
import { createPool } from '../../../services/store/pool.ts'
import { earlyKey } from '../../../streams/heartbeat/state.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { localCodec } from '../../harness/codec.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { config as heartbeatConfig, ping } from './build.ts'

t.setTimeout(300_000)

t.test('an early failure survives a restart, and is reported when its heartbeat is known', async (t) => {
  const config = await testConfig(t)
  await testTopics(t, config, topicNames)
  const log = createLog('test', 'silent')
  const codec = localCodec()
  const { kafkaBrokers: brokers, topicPrefix } = config
  const stream = await connectStream({ brokers, clientId: 'test-known', topicPrefix, log, metrics: createMetrics() })
  t.teardown(() => stream.close())
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => pool.end())
  const faults: unknown[] = []
  const run = () =>
    start({
      config,
      log,
      metrics: createMetrics(),
      stream: async () => stream,
      codec: async () => codec,
      fatal: (reason, error) => faults.push(reason, error)
    })
  const stored = async (key: string): Promise<Record<string, unknown> | undefined> =>
    (await pool.query("SELECT state FROM partition_state WHERE processor = 'heartbeat' AND key = $1", [key])).rows[0]?.state

  const heartbeat_id = uuidv7()
  const failure = ping(Date.now(), { heartbeat_id, event_id: uuidv7(), kind: 'fail' })
  const first = await run()
  await stream.log.append([{ topic: 'heartbeat.pings.v1', key: heartbeat_id, value: codec.encode('HeartbeatPing', failure) }])
  t.match(await until('the ping to be kept', () => stored(earlyKey(heartbeat_id))), { kind: 'early', heartbeat_id })
  t.equal(await stored(heartbeat_id), undefined)
  await first.close()

  const second = await run()
  t.teardown(() => second.close())
  const value = codec.encode('HeartbeatConfig', heartbeatConfig({ heartbeat_id, at: Date.now() }))
  const headers = { event_id: uuidv7(), event_type: 'heartbeat_config' }
  await stream.log.append([{ topic: 'heartbeat.pings.v1', key: heartbeat_id, value, headers }])
  const row = await until('the heartbeat to be known', () => stored(heartbeat_id))
  t.match(row, { status: 'missed', phase: 'failed', last_ping_at: failure.received_at })
  t.equal(await stored(earlyKey(heartbeat_id)), undefined)
  const { rows } = await pool.query<{ payload: Buffer }>("SELECT payload FROM outbox WHERE topic = 'heartbeat.transitions.v1'")
  t.match(
    rows.map(({ payload }) => codec.decode('HeartbeatTransition', payload) as HeartbeatTransition),
    [{ heartbeat_id, ver: 1, status: 'missed', reason: 'failed', cause: { event_id: failure.event_id } }]
  )
  t.same(faults, [])
})
