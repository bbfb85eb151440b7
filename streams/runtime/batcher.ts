/**
 * The batcher in front of the process's one producer: callers append, one batch at a time is in flight, and what arrives meanwhile is the next batch.
 *
 * - Nothing in flight: the batch leaves at once. There is no fixed linger; above `lingerAboveRate` records/s a batch waits up to 2 ms for company.
 * - A batch holds at most `batchRecords` records or `batchBytes` bytes; a larger call goes out in several, and settles when its last is acknowledged.
 * - The queue is bounded in records and bytes: beyond, append rejects with QueueFull at once, and nothing was enqueued. A call that none of whose
 *   records left within the deadline is taken out of the queue and rejects with QueueFull too: it certainly is not on the log.
 * - A batch without an answer at its deadline rejects its calls with OutcomeUnknown, and what is left of those calls is not sent: half a payload helps nobody.
 * - A batch with a record that the broker refuses for good is bisected, so that only the calls of refused records reject with RecordRefused.
 */

import { boundOf } from './record-batch.ts'
import { type Append, OutcomeUnknown, type OutRecord, QueueFull, RecordRefused } from './stream.ts'

export interface BatchSender {
  produce(records: readonly OutRecord[], deadline: number): Promise<void>
  close(): Promise<void>
}

export interface BatcherOptions {
  batchRecords?: number
  batchBytes?: number
  queueRecords?: number
  queueBytes?: number
  /** From enqueueing to the answer, at most; ms. */
  deadlineMs?: number
  lingerAboveRate?: number
  onBatch?(records: number, ms: number): void
  onFailure?(error: unknown): void
}

interface Call {
  left: number
  deadline: number
  bytes: number
  sent: boolean
  failed: Error | null
  resolve(): void
  reject(error: Error): void
}

interface Item {
  record: OutRecord
  bytes: number
  call: Call
}

/** One appended record: nothing bigger fits a topic (schemas/topics.ts, max.message.bytes). */
const RECORD_BYTES = 1_000_000

export function createBatcher(producer: BatchSender, options: BatcherOptions = {}): Append {
  const {
    batchRecords = 500,
    batchBytes = 256 * 1024,
    queueRecords = 20_000,
    queueBytes = 32 * 1024 * 1024,
    deadlineMs = 5000,
    lingerAboveRate = 2000
  } = options
  let queue: Item[] = []
  let head = 0
  let queuedBytes = 0
  let inFlight = 0
  let sending: Promise<void> | null = null
  let good = true
  let closed = false
  let expiry: NodeJS.Timeout | null = null
  let rate = 0
  let rateSince = Date.now()
  let counted = 0

  const depth = (): number => queue.length - head + inFlight

  function settle(item: Item, error: Error | null): void {
    const { call } = item
    call.left -= 1
    if (error && !call.failed) call.failed = error
    if (call.left > 0) return
    if (call.failed) call.reject(call.failed)
    else call.resolve()
  }

  /** Takes the next batch off the queue; items of calls that failed meanwhile fall out. */
  function take(): Item[] {
    const batch: Item[] = []
    let bytes = 0
    while (head < queue.length && batch.length < batchRecords) {
      const item = queue[head] as Item
      if (batch.length > 0 && bytes + item.bytes > batchBytes) break
      head += 1
      queuedBytes -= item.bytes
      if (item.call.failed) {
        settle(item, item.call.failed)
        continue
      }
      item.call.sent = true
      bytes += item.bytes
      batch.push(item)
    }
    if (head > 4096 || head === queue.length) {
      queue = queue.slice(head)
      head = 0
    }
    return batch
  }

  /** Sends a batch; on a refusal for good, halves it until the refused records stand alone. */
  async function send(batch: Item[]): Promise<void> {
    const started = Date.now()
    try {
      await producer.produce(
        batch.map((item) => item.record),
        started + deadlineMs
      )
      good = true
      options.onBatch?.(batch.length, Date.now() - started)
      for (const item of batch) settle(item, null)
    } catch (error) {
      if (error instanceof RecordRefused && batch.length > 1) {
        // Halves that were acknowledged the first time go out again: consumers drop the repeat by event_id.
        await send(batch.slice(0, batch.length >> 1))
        await send(batch.slice(batch.length >> 1))
        return
      }
      options.onFailure?.(error)
      if (!(error instanceof RecordRefused)) good = false
      const reason =
        error instanceof RecordRefused || error instanceof OutcomeUnknown ? error : new OutcomeUnknown('the send failed', { cause: error })
      for (const item of batch) settle(item, reason)
    }
  }

  async function pump(): Promise<void> {
    while (head < queue.length) {
      if (rate > lingerAboveRate && queue.length - head < batchRecords) await new Promise((resolve) => setTimeout(resolve, 1))
      const batch = take()
      if (batch.length === 0) continue
      inFlight = batch.length
      await send(batch)
      inFlight = 0
    }
  }

  function start(): void {
    if (sending) return
    sending = pump().finally(() => {
      sending = null
      if (head < queue.length) start()
    })
  }

  /** Calls that waited out their deadline in the queue leave it unsent: the oldest stand first. */
  function expire(): void {
    expiry = null
    const now = Date.now()
    while (head < queue.length) {
      const item = queue[head] as Item
      if (item.call.sent || (!item.call.failed && item.call.deadline > now)) break
      head += 1
      queuedBytes -= item.bytes
      settle(item, item.call.failed ?? new QueueFull('waited out its time in the queue and was not sent'))
    }
    schedule()
  }

  function schedule(): void {
    if (expiry || head >= queue.length) return
    expiry = setTimeout(expire, 250)
  }

  function meter(records: number): void {
    counted += records
    const now = Date.now()
    if (now - rateSince < 250) return
    rate = (counted * 1000) / (now - rateSince)
    counted = 0
    rateSince = now
  }

  return {
    append(records) {
      if (closed) return Promise.reject(new QueueFull('the process is stopping'))
      if (records.length === 0) return Promise.resolve()
      let bytes = 0
      const items: Item[] = []
      return new Promise<void>((resolve, reject) => {
        const call: Call = { left: records.length, deadline: Date.now() + deadlineMs, bytes: 0, sent: false, failed: null, resolve, reject }
        for (const record of records) {
          if (record.key.length === 0) return reject(new RecordRefused(`a record for ${record.topic} has no key`))
          const size = boundOf(record)
          if (size > RECORD_BYTES)
            return reject(new RecordRefused(`a record for ${record.topic} takes ${size} bytes, at most ${RECORD_BYTES} fit`))
          bytes += size
          items.push({ record, bytes: size, call })
        }
        if (queue.length - head + records.length > queueRecords || queuedBytes + bytes > queueBytes) {
          return reject(new QueueFull(`the queue holds ${queue.length - head} records, ${queuedBytes} bytes`))
        }
        meter(records.length)
        for (const item of items) queue.push(item)
        queuedBytes += bytes
        start()
        schedule()
      })
    },
    healthy: () => good,
    depth,
    async close() {
      closed = true
      const limit = Date.now() + deadlineMs
      while (sending && Date.now() < limit) await Promise.race([sending, new Promise((resolve) => setTimeout(resolve, 100))])
      if (expiry) clearTimeout(expiry)
      for (; head < queue.length; head++) settle(queue[head] as Item, new QueueFull('the process is stopping'))
      await producer.close()
    }
  }
}
