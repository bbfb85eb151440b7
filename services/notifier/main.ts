/**
 * The role `notifier`: the timers of people's acts (a silence's end, a pause's end, the quiet after
 * a resolve), of silent senders, and of integrations that ignore everything. Escalation and
 * deliveries join here.
 */
import type { StartRole } from '../process/role.ts'
import { createPool } from '../store/pool.ts'
import { startAutoResolve } from './auto-resolve.ts'
import { startTellIgnoring } from './ignoring.ts'
import { runs } from './jobs/index.ts'
import { startWorker } from './worker.ts'

export const start: StartRole = async ({ config, log, metrics, codec: connectCodec }) => {
  const pool = createPool(config.postgresSystemUrl, {
    application_name: 'notifier',
    max: 5, // The worker, and workspaces whose quiet incidents are resolved at once.
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const codec = await connectCodec()
  const worker = startWorker({ pool, codec, log, metrics, runs })
  const stopAutoResolve = startAutoResolve(pool, codec, log)
  const stopTellIgnoring = startTellIgnoring(pool, codec, log)
  return {
    ready: () => ({ jobs: worker.ready() }),
    async close() {
      await Promise.all([worker.close(), stopAutoResolve(), stopTellIgnoring()])
      await pool.end()
    }
  }
}
