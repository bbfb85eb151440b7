/** What the internal listener of a process tells of its readiness. */
import t from 'tap'
import { startLooking } from '../../../services/notifier/looking.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics, serveMetrics } from '../../../services/process/metrics.ts'
import { createPool } from '../../../services/store/pool.ts'
import { until } from '../../harness/until.ts'

t.test('the metrics say which part cannot work, as the readiness check does', async (t) => {
  // Nothing listens there, so each look at Postgres fails.
  const pool = createPool('postgres://nobody@127.0.0.1:1/none', { application_name: 'test', max: 1 })
  t.teardown(() => pool.end())
  let canLook = false
  const jobs = startLooking({
    look: async () => {
      if (!canLook) await pool.query('SELECT 1')
      return 20
    },
    leastMs: () => 20,
    pollMs: 20,
    log: createLog('test', 'silent'),
    failed: 'the look failed',
    onFailure: () => undefined
  })
  t.teardown(() => jobs.close())
  const internal = await serveMetrics(createMetrics(), {
    port: 0,
    ready: () => ({ started: true, jobs: jobs.ready() }),
    serves: () => false
  })
  t.teardown(() => internal.close())
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${internal.port}${path}`, { headers: { connection: 'close' } })
  const readiness = async (): Promise<string[]> => (await (await get('/metrics')).text()).match(/^service_role_ready\{.*/gm) ?? []

  t.equal((await get('/health/ready')).status, 503)
  t.same(await readiness(), ['service_role_ready{part="started"} 1', 'service_role_ready{part="jobs"} 0'])
  canLook = true
  await until('a look that works', async () => (await get('/health/ready')).status === 200)
  t.same(await readiness(), ['service_role_ready{part="started"} 1', 'service_role_ready{part="jobs"} 1'])
  canLook = false
  await until('a look that fails', async () => (await get('/health/ready')).status === 503)
  t.same(
    await readiness(),
    ['service_role_ready{part="started"} 1', 'service_role_ready{part="jobs"} 0'],
    'it does not keep its last value'
  )
})
