/**
 * The role `clock`: runs the loop of clock.ts between a Postgres session and the producer and codec
 * of the process, the daily work of chores.ts, and the shifts of schedules.ts.
 */
import { uuidv4 } from '../../schemas/uuid.ts'
import type { StartRole } from '../process/role.ts'
import { createPool } from '../store/pool.ts'
import { startChores } from './chores.ts'
import { startClock } from './clock.ts'
import { startScheduleSweep } from './schedules.ts'

export const start: StartRole = async ({ config, log, metrics, stream, codec }) => {
  const pool = createPool(config.postgresSystemUrl, {
    application_name: 'clock',
    max: 3, // One is held for the leader's lock.
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const shared = { pool, codec: await codec() }
  const clock = startClock({ ...shared, log: (await stream()).log, boot: uuidv4(), logger: log, metrics })
  const stopChores = startChores({ ...shared, leads: clock.leads, log })
  const stopSweep = startScheduleSweep({ pool, leads: clock.leads, log })
  return {
    ready: () => ({ clock: clock.ready() }),
    async close() {
      await stopChores()
      await stopSweep()
      await clock.close()
      await pool.end()
    }
  }
}
