/** The role `relay`: topics verified, a Postgres session, the process's producer, and the loop of relay.ts between them. */
import type { Codec } from '../../schemas/codec.ts'
import { waitForLog } from '../../streams/runtime/connect.ts'
import { verifyTopics } from '../../streams/runtime/create-topics.ts'
import type { StartRole } from '../role.ts'
import type { HeldSession } from '../store/held-session.ts'
import { currentIncidents } from '../store/incident-reads.ts'
import { createPool } from '../store/pool.ts'
import { startRelay } from './relay.ts'
import type { Current, CurrentLoaders } from './send.ts'

const INCIDENT = /^incident:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Compacted topics and the rows they are sent from. */
const loadersOf =
  (codec: Codec) =>
  (ask: HeldSession['ask']): CurrentLoaders => ({
    'incident.state.v1': async (aggregates) => {
      const ids = aggregates.flatMap((aggregate) => INCIDENT.exec(aggregate)?.[1] ?? [])
      const rows = await ask((tx) => currentIncidents(tx, ids))
      return new Map<string, Current>(
        ids.map((id) => {
          const row = rows.get(id)
          return [`incident:${id}`, row ? { ver: row.ver, encode: () => codec.encode('Incident', row) } : null]
        })
      )
    }
  })

export const start: StartRole = async (context) => {
  const { config, log, metrics } = context
  const codec = await context.codec()
  const stream = await context.stream()
  const kafka = { brokers: config.kafkaBrokers, clientId: `relay-${config.instance}`, topicPrefix: config.topicPrefix, log }
  await waitForLog(kafka)
  await verifyTopics(kafka)
  const pool = createPool(config.postgresSystemUrl, {
    application_name: 'relay',
    max: 1,
    pipeline: true,
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const relay = startRelay({
    pool,
    log: stream.log,
    loaders: loadersOf(codec),
    instance: config.instance,
    logger: log,
    metrics,
    onFatal: (reason, error) => context.fatal(reason, error)
  })
  return {
    ready: () => ({ relay: relay.ready() }),
    async close() {
      await relay.close()
      await pool.end()
    }
  }
}
