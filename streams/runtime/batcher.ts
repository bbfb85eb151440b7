/**
 * The batcher in front of the process's one producer. Callers append; one batch at a time is in
 * flight, and what arrives meanwhile forms the next batch.
 *
 * - When nothing is in flight, the batch leaves at once. There is no fixed linger; above
 *   `lingerAboveRate` records/s a batch waits up to 2 ms for more records.
 * - A batch holds at most `batchRecords` records or `batchBytes` bytes (or one larger record). A
 *   larger call is sent in several batches, and settles when its last record is acknowledged.
 * - The queue is bounded in records and bytes. Above the bound, append rejects with QueueFull at
 *   once, and nothing is enqueued.
 * - A call is answered by its deadline, counted from append. If none of its records left by then,
 *   it is taken out of the queue and rejects with QueueFull: it certainly is not on the log.
 *   Otherwise it rejects with OutcomeUnknown, and its remaining records are not sent, because half
 *   a payload is of no use. The error says how many of the first records are on the log.
 * - A batch that is not acknowledged also rejects its calls with OutcomeUnknown.
 * - Records that the broker refuses for good reject only their own calls, with RecordRefused
 *   (send-batch.ts).
 */
import { AppendCalls, type Call } from './append-calls.ts'
import { AppendQueue } from './append-queue.ts'
import { PARTITION_RECORDS } from './record-batch.ts'
import { RecordRate } from './record-rate.ts'
import { type BatchSender, createSend } from './send-batch.ts'
import { steadyNow } from './steady.ts'
import { type Append, type OutRecord, QueueFull } from './stream.ts'

export { BatchRefused, type BatchSender } from './send-batch.ts'

export interface BatcherOptions {
  /** At most 1,000, because all records may be of one partition. */
  batchRecords?: number
  batchBytes?: number
  queueRecords?: number
  queueBytes?: number
  /** Longest time from append to the answer; ms. */
  deadlineMs?: number
  /** Records a second above which a batch waits for more records. */
  lingerAboveRate?: number
  onBatch?(records: number, ms: number): void
  onFailure?(error: unknown): void
}

/** Creates the batcher. Throws RangeError when `batchRecords` is out of range. */
export function createBatcher(producer: BatchSender, options: BatcherOptions = {}): Append {
  const {
    batchRecords = 500,
    batchBytes = 256 * 1024,
    queueRecords = 20_000,
    queueBytes = 32 * 1024 * 1024,
    deadlineMs = 5000,
    lingerAboveRate = 2000,
    onBatch,
    onFailure
  } = options
  if (batchRecords < 1 || batchRecords > PARTITION_RECORDS) {
    throw new RangeError(`batchRecords is ${batchRecords}, expected 1 to ${PARTITION_RECORDS}: all of a batch may be of one partition`)
  }
  let good = true
  let closed = false
  let inFlight = 0
  let sending: Promise<void> | null = null
  let expiry: NodeJS.Timeout | null = null
  const onAnswer = (isGood: boolean): void => {
    good = isGood
  }
  const calls = new AppendCalls(() => onAnswer(false))
  const queue = new AppendQueue({ batchRecords, batchBytes, queueRecords, queueBytes }, (call) => calls.expire(call))
  const send = createSend({ producer, deadlineMs, onAnswer, onBatch, onFailure })
  const rate = new RecordRate(steadyNow())

  async function pump(): Promise<void> {
    while (queue.length > 0) {
      if (rate.perSecond > lingerAboveRate && queue.length < batchRecords) await new Promise((resolve) => setTimeout(resolve, 1))
      const batch = queue.take(steadyNow())
      if (batch.length === 0) continue
      inFlight = batch.length
      await send(batch)
      inFlight = 0
      calls.forget()
    }
  }

  function start(): void {
    sending ??= pump().finally(() => {
      sending = null
      if (queue.length > 0) start()
    })
  }

  function expire(now: number, unsent?: string): void {
    calls.expireUntil(now, unsent)
    queue.dropAnswered()
  }

  function schedule(): void {
    const next = calls.oldest
    if (expiry || !next) return
    expiry = setTimeout(
      () => {
        expiry = null
        expire(steadyNow())
        schedule()
      },
      Math.max(next.deadline - steadyNow(), 1)
    )
  }

  /** Only enqueues and starts no sending, so that several calls can leave in one batch. */
  function enqueue(records: readonly OutRecord[]): Promise<void> {
    if (closed) return Promise.reject(new QueueFull('the process is stopping'))
    if (records.length === 0) return Promise.resolve()
    return new Promise<void>((resolve, reject) => {
      const now = steadyNow()
      const deadline = now + deadlineMs
      const call: Call = { left: records.length, acknowledged: 0, refused: false, deadline, sent: false, settled: false, resolve, reject }
      const refusal = queue.add(records, call)
      if (refusal) return reject(refusal)
      rate.count(records.length, now)
      calls.add(call)
    })
  }

  function appendEach(each: readonly (readonly OutRecord[])[]): Promise<void>[] {
    const answers = each.map(enqueue)
    if (queue.length > 0) start()
    schedule()
    return answers
  }

  return {
    append: (records) => appendEach([records])[0] as Promise<void>,
    appendEach,
    healthy: () => good,
    depth: () => queue.length + inFlight,
    async close() {
      closed = true
      let timer: NodeJS.Timeout | undefined
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, deadlineMs)
      })
      let over = false
      void limit.then(() => {
        over = true
      })
      while (sending && !over) await Promise.race([sending, limit])
      clearTimeout(timer)
      expire(Number.POSITIVE_INFINITY, 'the process is stopping')
      if (expiry) clearTimeout(expiry)
      await producer.close()
      await sending // The batch in flight rejects once its producer is closed.
    }
  }
}
