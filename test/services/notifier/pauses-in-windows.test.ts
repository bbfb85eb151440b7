/**
 * Tests of pauses by people and by maintenance windows that meet, on a real Postgres: a person's
 * pause outlasts the window, and a pause that ends within the window becomes one of the window.
 */
import t, { type Test } from 'tap'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { changeJobs } from '../../../services/store/jobs.ts'
import { transaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { create, MONITORS } from '../api/monitoring.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { heartbeat } from '../api/watched.ts'

const WINDOWS = '/api/v1/maintenance-windows'
const HEARTBEATS = '/api/v1/heartbeats'
const HOUR = 3_600_000
const codec = localCodec()

function worker(t: Test, s: Stand): void {
  const one = startWorker({ pool: s.systemPool, codec, log: createLog('test', 'silent'), metrics: createMetrics(), runs, pollMs: 20 })
  t.teardown(() => one.close())
}

const later = (ms: number): string => new Date(Date.now() + ms).toISOString()

async function window(s: Stand, who: Workspace): Promise<string> {
  const schedule = { kind: 'once', starts_at: later(0), ends_at: later(HOUR) }
  const answer = await s.call(who, 'POST', WINDOWS, { name: 'Work', scope: { all: true }, effect: 'pause_checks', schedule })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json().id
}

t.test('pauses of people and of windows', async (t) => {
  const s = await stand(t, { jobs: true })
  worker(t, s)
  const read = async (who: Workspace, path: string) => (await s.call(who, 'GET', path)).json()
  const end = (who: Workspace, id: string) => s.call(who, 'POST', `${WINDOWS}/${id}/end-now`, {})
  /** Waits until every due job has run. */
  const quiet = () =>
    until('no job to be due', async () => (await s.systemPool.query('SELECT FROM jobs WHERE run_at <= now()')).rowCount === 0)
  const pausedBy = (who: Workspace, paths: readonly string[], id: string) =>
    until('the window to pause them', async () => {
      for (const path of paths) if ((await read(who, path)).paused_by !== `maintenance:${id}`) return false
      return true
    })

  await t.test('what a person pauses within a window stays paused after it', async (t) => {
    const home = await s.workspace('person')
    const [one, byBulk, left] = [await create(s, home), await create(s, home), await create(s, home)]
    const nightly = await heartbeat(s, home, 'nightly')
    const paths = [`${MONITORS}/${one.id}`, `${MONITORS}/${byBulk.id}`, `${HEARTBEATS}/${nightly}`]
    const id = await window(s, home)
    await pausedBy(home, [...paths, `${MONITORS}/${left.id}`], id)

    const asked = { reason: 'decommissioned', minutes: 720 }
    const paused = await s.call(home, 'POST', `${MONITORS}/${one.id}/pause`, asked)
    t.match(paused.json(), { status: 'paused', pause_reason: 'user', pause_comment: 'decommissioned' })
    const bulk = await s.call(home, 'POST', `${MONITORS}/bulk`, { ids: [byBulk.id], action: 'pause', ...asked })
    t.match(bulk.json(), { changed: [byBulk.id], failed: [] })
    const waits = await s.call(home, 'POST', `${HEARTBEATS}/${nightly}/pause`, { ...asked, unpause_on_ping: true })
    t.match(waits.json(), { pause_reason: 'user', unpause_on_ping: true })
    const { version } = (await s.call(home, 'POST', `${MONITORS}/${one.id}/pause`, { reason: 'again' })).json()
    t.equal(version, paused.json().version, 'a repeat changes nothing')

    await end(home, id)
    await until('the window to let the rest go on', async () => (await read(home, `${MONITORS}/${left.id}`)).paused_at === null)
    await quiet()
    for (const path of paths) {
      const target = await read(home, path)
      t.match(target, { pause_reason: 'user', pause_comment: 'decommissioned' }, path)
      t.ok(Date.parse(target.resume_at) > Date.now() + 11 * HOUR, 'until the time that was asked for')
    }
    const jobs = await s.systemPool.query('SELECT FROM jobs WHERE tenant_id = $1 AND kind = ANY ($2)', [
      home.tenant_id,
      ['monitor_resume', 'heartbeat_resume']
    ])
    t.equal(jobs.rowCount, 3, 'and a job ends each')
  })

  await t.test('a ping that ends a pause within a window leaves the heartbeat to the window', async (t) => {
    const home = await s.workspace('ping')
    const nightly = await heartbeat(s, home, 'nightly')
    const path = `${HEARTBEATS}/${nightly}`
    const { version } = (await s.call(home, 'POST', `${path}/pause`, { unpause_on_ping: true, minutes: 300 })).json()
    const id = await window(s, home)
    await quiet()
    t.match(await read(home, path), { pause_reason: 'user' }, 'a pause by a person is left alone')
    await transaction(s.systemPool, (tx) =>
      changeJobs(tx, [
        {
          start: 'heartbeat_unpause',
          idem_key: `heartbeat_unpause:${nightly}:${version}`,
          tenant_id: home.tenant_id,
          run_at: Date.now(),
          payload: { heartbeat_id: nightly, version }
        }
      ])
    )
    await pausedBy(home, [path], id)
    t.match(await read(home, path), { pause_reason: 'maintenance', unpause_on_ping: false })
    const jobs = await s.systemPool.query("SELECT FROM jobs WHERE tenant_id = $1 AND kind = 'heartbeat_resume'", [home.tenant_id])
    t.equal(jobs.rowCount, 0, 'the end of the earlier pause is gone')
    await end(home, id)
    await until('it to go on', async () => (await read(home, path)).paused_at === null)
  })
})
