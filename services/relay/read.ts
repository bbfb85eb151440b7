/**
 * One read of the outbox: the oldest rows of the held shards and, in the same round trip, current
 * rows that their marks need. What is missing there is loaded when it is sent (send.ts).
 */
import type { HeldSession } from '../store/held-session.ts'
import { type OutboxRow, readOutbox } from '../store/outbox.ts'
import type { Tx } from '../store/pool.ts'

/**
 * The row of an aggregate as it is now; null when it is gone, which becomes a tombstone. `encode`
 * throws when the row is not what its schema says.
 */
export type Current = { ver: number; encode(): Buffer } | null

/** Names the row that a mark needs. */
export const nameOfMark = ({ topic, aggregate }: Pick<OutboxRow, 'topic' | 'aggregate'>): string => `${topic} ${aggregate}`

export interface OutboxRead {
  rows: OutboxRow[]
  /** There may be more rows. */
  full: boolean
  /** As they were at the read or later, by nameOfMark. */
  current: ReadonlyMap<string, Current>
}

/** Current rows of marks among the oldest rows of `shards`, by nameOfMark. */
export type ReadCurrent = (tx: Tx, shards: readonly number[]) => Promise<ReadonlyMap<string, Current>>

export type ReadOutbox = (held: HeldSession, shards: readonly number[]) => Promise<OutboxRead>

const nothing: ReadonlyMap<string, Current> = new Map()

/** Of an outbox that is known to have no rows to send. */
export const noRows: OutboxRead = { rows: [], full: false, current: nothing }

/** Without shards it reads nothing. */
export const createRead =
  (readCurrent: ReadCurrent = async () => nothing): ReadOutbox =>
  async (held, shards) => {
    if (shards.length === 0) return noRows
    const [read, current] = await held.ask((tx) => Promise.all([readOutbox(tx, shards), readCurrent(tx, shards)]))
    return { ...read, current }
  }
