/**
 * The role intake: the doors for alerts. It authenticates, budgets, parses, appends, and answers once the log has acknowledged.
 *
 * It listens whether or not Kafka and Postgres can be reached: then it answers 503, which senders repeat. Only the schema registry must answer at the
 * start, since nothing can be encoded before. Source: architecture.md sections 3 and 6 (Doors and budget).
 */
import { uuidv4 } from '../../schemas/uuid.ts'
import type { Role, RoleContext } from '../role.ts'
import { createPool } from '../store/pool.ts'
import { createCredentials } from '../tokens.ts'
import { createApp } from '../uws.ts'
import { createBudget } from './doors/budget.ts'
import { keepCeilings } from './doors/ceilings.ts'
import { createDoorMetrics } from './doors/metrics.ts'
import { createReception } from './doors/reception.ts'
import { openDoors } from './doors/routes.ts'

/** One is held for LISTEN. */
const CONNECTIONS = 4
const CLOSE_MS = 8000

export async function start({ config, log, metrics, stream, codec: connectCodec }: RoleContext): Promise<Role> {
  const app = createApp()
  const [client, codec] = await Promise.all([stream(), connectCodec()])
  const pool = createPool(config.postgresTenantUrl, {
    application_name: 'intake',
    max: CONNECTIONS,
    onIdleError: (error) => log.warn({ err: error }, 'a connection to Postgres broke')
  })
  const credentials = createCredentials({ pool, log })
  const budget = createBudget(config.ingestFloorPerMinute)
  const counters = createDoorMetrics(metrics, {
    inFlight: () => reception.inFlight(),
    bytesHeld: () => reception.bytesHeld(),
    windows: () => budget.size()
  })
  const reception = createReception({ credentials, budget, append: client.log.append, codec, log, metrics: counters })
  const ceilings = await keepCeilings({
    budget,
    stream: client,
    codec,
    log,
    instance: config.instance,
    boot: uuidv4(),
    onFailure: counters.usageLost
  })

  openDoors(app, reception)
  const port = await app.listen(config.host, config.intakePort)
  log.info({ port }, 'the doors are open')

  async function close(): Promise<void> {
    app.stopListening()
    await reception.close(CLOSE_MS)
    app.close()
    await ceilings.close()
    credentials.close()
    await pool.end()
  }
  let closed: Promise<void> | undefined

  return {
    port,
    ready: () => ({ log: client.log.healthy(), store: credentials.listening() }),
    close() {
      closed ??= close()
      return closed
    }
  }
}
