/**
 * How the budget at this door and the log go together: ceilings come from tenant.budgets.v1, usage
 * counters go to ingest.usage.v1.
 *
 * Each instance reads the whole compacted topic and keeps following it; when the log cannot be
 * read, the last ceilings serve on. Counters are cumulative per window and instance, so a
 * publication that failed or was repeated needs no care. Workspaces without activity are not
 * mentioned.
 */
import type { Codec } from '../../../schemas/codec.ts'
import { steadyNow } from '../../../streams/runtime/steady.ts'
import type { InRecord, OutRecord, StreamClient } from '../../../streams/runtime/stream.ts'
import type { Log } from '../../process/log.ts'
import type { Budget } from './budget.ts'
import { usageCounter } from './usage-counter.ts'

const PUBLISH_MS = 10_000

export interface Ceilings {
  /** Publishes what is due, once more, and stops following. */
  close(): Promise<void>
}

export interface CeilingsOptions {
  budget: Budget
  stream: Pick<StreamClient, 'follow' | 'log'>
  codec: Codec
  log: Log
  /** Name of this door in the counters, and the identity of its process. */
  instance: string
  boot: string
  onFailure(): void
}

/**
 * Resolves once the ceilings on the log are in `budget`, or after 5 s: a door that cannot read the
 * log still opens.
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

  // In turn: learning a schema waits, and records of one workspace must not overtake one another.
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
