/**
 * The role `notifier`: the timers of people's acts (a silence's end, a pause's end, the quiet after
 * a resolve), the steps of escalations, silent senders, and integrations that ignore everything.
 * Deliveries join here.
 */
import type { StartRole } from '../process/role.ts'
import { createPool } from '../store/pool.ts'
import { startAutoResolve } from './auto-resolve.ts'
import { startTellIgnoring } from './ignoring.ts'
import { runs } from './jobs/index.ts'
import { startWaking } from './waking.ts'
import { PLACES, startWorker } from './worker.ts'

export const start: StartRole = async ({ config, log, metrics, codec: connectCodec }) => {
  const pool = createPool(config.postgresSystemUrl, {
    application_name: 'notifier',
    // A place each, its looks, what wakes it, and workspaces whose quiet incidents are resolved.
    max: PLACES + 6,
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const codec = await connectCodec()
  const worker = startWorker({ pool, codec, log, metrics, runs })
  const stopWaking = startWaking(pool, worker.wake, log)
  const stopAutoResolve = startAutoResolve(pool, codec, log)
  const stopTellIgnoring = startTellIgnoring(pool, codec, log)
  return {
    ready: () => ({ jobs: worker.ready() }),
    async close() {
      await Promise.all([worker.close(), stopWaking(), stopAutoResolve(), stopTellIgnoring()])
      await pool.end()
    }
  }
}
