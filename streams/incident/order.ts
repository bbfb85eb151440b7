/**
 * The order of the signals of one key: whether a signal is newer than the last applied one, older,
 * or a repeat of it.
 *
 * In       what the row of the key keeps of the last applied signal, a signal, its place in the log
 * Out      newer, older, repeat
 * Source   docs/design/inbound-sources.md#s1-3,
 *          docs/decisions/0046-the-log-orders-what-senders-do-not.md
 *
 * The first row that fits decides:
 *   delivery      the same delivery_id                                                  repeat
 *   receipt       a number that is not above the last one: it was sent twice            repeat
 *   sequence      a lower one; a higher one                                             older; newer
 *                 the same with the same action                                         repeat
 *                 the same, an occurrence: a resolve ends it whatever the times         newer
 *                 the same, an occurrence: it has ended, and does not fire again        older
 *                 the same, a position: the rows below decide
 *   sender time   earlier than the last sender time                                     older
 *                 the same with the same action                                         repeat
 *                 the same, and a signal without a sender time was applied since        older
 *                 later, and the last applied signal has that last sender time          newer
 *   log           redriven: its offset is that of the last applied signal               repeat
 *                 redriven: its offset is before that                                   older
 *                 any other                                                             newer
 *
 * Sender times are compared only with sender times. The clock of a door orders nothing, because a
 * key may come through several doors. A key has one partition and offsets only grow, so a record
 * that is not redriven comes after every applied one. Its offset is not compared, and a log that
 * starts again makes nothing older.
 */
import type { SequenceKind } from '../../schemas/generated/events.ts'

/** What a row keeps of the last applied signal of its key. Times are epoch ms. */
export interface LastApplied {
  last_action: 'fire' | 'resolve' | null
  /** The time of the last signal, by the clock that its sender or the door used. */
  last_at: number | null
  /**
   * Whose clock gave last_at. Null in a row that an older version wrote: then last_at stands in for
   * last_sender_at.
   */
  last_time_source: 'sender' | 'door' | null
  /** The last sender time that was applied. A signal without one leaves it as it is. */
  last_sender_at: number | null
  /** The last known sequence. A signal without one leaves it as it is. */
  last_sequence: number | null
  last_delivery_id: string | null
  /** The offset in the partition of the key; null: it is in no existing log. */
  last_offset: number | null
}

/** What orders a signal. */
export interface Ordered {
  action: 'fire' | 'resolve' | 'note' | 'update'
  /** A number that grows per key; null: the source has none. */
  sequence: number | null
  /**
   * occurrence: it names one occurrence, and a resolve ends it. position: a place in the sender's
   * history; the same position may fire again. receipt: the order in which we received it, which
   * only detects copies.
   */
  sequence_kind: SequenceKind
  /** A signal with the same id is an exact repeat. */
  delivery_id: string | null
  /** Epoch ms. */
  occurred_at: number
  /** Whose clock gave occurred_at. door: our own clock, which orders nothing. */
  time_source: 'sender' | 'door'
}

/** Where a record stands in its partition. */
export interface Place {
  /** For a redriven record: its original offset. */
  offset: number
  redriven: boolean
}

/** Compares a signal with the last applied one. `place` is null for a signal that is in no log. */
export function orderOf(last: LastApplied, signal: Ordered, place: Place | null): 'newer' | 'older' | 'repeat' {
  if (last.last_action === null) return 'newer'
  if (signal.delivery_id !== null && signal.delivery_id === last.last_delivery_id) return 'repeat'
  const isSameAction = signal.action === last.last_action
  if (signal.sequence_kind === 'receipt') {
    if (isTakenBefore(last, signal)) return 'repeat'
  } else if (signal.sequence !== null && last.last_sequence !== null) {
    if (signal.sequence !== last.last_sequence) return signal.sequence < last.last_sequence ? 'older' : 'newer'
    if (isSameAction) return 'repeat'
    if (signal.sequence_kind === 'occurrence') return signal.action === 'resolve' ? 'newer' : 'older'
  }
  const sender_at = senderAt(last)
  if (signal.time_source === 'sender' && sender_at !== null) {
    if (signal.occurred_at < sender_at) return 'older'
    const isOfLast = last.last_time_source !== 'door'
    if (signal.occurred_at === sender_at) {
      if (isSameAction) return 'repeat'
      if (!isOfLast) return 'older'
    } else if (isOfLast) return 'newer'
  }
  if (place?.redriven && last.last_offset !== null && place.offset <= last.last_offset)
    return place.offset === last.last_offset ? 'repeat' : 'older'
  return 'newer'
}

/** The outbox may send a record twice, with other records of its key in between. */
const isTakenBefore = ({ last_sequence }: LastApplied, { sequence }: Ordered): boolean =>
  sequence !== null && last_sequence !== null && sequence <= last_sequence

const senderAt = (last: LastApplied): number | null => (last.last_time_source === null ? last.last_at : last.last_sender_at)

/** Returns the last sender time after `signal` was applied. */
export const senderAtAfter = (last: LastApplied, signal: Ordered): number | null =>
  signal.time_source === 'sender' ? signal.occurred_at : senderAt(last)

/**
 * Returns the last offset after a signal from `place` was applied. A redriven record never moves it
 * back.
 */
export function offsetAfter({ last_offset }: LastApplied, place: Place | null): number | null {
  if (place === null) return last_offset
  return place.redriven && last_offset !== null && last_offset > place.offset ? last_offset : place.offset
}
