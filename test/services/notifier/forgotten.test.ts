/**
 * Tests on a real Postgres what is forgotten of the messages about an incident, and when.
 */
import t from 'tap'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { forgetDeliveries } from '../../../services/store/deliveries.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { stand } from '../api/stand.ts'
import { channel } from './channels.ts'

t.test('what was told of an incident is kept while it goes on, and 400 days after that', async (t) => {
  const s = await stand(t, { jobs: true })
  const log = createLog('test', 'silent')
  const one = startWorker({ pool: s.systemPool, codec: localCodec(), log, metrics: createMetrics(), runs, pollMs: 20 })
  t.teardown(() => one.close())
  await channel(s, s.acme, { config: { url: 'https://127.0.0.1/' } })
  const ids: string[] = []
  for (const key of ['goes on', 'is over']) ids.push((await s.incident(s.acme, { dedup_key: `int:x:${key}` })).incident_id)
  const [ongoing, over] = ids
  const count = async (table: string, id: string | undefined): Promise<number | null> =>
    (await s.systemPool.query(`SELECT FROM ${table} WHERE incident_id = $1`, [id])).rowCount
  for (const id of ids) await until('it to be told', async () => (await count('deliveries', id)) === 1)
  await s.systemPool.query(
    "UPDATE incidents SET status = 'resolved', resolved_at = now(), resolution_reason = 'user' WHERE incident_id = $1",
    [over]
  )
  for (const [table, at] of [
    ['deliveries', 'queued_at'],
    ['incident_tellings', 'updated_at']
  ] as const) {
    await s.systemPool.query(`UPDATE ${table} SET ${at} = now() - interval '500 days' WHERE incident_id = ANY ($1)`, [ids])
    t.same([await count(table, ongoing), await count(table, over)], [1, 1], table)
  }
  await forgetDeliveries(s.systemPool)
  for (const table of ['deliveries', 'incident_tellings']) t.same([await count(table, ongoing), await count(table, over)], [1, 0], table)
})
