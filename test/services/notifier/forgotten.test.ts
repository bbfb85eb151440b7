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

t.test('what was told of an incident is kept while it goes on and until its end is told, or else for 400 days', async (t) => {
  const s = await stand(t, { jobs: true })
  const log = createLog('test', 'silent')
  const one = startWorker({ pool: s.systemPool, codec: localCodec(), log, metrics: createMetrics(), runs, pollMs: 20 })
  t.teardown(() => one.close())
  await channel(s, s.acme, { config: { url: 'https://127.0.0.1/' } })
  const kept = ['goes on', 'goes on in another', 'is over since today']
  const ids = new Map<string, string>()
  for (const key of [...kept, 'is over']) ids.set(key, (await s.incident(s.acme, { dedup_key: `int:x:${key}` })).incident_id)
  const count = async (table: string, key: string): Promise<number | null> =>
    (await s.systemPool.query(`SELECT FROM ${table} WHERE incident_id = $1`, [ids.get(key)])).rowCount
  for (const key of ids.keys()) await until('it to be told', async () => (await count('deliveries', key)) === 1)
  const ends = (key: string, days: number, reason: string, into: string | undefined = undefined) =>
    s.systemPool.query(
      "UPDATE incidents SET status = 'resolved', resolved_at = now() - make_interval(days => $2), resolution_reason = $3, merged_into = $4 WHERE incident_id = $1",
      [ids.get(key), days, reason, into]
    )
  await ends('goes on in another', 450, 'merged', ids.get('goes on'))
  await ends('is over since today', 0, 'user')
  await ends('is over', 450, 'user')
  for (const [table, at] of [
    ['deliveries', 'queued_at'],
    ['incident_tellings', 'updated_at']
  ] as const)
    await s.systemPool.query(`UPDATE ${table} SET ${at} = now() - interval '500 days' WHERE incident_id = ANY ($1)`, [[...ids.values()]])
  await forgetDeliveries(s.systemPool)
  for (const table of ['deliveries', 'incident_tellings']) {
    for (const key of kept) t.equal(await count(table, key), 1, `${table}: ${key}`)
    t.equal(await count(table, 'is over'), 0, table)
  }
})
