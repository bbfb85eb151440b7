/**
 * The role `notifier`: the timers of people's acts (a silence's end, a pause's end, the quiet after
 * a resolve), the steps of escalations, silent senders, integrations that ignore everything,
 * digests and reminders, calendars of overrides; and the deliveries.
 */
import { channels } from '../channels/kinds/index.ts'
import { deploymentOf, sendersOf } from '../delivery/senders.ts'
import type { StartRole } from '../process/role.ts'
import { createPool } from '../store/pool.ts'
import { startAutoResolve } from './auto-resolve.ts'
import { startReadCalendars } from './calendars.ts'
import { startTellCertificates } from './certificates.ts'
import { startDeliverer } from './deliver.ts'
import { startTellIgnoring } from './ignoring.ts'
import { runs } from './jobs/index.ts'
import { startTellShifts } from './shift-notices.ts'
import { startWaking } from './waking.ts'
import { startWorker } from './worker.ts'

/**
 * A place of the worker each (16), its looks, what wakes it, deliveries, and workspaces whose quiet
 * incidents are resolved at once; shifts.
 */
const CONNECTIONS = 27

export const start: StartRole = async ({ config, log, metrics, codec: connectCodec }) => {
  const pool = createPool(config.postgresSystemUrl, {
    application_name: 'notifier',
    max: CONNECTIONS,
    keepPlans: true,
    byKey: true,
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const codec = await connectCodec()
  const senders = sendersOf(config, pool)
  const { secretsKey, publicUrl, instance, jobLeaseMs } = config
  const deployment = deploymentOf(config)
  const deliverer = startDeliverer({ pool, codec, log, metrics, channels, senders, deployment, secretsKey, publicUrl, worker: instance })
  const post = { ...senders, deployment, secretsKey, publicUrl }
  const worker = startWorker({ pool, codec, log, metrics, runs, desk: deliverer, post, leaseMs: jobLeaseMs })
  const stopWaking = startWaking(pool, worker.wake, log)
  const stopAutoResolve = startAutoResolve(pool, codec, log)
  const stopTellIgnoring = startTellIgnoring(pool, codec, log)
  const stopTellCertificates = startTellCertificates(pool, codec, log)
  const stopTellShifts = startTellShifts(pool, codec, log)
  const stopReadCalendars = startReadCalendars({ pool, http: senders.http, secretsKey, log })
  return {
    ready: () => ({ jobs: worker.ready(), deliveries: deliverer.ready() }),
    async close() {
      await Promise.all([
        worker.close(),
        stopWaking(),
        stopAutoResolve(),
        stopTellIgnoring(),
        stopTellCertificates(),
        stopTellShifts(),
        stopReadCalendars()
      ])
      await deliverer.close()
      senders.close()
      await pool.end()
    }
  }
}
