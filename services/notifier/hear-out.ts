/**
 * Says up to when all that our doors took from senders is known in Postgres. Whoever acts because a
 * sender was silent must ask first: the last repeat of an alert may be on the log and not yet read,
 * because a partition is stopped or the folds are behind.
 *
 * It asks the broker where the logs end, and waits some seconds until the stored positions have
 * come that far. An alert of a partition that has not is left.
 *
 * While a door refuses senders, or the log is away, their silence is ours. Notices say so
 * (platform_notices), and the fold of pings saves them. So one of its partitions must have been
 * read as well. And when the broker could not be asked, the next answer of it does not count yet:
 * the notice of that outage may not be saved.
 */
import type { TopicName } from '../../schemas/topics.ts'
import { nameOf as nameOfKey } from '../../streams/incident/fold.ts'
import { nameOf } from '../../streams/runtime/partition-task.ts'
import { partitionOf } from '../../streams/runtime/record-batch.ts'
import { heartbeatProcessor, incidentProcessor } from '../../streams/topology.ts'
import type { Log } from '../process/log.ts'
import { appendedUntil } from '../store/fold-progress.ts'
import type { Pool } from '../store/pool.ts'
import { type Ends, type EndsOf, endsSoon, unreadBefore } from './unread.ts'

export interface Heard {
  /** Postgres's time, epoch ms: what came in until then is known. */
  at: number
  /** Whether that holds for the signals of this key. */
  includes(key: { tenant_id: string; dedup_key: string }): boolean
}

export type HearOut = () => Promise<Heard>

export interface HearOutOptions {
  pool: Pool
  endsOf: EndsOf
  log: Pick<Log, 'warn'>
  /** Pauses between two looks at the positions. */
  rest(ms: number): Promise<void>
  /** How often it looks. */
  looks?: number
}

const ALERTS: TopicName = 'alerts.inbound.v1'
const TIMED: TopicName = 'heartbeat.pings.v1'
const LOOK_EVERY_MS = 250
/** For some 8 s: positions that move without effects are stored every 5 s. */
const LOOKS = 32
/** A record may be on its way to the log for 5 s, and the clock of a door may be behind. */
const ON_ITS_WAY_SECONDS = 10

const nothing: Heard = { at: 0, includes: () => false }

/** A broker that does not answer means that nothing is known. Rejects when Postgres fails. */
export function createHearOut({ pool, endsOf, log, rest, looks = LOOKS }: HearOutOptions): HearOut {
  let isUnsure = false

  const placesBehind = (ends: Ends): Promise<ReadonlyMap<string, bigint>> =>
    unreadBefore(pool, [incidentProcessor.name, heartbeatProcessor.name], ends)

  return async () => {
    const at = await appendedUntil(pool, ALERTS, ON_ITS_WAY_SECONDS)
    let ends: Ends
    try {
      ends = await endsSoon(endsOf, [ALERTS, TIMED])
    } catch (error) {
      isUnsure = true
      log.warn({ err: error }, 'the broker does not say where the log ends; alerts of silent senders wait')
      return nothing
    }
    const wasUnsure = isUnsure
    isUnsure = false
    let behind = await placesBehind(ends)
    for (let look = 1; behind.size > 0 && look < looks; look++) {
      await rest(LOOK_EVERY_MS)
      behind = await placesBehind(ends)
    }
    const places = (topic: TopicName): string[] => [...ends.keys()].filter((place) => place.startsWith(`${topic}:`))
    const count = places(ALERTS).length
    const isTimeKnown = !wasUnsure && places(TIMED).some((place) => !behind.has(place))
    return {
      at,
      includes: (key) => isTimeKnown && count > 0 && !behind.has(nameOf({ topic: ALERTS, partition: partitionOf(nameOfKey(key), count) }))
    }
  }
}
