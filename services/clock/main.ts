/** The role `clock`: a Postgres session, the process's producer and codec, and the loop of clock.ts between them. */
import { uuidv4 } from '../../schemas/uuid.ts'
import type { StartRole } from '../role.ts'
import { createPool } from '../store/pool.ts'
import { startClock } from './clock.ts'

export const start: StartRole = async ({ config, log, metrics, stream, codec }) => {
  const pool = createPool(config.postgresSystemUrl, {
    application_name: 'clock',
    max: 1,
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const clock = startClock({ pool, log: (await stream()).log, codec: await codec(), boot: uuidv4(), logger: log, metrics })
  return {
    ready: () => ({ clock: clock.ready() }),
    async close() {
      await clock.close()
      await pool.end()
    }
  }
}
