/**
 * The processors of streams/topology.ts, each in the loop of streams/runtime/run.ts, with the rows
 * of services/store handed in. SERVICE_PROCESSORS names those to run (default: all). Topics are
 * verified before the first record is read. When a processor cannot go on, the process ends with
 * code 1 and its supervisor starts it anew: partitions move, detection is late, never wrong
 * (docs/design/architecture.md#s3).
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

/** How many transactions of one processor run side by side, and some to spare. */
const CONNECTIONS = 10

/** Those that keep state by key, with the store of their rows. */
const keyed: Record<Extract<Processor, { kind: 'byKey' }>['name'], () => Work> = {
  incident: () => bindKey(incidentProcessor, incidentStore)
}

const workOf = (processor: Processor): Work => (processor.kind === 'byKey' ? keyed[processor.name]() : bindPartition<unknown>(processor))

/** The processors with these names, or all; throws naming what is not a processor. */
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
