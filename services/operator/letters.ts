/**
 * Dead letters as they stand on dlq.v1, and which of them can be put back.
 *
 * In    a letter, the log that is there now, and the ids of letters that were put back before
 * Out   the record to append, or why it is not
 * Source: docs/design/architecture.md#s5-failures.
 */
import type { DeadLetter } from '../../schemas/generated/events.ts'
import { type TopicName, topicNames } from '../../schemas/topics.ts'
import { KEPT_KEY_BYTES } from '../../streams/runtime/dead-letter.ts'
import { isRedriven, type Redriven, readRedriven, redriveHeaders } from '../../streams/runtime/redriven.ts'
import type { OutRecord } from '../../streams/runtime/stream.ts'

/** Selects letters. Times are epoch ms, of the original record. */
export interface LetterFilter {
  processor: string
  topic: string | null
  tenant_id: string | null
  reason: string | null
  since: number | null
  until: number | null
}

export const isMeant = (letter: DeadLetter, { processor, topic, tenant_id, reason, since, until }: LetterFilter): boolean =>
  letter.processor === processor &&
  (topic === null || letter.topic === topic) &&
  (tenant_id === null || letter.tenant_id === tenant_id) &&
  (reason === null || letter.reason === reason) &&
  (since === null || letter.record_at >= since) &&
  (until === null || letter.record_at < until)

export interface Back {
  letter: Redriven
  record: OutRecord
}

const ofRedrive = (name: string): boolean => name.startsWith('redrive_')

/**
 * `clusterId`: the cluster of the current log. A record that was put back before and became a
 * letter again keeps its original offset.
 */
export function backOf(letter: DeadLetter, clusterId: string): Back | { not: string } {
  const { processor, topic, partition, offset, record_at, event_id, headers, key, value, value_bytes } = letter
  if (value === null) return { not: 'a record without a value' }
  if (value.length < value_bytes) return { not: `cut at ${value.length} of its ${value_bytes} bytes` }
  if ((key?.length ?? 0) >= KEPT_KEY_BYTES) return { not: 'its key may be cut' }
  const name = topicNames.find((one) => one === topic)
  if (!name) return { not: `there is no topic ${topic}` }
  // Older versions did not record the log; they wrote to the log that holds the letter.
  const log = letter.log ?? clusterId
  let first: Redriven = { processor, letter_id: event_id, log, topic, partition, offset: BigInt(offset), at: record_at }
  if (isRedriven(headers)) {
    const before = readRedriven(headers)
    if ('fault' in before) return { not: before.fault }
    if (before.processor === processor) first = { ...before, letter_id: event_id }
  }
  if (first.log !== clusterId) return { not: `it stood in the log of cluster ${first.log}` }
  const own = Object.fromEntries(Object.entries(headers).filter(([header]) => !ofRedrive(header)))
  return {
    letter: first,
    record: { topic: name as TopicName, partition, key: key ?? Buffer.alloc(0), value, headers: { ...redriveHeaders(first), ...own } }
  }
}
