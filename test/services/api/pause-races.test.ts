/**
 * Tests of a pause over the API while a decision is still on its way. They use a real Postgres, the
 * configurations as the api writes them, and incidents as the processor writes them.
 */
import t from 'tap'
import type { HeartbeatTransition, MonitorTransition } from '../../../schemas/generated/events.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { insertOutgoing } from '../../../services/store/outbox.ts'
import { transaction } from '../../../services/store/pool.ts'
import type { Input } from '../../../streams/define.ts'
import { localCodec } from '../../harness/codec.ts'
import * as beats from '../../streams/heartbeat/build.ts'
import { fold as incidentFold } from '../../streams/incident/build.ts'
import * as status from '../../streams/status/build.ts'
import { configsOf, create, MONITORS } from './monitoring.ts'
import { type Stand, stand } from './stand.ts'

const codec = localCodec()
const HEARTBEATS = '/api/v1/heartbeats'

/** The incident processor reads these decisions in one batch. */
async function decided(s: Stand, values: readonly (MonitorTransition | HeartbeatTransition)[], from: number): Promise<number> {
  const inputs = values.map((value, nth): Input => {
    const place = { partition: 0, offset: BigInt(nth), timestamp: value.at + 5 } as const
    return 'monitor_id' in value
      ? { record: 'MonitorTransition', value, topic: 'monitor.transitions.v1', key: value.monitor_id, ...place }
      : { record: 'HeartbeatTransition', value, topic: 'heartbeat.transitions.v1', key: value.heartbeat_id, ...place }
  })
  const batch = inputs.slice(from)
  await transaction(s.systemPool, async (tx) => {
    const { saved, outgoing } = incidentFold(await incidentStore.load(tx, batch), batch)
    await incidentStore.save(tx, saved)
    await insertOutgoing(tx, outgoing, codec)
  })
  return values.length
}

const incidents = async (s: Stand): Promise<{ status: string; resolution_reason: string | null }[]> =>
  (await s.systemPool.query('SELECT status, resolution_reason FROM incidents WHERE tenant_id = $1 ORDER BY number', [s.acme.tenant_id]))
    .rows

t.test('an incident of a decision older than the pause ends, unless the pause keeps it', async (t) => {
  const s = await stand(t)
  for (const [method, path, body, ends] of [
    ['POST', '/pause', {}, 'user'],
    ['POST', '/pause', { resolve_open: false }, null],
    ['DELETE', '', undefined, 'monitor_deleted']
  ] as const) {
    const { id } = await create(s, s.acme)
    const acme = status.world()
    const configure = async (): Promise<void> => {
      for (const config of await configsOf(s, id)) acme.take(status.configInput({ ...config, regions: ['a'] }, Date.now()))
    }
    await configure()
    for (const at of [status.T0, status.T0 + 60_000]) acme.take(...status.round(at, 'F', { monitor_id: id, tenant_id: s.acme.tenant_id }))
    t.match(acme.transitions(id).at(-1), { status: 'down' })

    t.ok((await s.call(s.acme, method, `${MONITORS}/${id}${path}`, body)).statusCode < 300)
    const read = await decided(s, acme.transitions(id), 0)
    t.match((await incidents(s)).at(-1), { status: 'ongoing' }, 'the decision is older than the pause')
    await configure()
    await decided(s, acme.transitions(id), read)
    const expected = ends === null ? { status: 'ongoing' } : { status: 'resolved', resolution_reason: ends }
    t.match((await incidents(s)).at(-1), expected, `${method} ${path} ${JSON.stringify(body)}`)
  }
})

t.test('a heartbeat incident of a miss older than the pause ends', async (t) => {
  const s = await stand(t)
  const body = { name: 'backup', schedule: { kind: 'period', period_seconds: 60 }, grace_seconds: 30 }
  const { id } = (await s.call(s.acme, 'POST', HEARTBEATS, body)).json()
  const world = new beats.World()
  const configure = async (): Promise<void> => {
    const sql = 'SELECT payload FROM outbox WHERE aggregate = $1 ORDER BY id'
    const { rows } = await s.systemPool.query<{ payload: Buffer }>(sql, [`heartbeat-config:${id}`])
    for (const { payload } of rows) world.take(beats.configInput(codec.decode('HeartbeatConfig', payload)))
  }
  await configure()
  world.take(beats.pingInput(beats.ping(beats.T0, { heartbeat_id: id, kind: 'fail' })))
  t.match(world.told, [{ status: 'missed', reason: 'failed' }])

  t.equal((await s.call(s.acme, 'POST', `${HEARTBEATS}/${id}/pause`, {})).statusCode, 200)
  const read = await decided(s, world.told, 0)
  t.match(await incidents(s), [{ status: 'ongoing' }])
  await configure()
  await decided(s, world.told, read)
  t.match(await incidents(s), [{ status: 'resolved', resolution_reason: 'user' }])
})

t.test('each control record has the pause, the deletion and resolve_open of its version', async (t) => {
  const s = await stand(t)
  const { id } = await create(s, s.acme)
  await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, {})
  await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { name: 'Renamed while it is paused' })
  await s.call(s.acme, 'POST', `${MONITORS}/${id}/resume`)
  await s.call(s.acme, 'DELETE', `${MONITORS}/${id}`)
  t.same(
    (await configsOf(s, id)).map(({ paused, deleted, resolve_open }) => [paused, deleted, resolve_open]),
    [
      [false, false, false],
      [true, false, true],
      [true, false, true],
      [false, false, false],
      [false, true, true]
    ]
  )
})
