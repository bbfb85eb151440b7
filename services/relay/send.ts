/**
 * Turns rows of the outbox into records and sends them to the log.
 *
 * In    rows of one read, in order (services/store/outbox.ts)
 * Out   which rows are done (on the log, or marks that a newer mark replaces), which ones the log
 *       refuses for good, and what stopped the sending, if anything did; rows in neither list stay
 *       and are sent again, with the same event_id and ver
 * All rows go in one append, so an event and the frame made of it leave together. When the log
 * stops acknowledging, the rows that it had acknowledged are done. So a slow log takes a part of a
 * large read each time, and not its beginning again and again. When the log refuses a record for
 * good, the rows are halved until the refused ones stand alone. So one bad row never stops a shard.
 * When it refuses a whole topic of ours, such as one that is missing for a moment, the rows are not
 * to blame: those of this topic stay, and the others are sent.
 * Readers drop the records that this sends twice (`ver <= seen`).
 * Source: docs/design/streaming.md#s2-3.
 */

import { type TopicName, topicNames } from '../../schemas/topics.ts'
import type { Append, OutRecord } from '../../streams/runtime/stream.ts'
import { OutcomeUnknown, RecordRefused } from '../../streams/runtime/stream.ts'
import type { OutboxRow } from '../store/outbox.ts'
import { type Current, nameOfMark, type OutboxRead } from './read.ts'

/**
 * Loads current rows by aggregate, for each compacted topic that is sent from them. An aggregate
 * that does not belong to the topic is missing from the result.
 */
export type CurrentLoaders = Partial<Record<TopicName, (aggregates: readonly string[]) => Promise<ReadonlyMap<string, Current>>>>

export interface Sent {
  done: number[]
  /** Number of records that are on the log. */
  records: number
  refused: { row: OutboxRow; reason: string }[]
  /** The topics whose rows all stay, because the log takes none for them at present. */
  away: TopicName[]
  /**
   * The error that append rejected with: QueueFull or OutcomeUnknown, or RecordRefused when a topic
   * is away. Null when every row is done or refused.
   */
  stopped: unknown
}

interface Unit {
  row: OutboxRow
  record: OutRecord
}

/** Returns the newest mark of each name. Older marks say nothing that it does not. */
function newestMarks(rows: readonly OutboxRow[]): Map<string, OutboxRow> {
  const newest = new Map<string, OutboxRow>()
  for (const row of rows) {
    if (row.payload !== null) continue
    const name = nameOfMark(row)
    const known = newest.get(name)
    if (!known || row.ver >= known.ver) newest.set(name, row)
  }
  return newest
}

/** Loads the current rows that were not read together with the marks. */
async function loadCurrent(
  marks: ReadonlyMap<string, OutboxRow>,
  known: OutboxRead['current'],
  loaders: CurrentLoaders
): Promise<Map<string, Current>> {
  const byTopic = new Map<TopicName, string[]>()
  const loaded = new Map<string, Current>()
  for (const [name, { topic, aggregate, ver }] of marks) {
    const row = known.get(name)
    if (row && row.ver >= ver) loaded.set(name, row)
    else byTopic.set(topic, [...(byTopic.get(topic) ?? []), aggregate])
  }
  for (const [topic, aggregates] of byTopic) {
    const found = await loaders[topic]?.(aggregates)
    for (const [aggregate, row] of found ?? []) loaded.set(nameOfMark({ topic, aggregate }), row)
  }
  return loaded
}

const toRecord = (row: OutboxRow, ver: number, value: Buffer | null): OutRecord => ({
  topic: row.topic,
  key: row.key,
  value,
  headers: { ...row.headers, tenant_id: row.tenant_id, aggregate: row.aggregate, ver: String(ver) }
})

/** Rejects when a loader rejects; then nothing was sent. */
export async function sendRows(
  { rows, current: known }: Pick<OutboxRead, 'rows' | 'current'>,
  log: Append,
  loaders: CurrentLoaders
): Promise<Sent> {
  const sent: Sent = { done: [], records: 0, refused: [], away: [], stopped: null }
  const marks = newestMarks(rows)
  const current = await loadCurrent(marks, known, loaders)
  const units: Unit[] = []
  for (const row of rows) {
    if (row.payload !== null) {
      units.push({ row, record: toRecord(row, row.ver, row.payload) })
      continue
    }
    const name = nameOfMark(row)
    if (marks.get(name) !== row) {
      sent.done.push(row.id)
      continue
    }
    const now = current.get(name)
    try {
      if (now === undefined) throw new Error(`${row.aggregate} has no current row for ${row.topic}`)
      units.push({ row, record: toRecord(row, now?.ver ?? row.ver, now?.encode() ?? null) })
    } catch (error) {
      sent.refused.push({ row, reason: (error as Error).message })
    }
  }
  try {
    await deliver(units, log, sent)
  } catch (error) {
    sent.stopped = error
  }
  return sent
}

/** Counts what is on the log. */
function count(units: readonly Unit[], sent: Sent): void {
  for (const { row } of units) sent.done.push(row.id)
  sent.records += units.length
}

/**
 * Handles the refusal of a topic. Rows of several topics are sent again topic by topic. Once a
 * topic is away, no later row of it is sent in this pass: it must not come before the earlier ones.
 */
async function deliverByTopic(units: readonly Unit[], error: RecordRefused, log: Append, sent: Sent): Promise<void> {
  const [topic, ...others] = new Set(units.map(({ record }) => record.topic))
  if (topic === undefined) return
  if (others.length > 0) {
    for (const one of [topic, ...others])
      await deliver(
        units.filter(({ record }) => record.topic === one),
        log,
        sent
      )
  } else if (topicNames.includes(topic)) {
    sent.away.push(topic)
    sent.stopped = error
  } else for (const { row } of units) sent.refused.push({ row, reason: error.message })
}

async function deliver(all: readonly Unit[], log: Append, sent: Sent): Promise<void> {
  const units = all.filter(({ record }) => !sent.away.includes(record.topic))
  const first = units[0]
  if (!first) return
  try {
    await log.append(units.map((unit) => unit.record))
  } catch (error) {
    if (error instanceof OutcomeUnknown) count(units.slice(0, error.acknowledged), sent)
    if (!(error instanceof RecordRefused)) throw error
    if (error.ofTopic) return deliverByTopic(units, error, log, sent)
    if (units.length === 1) {
      sent.refused.push({ row: first.row, reason: error.message })
      return
    }
    const half = units.length >> 1
    await deliver(units.slice(0, half), log, sent)
    await deliver(units.slice(half), log, sent)
    return
  }
  count(units, sent)
}
