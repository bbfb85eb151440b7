/**
 * Sends one batch and settles the calls of its records by the producer's answer: acknowledged,
 * refused for good, or unknown.
 *
 * A batch that the broker refuses for good is halved until the refused records are alone, so that
 * only their calls are refused. Records acknowledged along the way are not sent again.
 */
import { acknowledge, fail, failUnknown } from './append-calls.ts'
import type { Item } from './append-queue.ts'
import { steadyNow } from './steady.ts'
import { OutcomeUnknown, type OutRecord, RecordRefused } from './stream.ts'

/**
 * The producer's refusal of a batch: `records` were refused for good, and all others are
 * acknowledged. `each` is true when every one of them was refused by itself, and not because of the
 * others in its batch. `ofTopic` holds for all records if `each`, else only for a single record.
 */
export class BatchRefused extends RecordRefused {
  readonly records: readonly OutRecord[]
  readonly each: boolean

  constructor(message: string, records: readonly OutRecord[], each: boolean, ofTopic = false) {
    super(message, { ofTopic })
    this.records = records
    this.each = each
  }
}

export interface BatchSender {
  /**
   * Resolves when all records are acknowledged. Rejects with BatchRefused, or with any other error
   * when the outcome is unknown.
   */
  produce(records: readonly OutRecord[], deadline: number): Promise<void>
  close(): Promise<void>
}

export interface SendOptions {
  producer: BatchSender
  /** Longest time from sending to the answer; ms. */
  deadlineMs: number
  /**
   * Called with true after a batch is acknowledged and with false when its outcome is unknown; not
   * called for a refusal.
   */
  onAnswer(good: boolean): void
  onBatch?: ((records: number, ms: number) => void) | undefined
  onFailure?: ((error: unknown) => void) | undefined
}

/**
 * Returns a function that sends a batch. It resolves when every call of the batch is settled, and
 * never rejects.
 */
export function createSend({ producer, deadlineMs, onAnswer, onBatch, onFailure }: SendOptions): (batch: readonly Item[]) => Promise<void> {
  async function send(batch: readonly Item[]): Promise<void> {
    const started = steadyNow()
    try {
      await producer.produce(
        batch.map((item) => item.record),
        started + deadlineMs
      )
    } catch (error) {
      onFailure?.(error)
      if (error instanceof BatchRefused) return refuse(batch, error)
      onAnswer(false)
      const [message, cause] = error instanceof OutcomeUnknown ? [error.message, error.cause] : ['the send failed', error]
      for (const { call } of batch) failUnknown(call, message, cause)
      return
    }
    onAnswer(true)
    onBatch?.(batch.length, steadyNow() - started)
    for (const { call } of batch) acknowledge(call)
  }

  /** Settles what is certain after a refusal, and sends the rest in two halves. */
  async function refuse(batch: readonly Item[], error: BatchRefused): Promise<void> {
    for (const { call } of batch) call.refused = true
    const records = new Set(error.records)
    const refused = batch.filter((item) => records.has(item.record))
    for (const { record, call } of batch) if (!records.has(record)) acknowledge(call)
    if (error.each || refused.length <= 1) {
      for (const { call } of refused) fail(call, error)
      return
    }
    const middle = refused.length >> 1
    for (const half of [refused.slice(0, middle), refused.slice(middle)]) {
      const wanted = half.filter(({ call }) => !call.settled)
      if (wanted.length > 0) await send(wanted)
    }
  }

  return send
}
