/**
 * The batcher in front of the process's one producer: callers append, one batch at a time is in flight, and what arrives meanwhile is the next batch.
 *
 * - Nothing in flight: the batch leaves at once. There is no fixed linger; above `lingerAboveRate` records/s a batch waits up to 2 ms for company.
 * - A batch holds at most `batchRecords` records or `batchBytes` bytes (or one larger record); a larger call goes out in several, and settles when its
 *   last is acknowledged.
 * - The queue is bounded in records and bytes: beyond, append rejects with QueueFull at once, and nothing was enqueued.
 * - A call is answered by its deadline, counted from append. If none of its records left by then, it is taken out of the queue and rejects with QueueFull:
 *   it certainly is not on the log. Otherwise it rejects with OutcomeUnknown, and what is left of it is not sent: half a payload helps nobody.
 * - A batch that is not acknowledged rejects its calls with OutcomeUnknown likewise.
 * - What the broker refuses for good is halved until the refused records stand alone, so that only their calls reject with RecordRefused; what was
 *   acknowledged along with them is not sent again.
 */
import { boundOf, PARTITION_RECORDS } from './record-batch.ts'
import { type Append, OutcomeUnknown, type OutRecord, QueueFull, RecordRefused } from './stream.ts'

/** Of a call of the sender, `records` were refused for good and all others acknowledged. `each`: every one of them by itself, not by the company it was in. */
export class BatchRefused extends RecordRefused {
  readonly records: readonly OutRecord[]
  readonly each: boolean

  constructor(message: string, records: readonly OutRecord[], each: boolean) {
    super(message)
    this.records = records
    this.each = each
  }
}

export interface BatchSender {
  /** Resolves when all are acknowledged. Rejects with BatchRefused, or with anything else when it cannot tell. */
  produce(records: readonly OutRecord[], deadline: number): Promise<void>
  close(): Promise<void>
}

export interface BatcherOptions {
  /** At most 1,000: they may all be of one partition. */
  batchRecords?: number
  batchBytes?: number
  queueRecords?: number
  queueBytes?: number
  /** From append to the answer, at most; ms. */
  deadlineMs?: number
  /** Records a second above which a batch waits for company. */
  lingerAboveRate?: number
  onBatch?(records: number, ms: number): void
  onFailure?(error: unknown): void
}

interface Call {
  /** Records not yet acknowledged. */
  left: number
  deadline: number
  /** Some of it went out. */
  sent: boolean
  settled: boolean
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
/** Heads of queues move by an index; the array is cut once so many lie behind it. */
const CUT_AT = 4096

const notSent = (): QueueFull => new QueueFull('waited out its time in the queue and was not sent')
const noAnswer = (): OutcomeUnknown => new OutcomeUnknown('no acknowledgement within the deadline')

/** Throws RangeError on bounds that no broker would take. */
export function createBatcher(producer: BatchSender, options: BatcherOptions = {}): Append {
  const {
    batchRecords = 500,
    batchBytes = 256 * 1024,
    queueRecords = 20_000,
    queueBytes = 32 * 1024 * 1024,
    deadlineMs = 5000,
    lingerAboveRate = 2000
  } = options
  if (batchRecords < 1 || batchRecords > PARTITION_RECORDS) {
    throw new RangeError(`batchRecords is ${batchRecords}, expected 1 to ${PARTITION_RECORDS}: all of a batch may be of one partition`)
  }
  let queue: Item[] = []
  let head = 0
  let queuedBytes = 0
  /** In the order of their deadlines, which is the order of appending. */
  let calls: Call[] = []
  let firstCall = 0
  let inFlight = 0
  let sending: Promise<void> | null = null
  let good = true
  let closed = false
  let expiry: NodeJS.Timeout | null = null
  let rate = 0
  let rateSince = Date.now()
  let counted = 0

  const depth = (): number => queue.length - head + inFlight

  function acknowledge({ call }: Item): void {
    call.left -= 1
    if (call.left > 0 || call.settled) return
    call.settled = true
    call.resolve()
  }

  function fail(call: Call, error: Error): void {
    if (call.settled) return
    call.settled = true
    call.reject(error)
  }

  /** Answers a call whose time is over. */
  function expireCall(call: Call, unsent = notSent()): void {
    if (call.sent) good = false
    fail(call, call.sent ? noAnswer() : unsent)
  }

  function pass(item: Item): void {
    head += 1
    queuedBytes -= item.bytes
    if (head < CUT_AT && head < queue.length) return
    queue = queue.slice(head)
    head = 0
  }

  /** Takes the next batch off the queue; what is left of calls that failed falls out, and what has waited too long: on a busy process timers come late. */
  function take(): Item[] {
    const now = Date.now()
    const batch: Item[] = []
    let bytes = 0
    while (head < queue.length && batch.length < batchRecords) {
      const item = queue[head] as Item
      if (!item.call.settled && item.call.deadline <= now) expireCall(item.call)
      const dropped = item.call.settled
      if (!dropped && batch.length > 0 && bytes + item.bytes > batchBytes) break
      pass(item)
      if (dropped) continue
      item.call.sent = true
      bytes += item.bytes
      batch.push(item)
    }
    return batch
  }

  async function send(batch: Item[]): Promise<void> {
    const started = Date.now()
    try {
      await producer.produce(
        batch.map((item) => item.record),
        started + deadlineMs
      )
    } catch (error) {
      options.onFailure?.(error)
      if (error instanceof BatchRefused) return refuse(batch, error)
      good = false
      const reason = error instanceof OutcomeUnknown ? error : new OutcomeUnknown('the send failed', { cause: error })
      for (const { call } of batch) fail(call, reason)
      return
    }
    good = true
    options.onBatch?.(batch.length, Date.now() - started)
    for (const item of batch) acknowledge(item)
    forget()
  }

  /** Settles what is certain after a refusal and sends the rest in halves. */
  async function refuse(batch: Item[], error: BatchRefused): Promise<void> {
    const records = new Set(error.records)
    const refused = batch.filter((item) => records.has(item.record))
    for (const item of batch) if (!records.has(item.record)) acknowledge(item)
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
    sending ??= pump().finally(() => {
      sending = null
      if (head < queue.length) start()
    })
  }

  /** Lets go of the calls that are settled, from the oldest on: they would stay until their deadlines else. */
  function forget(): void {
    while (calls[firstCall]?.settled) firstCall += 1
    if (firstCall < CUT_AT && firstCall < calls.length) return
    calls = calls.slice(firstCall)
    firstCall = 0
  }

  /** Answers the calls whose time is over; `end` ends all of them. */
  function expire(end: boolean): void {
    const now = end ? Number.POSITIVE_INFINITY : Date.now()
    for (; firstCall < calls.length; firstCall++) {
      const call = calls[firstCall] as Call
      if (call.settled) continue // Nearly all: an error is not made for them.
      if (call.deadline > now) break
      expireCall(call, end ? new QueueFull('the process is stopping') : notSent())
    }
    forget()
    // The oldest stand first, so what falls out of the queue is always at its head.
    while (head < queue.length && (queue[head] as Item).call.settled) pass(queue[head] as Item)
  }

  function schedule(): void {
    const next = calls[firstCall]
    if (expiry || !next) return
    expiry = setTimeout(
      () => {
        expiry = null
        expire(false)
        schedule()
      },
      Math.max(next.deadline - Date.now(), 1)
    )
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
        const call: Call = { left: records.length, deadline: Date.now() + deadlineMs, sent: false, settled: false, resolve, reject }
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
        calls.push(call)
        queuedBytes += bytes
        start()
        schedule()
      })
    },
    healthy: () => good,
    depth,
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
      expire(true)
      if (expiry) clearTimeout(expiry)
      await producer.close()
      await sending // What was in flight rejects when its producer is closed.
    }
  }
}
