/**
 * The queue of records that wait for a batch, in the order of appending, bounded in records and
 * bytes. A call enters completely or not at all. The remaining records of a call that is already
 * answered are dropped.
 */
import { type Call, CUT_AT } from './append-calls.ts'
import { boundOf } from './record-batch.ts'
import { type OutRecord, QueueFull, RecordRefused } from './stream.ts'

export interface Item {
  record: OutRecord
  bytes: number
  call: Call
}

export interface QueueBounds {
  batchRecords: number
  batchBytes: number
  queueRecords: number
  queueBytes: number
}

/**
 * Size limit of one appended record: no topic takes a bigger one (schemas/topics.ts,
 * max.message.bytes).
 */
const MAX_RECORD_BYTES = 1_000_000

export class AppendQueue {
  #items: Item[] = []
  #head = 0
  #bytes = 0
  readonly #bounds: QueueBounds
  readonly #onOverdue: (call: Call) => void

  /** `onOverdue` must answer a call that reaches the head of the queue after its deadline. */
  constructor(bounds: QueueBounds, onOverdue: (call: Call) => void) {
    this.#bounds = bounds
    this.#onOverdue = onOverdue
  }

  /** Records that wait. */
  get length(): number {
    return this.#items.length - this.#head
  }

  /**
   * Enqueues all records of the call. When that is not possible, enqueues nothing and returns the
   * reason.
   */
  add(records: readonly OutRecord[], call: Call): RecordRefused | QueueFull | null {
    let bytes = 0
    const items: Item[] = []
    for (const record of records) {
      if (record.key.length === 0) return new RecordRefused(`a record for ${record.topic} has no key`)
      const size = boundOf(record)
      if (size > MAX_RECORD_BYTES)
        return new RecordRefused(`a record for ${record.topic} takes ${size} bytes, at most ${MAX_RECORD_BYTES} fit`)
      bytes += size
      items.push({ record, bytes: size, call })
    }
    if (this.length + records.length > this.#bounds.queueRecords || this.#bytes + bytes > this.#bounds.queueBytes) {
      return new QueueFull(`the queue holds ${this.length} records, ${this.#bytes} bytes`)
    }
    for (const item of items) this.#items.push(item)
    this.#bytes += bytes
    return null
  }

  /**
   * Takes the next batch, which may be empty. Records of answered calls are dropped, and so are
   * records of calls that are overdue at `now` (of steadyNow), because timers fire late in a busy
   * process.
   */
  take(now: number): Item[] {
    const { batchRecords, batchBytes } = this.#bounds
    const batch: Item[] = []
    let bytes = 0
    while (this.#head < this.#items.length && batch.length < batchRecords) {
      const item = this.#items[this.#head] as Item
      const { call } = item
      if (!call.settled && call.deadline <= now) this.#onOverdue(call)
      const dropped = call.settled
      if (!dropped && batch.length > 0 && bytes + item.bytes > batchBytes) break
      this.#pass(item)
      if (dropped) continue
      call.sent = true
      bytes += item.bytes
      batch.push(item)
    }
    return batch
  }

  /**
   * Drops the remaining records of answered calls. The oldest calls come first, so these records
   * are always at the head.
   */
  dropAnswered(): void {
    while (this.#items[this.#head]?.call.settled) this.#pass(this.#items[this.#head] as Item)
  }

  #pass(item: Item): void {
    this.#head += 1
    this.#bytes -= item.bytes
    if (this.#head < CUT_AT && this.#head < this.#items.length) return
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}
