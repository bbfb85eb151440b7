/**
 * One read of the outbox: the oldest rows of the held shards and, in the same round trip, the
 * current rows that their marks need. A current row that is missing is loaded when its mark is sent
 * (send.ts).
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { HeldSession } from '../store/held-session.ts'
import { type OutboxRow, readOutbox } from '../store/outbox.ts'
import type { Tx } from '../store/pool.ts'

/**
 * The present row of an aggregate. Null when the row is gone; it then becomes a tombstone. `encode`
 * throws when the row does not match its schema.
 */
export type Current = { ver: number; encode(): Buffer } | null

/** Returns the name of the row that a mark needs. */
export const nameOfMark = ({ topic, aggregate }: Pick<OutboxRow, 'topic' | 'aggregate'>): string => `${topic} ${aggregate}`

export interface OutboxRead {
  rows: OutboxRow[]
  /** True when there may be more rows. */
  full: boolean
  /** True when no topic was left out. */
  whole: boolean
  /** Current rows by `nameOfMark`, as they were at the read or later. */
  current: ReadonlyMap<string, Current>
}

/** Reads the current rows for marks among the oldest rows of `shards`, by `nameOfMark`. */
export type ReadCurrent = (tx: Tx, shards: readonly number[]) => Promise<ReadonlyMap<string, Current>>

export type ReadOutbox = (held: HeldSession, shards: readonly number[], without?: readonly TopicName[]) => Promise<OutboxRead>

const nothing: ReadonlyMap<string, Current> = new Map()

/** The read of an outbox that is known to have nothing to send. */
export const noRows: OutboxRead = { rows: [], full: false, whole: true, current: nothing }

/** Reads nothing when there are no shards, and no row for the topics `without`. */
export const createRead =
  (readCurrent: ReadCurrent = async () => nothing): ReadOutbox =>
  async (held, shards, without = []) => {
    if (shards.length === 0) return noRows
    const [read, current] = await held.ask((tx) => Promise.all([readOutbox(tx, shards, without), readCurrent(tx, shards)]))
    return { ...read, whole: without.length === 0, current }
  }
