/**
 * Test of the migration that decides anew who is on call, on a real Postgres: what the version
 * before decided while it still worked does not hold.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { sweepSchedules } from '../../../services/store/schedule-history.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { ask, daily, done, HOUR, later, nowItem, ROOT, schedule } from '../api/on-calling.ts'
import { person } from '../api/people.ts'
import { stand } from '../api/stand.ts'

t.test('a person whose override lost by the former order is on call after the migration', async (t) => {
  const s = await stand(t)
  const home = await s.workspace('schedule-anew', 'pro')
  const [ada, ben] = [await person(s, home, 'anew-ada', 'responder'), await person(s, home, 'anew-ben', 'responder')]
  const { id } = await schedule(s, home, [daily([home.user_id])])
  const plain = await schedule(s, home, [daily([home.user_id])], { name: 'Secondary' })
  const override = async (user_id: string): Promise<string> =>
    (await done(ask(s, home, 'POST', `${ROOT}/overrides`, { schedule_id: id, user_id, starts_at: later(0), ends_at: later(3 * HOUR) }))).id
  await override(ada.user_id)
  const later_one = await override(ben.user_id)
  // The version before took the later override, and its clock has looked at the schedule since.
  await s.systemPool.query("UPDATE on_call_overrides SET from_calendar = true, created_by = 'system:calendar' WHERE override_id = $1", [
    later_one
  ])
  await sweepSchedules(s.systemPool)
  const who = async (): Promise<string[]> => (await nowItem(s, home, id)).users.map((one) => one.id)
  t.same(await who(), [ben.user_id])

  await s.ownerPool.query(readFileSync(join(projectRoot, 'schemas/postgres/0237_overrides_decided_again.sql'), 'utf8'))
  const jobs = async (): Promise<unknown[]> =>
    (await s.systemPool.query("SELECT payload ->> 'schedule_id' AS id FROM jobs WHERE kind = 'schedule_anew'")).rows
  t.same(await jobs(), [{ id }], `${plain.id} has no override`)
  const worker = startWorker({
    pool: s.systemPool,
    codec: localCodec(),
    log: createLog('test', 'silent'),
    metrics: createMetrics(),
    runs,
    pollMs: 20
  })
  t.teardown(() => worker.close())
  await until('the job is done', async () => (await jobs()).length === 0)
  t.same(await who(), [ada.user_id])
  const { rows } = await s.ownerPool.query(
    "SELECT relname FROM pg_class WHERE relname IN ('schedules', 'on_call_overrides', 'jobs') AND relforcerowsecurity"
  )
  t.equal(rows.length, 3, 'the policies hold again')
})
