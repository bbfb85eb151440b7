/**
 * Connects the budget of this door with the log: reads ceilings from tenant.budgets.v1 and
 * publishes usage counters to ingest.usage.v1.
 *
 * Each instance reads the whole compacted topic and then follows it. While the log cannot be read,
 * the last known ceilings apply. Counters are cumulative per window and instance, so a failed or
 * repeated publication does no harm. Workspaces without activity are not published.
 */
import type { Codec } from '../../../schemas/codec.ts'
import { steadyNow } from '../../../streams/runtime/steady.ts'
import type { InRecord, OutRecord, StreamClient } from '../../../streams/runtime/stream.ts'
import type { Log } from '../../process/log.ts'
import type { Budget } from './budget.ts'
import { usageCounter } from './usage-counter.ts'

const PUBLISH_MS = 10_000

export interface Ceilings {
  /** Publishes the due counters once more, and stops following the topic. */
  close(): Promise<void>
}

export interface CeilingsOptions {
  budget: Budget
  stream: Pick<StreamClient, 'follow' | 'log'>
  codec: Codec
  log: Log
  /** The name of this door in the counters; `boot` identifies its process. */
  instance: string
  boot: string
  onFailure(): void
}

/**
 * Resolves once `budget` has all ceilings of the log, or after 5 s: a door that cannot read the log
 * still opens.
 */
export async function keepCeilings({ budget, stream, codec, log, instance, boot, onFailure }: CeilingsOptions): Promise<Ceilings> {
  const versions = new Map<string, number>()

  function take({ key, value }: InRecord): void {
    if (value === null) {
      budget.setCeiling(key, null)
      versions.delete(key)
      return
    }
    const { tenant_id, ceiling, ver } = codec.decode('Budget', value)
    if (ver <= (versions.get(tenant_id) ?? 0)) return // The relay may repeat.
    versions.set(tenant_id, ver)
    budget.setCeiling(tenant_id, ceiling)
  }

  async function takeAll(records: readonly InRecord[]): Promise<void> {
    for (const record of records) {
      try {
        if (record.value !== null && !codec.knows(record.value)) await codec.learn(record.value)
        take(record)
      } catch (error) {
        log.warn(
          { err: error, topic: record.topic, partition: record.partition, offset: String(record.offset) },
          'a ceiling could not be read'
        )
      }
    }
  }

  // One after the other: learning a schema takes time, and records of one workspace must keep their
  // order.
  let taking = Promise.resolve()
  const follower = await stream.follow({
    topics: ['tenant.budgets.v1'],
    from: 'beginning',
    onRecords: (records) => {
      taking = taking.then(() => takeAll(records))
    }
  })
  if (!(await follower.caughtUp)) log.warn({}, 'the ceilings could not all be read yet: plans count meanwhile')
  await taking

  let publishing: Promise<void> | null = null
  async function publish(): Promise<void> {
    const usages = budget.due(steadyNow())
    if (usages.length === 0) return
    const at = Date.now()
    const records = usages.map((usage): OutRecord => {
      const value = usageCounter(usage, { instance, boot, at })
      return { topic: 'ingest.usage.v1', key: usage.tenant_id, value: codec.encode('UsageCounter', value) }
    })
    try {
      await stream.log.append(records)
      budget.published(usages)
    } catch (error) {
      onFailure()
      log.debug({ err: error }, 'usage counters were not published; the next ones hold what these did')
    }
  }
  const publishOnce = (): Promise<void> => {
    publishing ??= publish().finally(() => {
      publishing = null
    })
    return publishing
  }
  const timer = setInterval(() => void publishOnce(), PUBLISH_MS)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await publishing
      await publishOnce()
      await follower.close()
    }
  }
}
