/**
 * Runs the processors of streams/topology.ts. Each runs in the loop of streams/runtime/run.ts and
 * gets its rows from services/store. SERVICE_PROCESSORS names the processors to run (default: all).
 * Topics are verified before the first record is read. When a processor cannot continue, the
 * process ends with code 1 and its supervisor restarts it. Partitions then move, so detection is
 * late but never wrong (docs/design/architecture.md#s3).
 */

import { waitForLog } from '../../streams/runtime/connect.ts'
import { verifyTopics } from '../../streams/runtime/create-topics.ts'
import { bindKey, bindPartition, type Running, runProcessor, type Work } from '../../streams/runtime/run.ts'
import { incidentProcessor, type Processor, processorNames, processors } from '../../streams/topology.ts'
import type { StartRole } from '../process/role.ts'
import { effectWrites } from '../store/effects.ts'
import { incidentStore } from '../store/incidents.ts'
import { createPool } from '../store/pool.ts'
import { hintSender } from './hints.ts'

/**
 * Size of the Postgres pool: the transactions that one processor runs in parallel, and some spare.
 */
const CONNECTIONS = 10

/** The processors that keep state by key, each with the store of its rows. */
const keyed: Record<Extract<Processor, { kind: 'byKey' }>['name'], () => Work> = {
  incident: () => bindKey(incidentProcessor, incidentStore)
}

const workOf = (processor: Processor): Work => (processor.kind === 'byKey' ? keyed[processor.name]() : bindPartition<unknown>(processor))

/**
 * Returns the processors with these names, or all of them if `names` is empty. Throws an error that
 * lists the unknown names.
 */
function chosen(names: readonly string[]): Processor[] {
  if (names.length === 0) return [...processors]
  const unknown = names.filter((name) => !processorNames.some((known) => known === name))
  if (unknown.length > 0) throw new Error(`SERVICE_PROCESSORS: no processor ${unknown.join(', ')}; there are ${processorNames.join(', ')}`)
  return processors.filter(({ name }) => names.includes(name))
}

export const start: StartRole = async (context) => {
  const { config, log, metrics } = context
  const some = chosen(config.processors)
  const kafka = { brokers: config.kafkaBrokers, clientId: `processors-${config.instance}`, topicPrefix: config.topicPrefix, log }
  const codec = await context.codec()
  const stream = await context.stream()
  const { clusterId } = await waitForLog(kafka)
  await verifyTopics(kafka)
  const pool = createPool(config.postgresSystemUrl, {
    application_name: 'processors',
    max: CONNECTIONS,
    keepPlans: true,
    byKey: true,
    onIdleError: (error) => log.warn({ err: error }, 'an idle Postgres connection broke')
  })
  const running: Running[] = []
  for (const processor of some) {
    running.push(
      await runProcessor({
        ...kafka,
        work: workOf(processor),
        pool,
        codec,
        effectWrites,
        sendHints: hintSender(stream.log, log),
        sessionTimeoutMs: config.kafkaSessionTimeoutMs,
        clusterId,
        metrics,
        onFatal: (reason, error) => context.fatal(reason, error)
      })
    )
  }
  return {
    ready: () => Object.fromEntries(some.map(({ name }, index) => [name, running[index]?.ready() ?? false])),
    async close() {
      for (const processor of running) await processor.close()
      await pool.end()
    }
  }
}
