/**
 * `migrate --restored`, on a real Postgres: after a restore beside a kept log, every fold takes the
 * settings that Postgres has, and so does every prober.
 */
import t from 'tap'
import { changeCeiling } from '../../../services/store/budgets.ts'
import { transaction } from '../../../services/store/pool.ts'
import { settingsRestored } from '../../../services/store/restored.ts'
import { reduceHeartbeat } from '../../../streams/heartbeat/rules.ts'
import { configure } from '../../../streams/status/rules.ts'
import { localCodec } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { held, makeProber, makeRegions } from './probing.ts'
import { type Stand, stand } from './stand.ts'

const codec = localCodec()

t.test('the settings of a restored Postgres replace newer ones that a fold took from the log', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const created = async (path: string, body: object): Promise<string> => {
    const answer = await s.call(s.acme, 'POST', `/api/v1/${path}`, body)
    t.equal(answer.statusCode, 201, answer.body)
    return String(answer.json().id)
  }
  const heartbeat_id = await created('heartbeats', { name: 'Backup', schedule: { kind: 'period', period_seconds: 3600 } })
  const monitor_id = await created('monitors', { name: 'Shop', type: 'http', target: 'https://shop.example/', regions: ['eu-west'] })
  const actor = { kind: 'system', id: 'operator', via: 'cli', request_id: null } as const
  await transaction(s.systemPool, (tx) => changeCeiling(tx, codec, s.acme.tenant_id, 5000, actor))
  const window_id = await created('maintenance-windows', {
    name: 'Move',
    scope: { all: true },
    schedule: {
      kind: 'once',
      starts_at: new Date(Date.now() + 3_600_000).toISOString(),
      ends_at: new Date(Date.now() + 7_200_000).toISOString()
    }
  })
  await s.systemPool.query('DELETE FROM outbox')

  t.match(await settingsRestored(s.systemPool, codec), { monitors: 1, heartbeats: 1, budgets: 1, deleted: 0 })
  const { rows } = await s.systemPool.query('SELECT topic, payload, ver FROM outbox')
  const payloadOf = (topic: string): Buffer => rows.find((row) => row.topic === topic)?.payload

  const heartbeat = codec.decode('HeartbeatConfig', payloadOf('heartbeat.pings.v1'))
  // Somebody paused it after the backup: the log has version 6, and Postgres is at version 1.
  const paused = { ...heartbeat, version: 6, paused: true, pause_reason: 'user' as const }
  const { row } = reduceHeartbeat(null, { input: 'config', config: paused }, paused.at)
  t.equal(row?.phase, 'paused')
  t.match(reduceHeartbeat(row, { input: 'config', config: heartbeat }, heartbeat.at).row, { phase: 'waiting', config: { paused: false } })

  const monitor = codec.decode('MonitorConfig', payloadOf('checks.results.v1'))
  const moment = {
    at: monitor.at,
    clock: monitor.at,
    received_at: monitor.at,
    cause: () => record('MonitorTransition').cause,
    id: () => monitor_id
  }
  const known = configure(null, { ...monitor, version: 6, paused: true, pause_reason: 'user' }, moment)?.row ?? null
  t.match(configure(known, monitor, moment)?.row, { status: 'up', config: { paused: false } })

  t.ok(codec.decode('BudgetConfig', payloadOf('ingest.usage.v1')).version > 6)
  t.match(
    rows.find((row) => row.topic === 'maintenance.windows.v1'),
    { payload: null, ver: 1_000_001 },
    'and the window as it stands'
  )
  t.equal((await s.call(s.acme, 'GET', `/api/v1/maintenance-windows/${window_id}`)).json().version, 1, 'which people did not change')
  const versions = await s.systemPool.query(
    'SELECT kind, count(*), count(DISTINCT body) AS bodies FROM config_versions WHERE id IN ($1, $2) GROUP BY kind ORDER BY kind',
    [heartbeat_id, monitor_id]
  )
  t.same(
    versions.rows,
    ['heartbeat', 'monitor'].map((kind) => ({ kind, count: 2, bodies: 1 }))
  )
  const saved = await s.call(s.acme, 'PATCH', `/api/v1/heartbeats/${heartbeat_id}`, { name: 'Backup again' })
  t.same([saved.statusCode, saved.json().version], [200, heartbeat.version + 1])
})

/** Takes monitors, and the numbers of their assignments, back to what they are now. */
async function backup(s: Stand): Promise<() => Promise<void>> {
  const { rows } = await s.ownerPool.query('SELECT monitor_id, ver, assignment_version FROM monitors')
  const sequence = await s.ownerPool.query('SELECT last_value FROM assignment_versions')
  return () =>
    transaction(s.ownerPool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica')
      await tx.query('DELETE FROM monitors WHERE monitor_id <> ALL ($1)', [rows.map(({ monitor_id }) => monitor_id)])
      for (const row of rows)
        await tx.query('UPDATE monitors SET paused_at = NULL, deleted_at = NULL, ver = $2, assignment_version = $3 WHERE monitor_id = $1', [
          row.monitor_id,
          row.ver,
          row.assignment_version
        ])
      await tx.query('DELETE FROM config_versions WHERE version > 1')
      await tx.query(`ALTER SEQUENCE assignment_versions START WITH 1 RESTART WITH ${sequence.rows[0].last_value + 1}`)
    })
}

t.test('a prober that worked during a restore gets its whole assignment', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const create = async (name: string): Promise<string> => {
    const body = { name, type: 'http', target: 'https://shop.example/', regions: ['eu-west'] }
    return (await s.call(s.acme, 'POST', '/api/v1/monitors', body)).json().id
  }
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await create(name))
  const prober = await makeProber(s, 'eu-west')
  await prober.hello()
  const restore = await backup(s)
  const [a, b] = ids
  const changed = [await s.call(s.acme, 'POST', `/api/v1/monitors/${a}/pause`, {}), await s.call(s.acme, 'DELETE', `/api/v1/monitors/${b}`)]
  t.ok(changed.every(({ statusCode }) => statusCode < 300))
  await create('f')
  let { version } = await held(prober)

  for (const time of ['first', 'second']) {
    await restore()
    await settingsRestored(s.systemPool, codec)
    const { full, monitors, version: next } = await held(prober, `&since=${version}`)
    t.same([full, monitors.map(({ monitor_id }) => monitor_id).sort()], [true, [...ids].sort()], `after the ${time} restore`)
    t.equal((await prober.config(`&since=${next}&wait_seconds=0`)).statusCode, 204)
    t.equal((await s.call(s.acme, 'POST', `/api/v1/monitors/${a}/pause`, {})).statusCode, 200)
    t.match(await held(prober, `&since=${next}`), { full: false, monitors: [], removed: [a] })
    version = next
  }
})
