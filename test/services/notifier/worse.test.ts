/**
 * Tests on a real Postgres that an incident that gets worse is told to channels that its severity
 * was too low for before, and to nobody twice.
 */
import t from 'tap'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { stand } from '../api/stand.ts'
import { channel } from './channels.ts'

t.test('a channel for critical incidents hears of one that gets critical, however it does', async (t) => {
  const s = await stand(t, { jobs: true })
  const one = startWorker({
    pool: s.systemPool,
    codec: localCodec(),
    log: createLog('test', 'silent'),
    metrics: createMetrics(),
    runs,
    pollMs: 20
  })
  t.teardown(() => one.close())
  const config = { url: 'https://127.0.0.1/' }
  const all = await channel(s, s.acme, { config })
  const critical = await channel(s, s.acme, { config, min_severity: 'critical' })
  const told = async (incident_id: string): Promise<string[]> => {
    const { rows } = await s.systemPool.query<{ event: string; channel_id: string }>(
      'SELECT event, channel_id FROM intents WHERE incident_id = $1 ORDER BY at, event, channel_id',
      [incident_id]
    )
    return rows.map(({ event, channel_id }) => `${event} ${channel_id === all ? 'all' : channel_id === critical ? 'critical' : channel_id}`)
  }
  const quiet = () =>
    until('no job to be due', async () => (await s.systemPool.query('SELECT FROM jobs WHERE run_at <= now()')).rowCount === 0)
  const patch = (id: string, severity: string) => s.call(s.acme, 'PATCH', `/api/v1/incidents/${id}`, { severity })

  const ways: [string, (id: string, key: string) => Promise<unknown>][] = [
    ['its source says so', (_id, key) => s.signal(s.acme, { dedup_key: key, severity: 'critical' })],
    ['a person says so', (id) => patch(id, 'critical')]
  ]
  for (const [nth, [name, rise]] of ways.entries()) {
    const key = `int:x:worse ${nth}`
    const { incident_id } = await s.incident(s.acme, { dedup_key: key, severity: 'warning' })
    await until('it to be told', async () => (await told(incident_id)).length === 1)
    t.same(await told(incident_id), ['down all'])
    await rise(incident_id, key)
    await until('the rise to be told', async () => (await told(incident_id)).length === 2)
    t.same(await told(incident_id), ['down all', 'down critical'], name)
    await patch(incident_id, 'warning')
    await patch(incident_id, 'critical')
    await s.signal(s.acme, { dedup_key: key, severity: 'critical', title: 'Other' })
    await quiet()
    t.equal((await told(incident_id)).length, 2, 'once')
  }

  const key = 'int:x:known'
  const { incident_id } = await s.incident(s.acme, { dedup_key: key, severity: 'warning' })
  await until('it to be told', async () => (await told(incident_id)).length === 1)
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/acknowledge`, {})
  await s.signal(s.acme, { dedup_key: key, severity: 'critical' })
  await quiet()
  t.notOk((await told(incident_id)).includes('down critical'), 'not while somebody works on it')
  await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/unacknowledge`, {})
  await until('it to be told', async () => (await told(incident_id)).includes('down critical'))
})
