/**
 * The role `notifier`. It runs the timers of people's actions (the end of a silence, of a pause, or
 * of the quiet after a resolve), escalation steps, silent senders, integrations that ignore
 * everything, digests and reminders, override calendars, and the deliveries.
 */
import type { TopicName } from '../../schemas/topics.ts'
import { readLogState } from '../../streams/runtime/connect.ts'
import { channels } from '../channels/kinds/index.ts'
import { deploymentOf, sendersOf } from '../delivery/senders.ts'
import type { StartRole } from '../process/role.ts'
import { createPool } from '../store/pool.ts'
import { startAutoResolve } from './auto-resolve.ts'
import { startReadCalendars } from './calendars.ts'
import { createCatchUp } from './catch-up.ts'
import { startTellCertificates } from './certificates.ts'
import { startDeliverer } from './deliver.ts'
import { startReleaseHeld } from './held-again.ts'
import { startTellIgnoring } from './ignoring.ts'
import { runs } from './jobs/index.ts'
import { startTellShifts } from './shift-notices.ts'
import { startWaking } from './waking.ts'
import { startWorker } from './worker.ts'

/**
 * One connection for each place of the worker (16), plus those for its looks, for waking it, for
 * deliveries, for the workspaces whose quiet incidents are resolved at once, for held incidents,
 * and for shifts.
 */
const CONNECTIONS = 28

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
  const kafka = { brokers: config.kafkaBrokers, clientId: `notifier-${instance}`, topicPrefix: config.topicPrefix, log }
  const endsOf = async (topics: readonly TopicName[]) => (await readLogState(kafka, topics)).ends
  const catchUp = createCatchUp({ pool, kinds: Object.keys(runs), endsOf, log, metrics })
  const deliverer = startDeliverer({
    pool,
    codec,
    log,
    metrics,
    channels,
    senders,
    deployment,
    secretsKey,
    publicUrl,
    worker: instance,
    catchUp
  })
  const post = { ...senders, deployment, secretsKey, publicUrl }
  const worker = startWorker({ pool, codec, log, metrics, runs, desk: deliverer, post, leaseMs: jobLeaseMs, catchUp })
  const stopWaking = startWaking(pool, worker.wake, log)
  const stopAutoResolve = startAutoResolve({ pool, endsOf, codec, log, catchUp })
  const stopReleaseHeld = startReleaseHeld(pool, codec, log, catchUp)
  const stopTellIgnoring = startTellIgnoring(pool, codec, log)
  const stopTellCertificates = startTellCertificates(pool, codec, log)
  const stopTellShifts = startTellShifts(pool, codec, log)
  const stopReadCalendars = startReadCalendars({ pool, http: senders.http, secretsKey, log })
  return {
    ready: () => ({ jobs: worker.ready(), deliveries: deliverer.ready() }),
    async close() {
      await Promise.all([
        worker.close(),
        catchUp.close(),
        stopWaking(),
        stopAutoResolve(),
        stopReleaseHeld(),
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
