/**
 * Forms the rows of a batch: records in, one body per table out. Each record is decoded once and
 * written as text at once; nothing else of it is kept. Two sorts of records are recognised by a
 * header and skipped without decoding: control records (ticks, configurations, gaps of the doors),
 * and dead letters that were put back for one processor, whose row was made when they first
 * appeared. A record that cannot be read, or does not fit its table, becomes a row of `rejected`,
 * so the number of rows still equals the number of facts on the log. A record whose schema the
 * registry does not know is no such record: it waits, because the registry may have been restored
 * from an earlier backup.
 */
import { type Codec, type Decoded, PoisonRecord } from '../../schemas/codec.ts'
import type { RecordName } from '../../schemas/generated/events.ts'
import { specOf, type TopicName } from '../../schemas/topics.ts'
import { isRedriven } from '../../streams/runtime/redriven.ts'
import type { Forming, Insert } from '../../streams/runtime/sink.ts'
import type { InRecord } from '../../streams/runtime/stream.ts'
import { type TableName, tableNames } from './columns.ts'
import { deletedWindowRow, tables } from './rows.ts'
import { Unfit } from './tsv.ts'
import { endOfSpans, spanRows } from './window-spans.ts'

/** The topics that become rows, heaviest first, each with its record type. */
export const sinkTopics = {
  'checks.results.v1': 'CheckResult',
  'heartbeat.pings.v1': 'HeartbeatPing',
  'alerts.inbound.v1': 'InboundAlert',
  'alerts.raw.v1': 'RawAlert',
  'checks.captures.v1': 'CheckCapture',
  'monitor.transitions.v1': 'MonitorTransition',
  'heartbeat.transitions.v1': 'HeartbeatTransition',
  'incident.events.v1': 'IncidentEvent',
  'alert.events.v1': 'AlertEvent',
  'notification.deliveries.v1': 'Delivery',
  'maintenance.windows.v1': 'MaintenanceWindow',
  'ingest.usage.v1': 'UsageCounter'
} as const satisfies Partial<Record<TopicName, RecordName>>

export type SinkTopic = keyof typeof sinkTopics
export const sinkTopicNames = Object.keys(sinkTopics) as SinkTopic[]

const recordOf = new Map<TopicName, RecordName>(sinkTopicNames.map((topic) => [topic, sinkTopics[topic]]))
const controlsOf = new Map<TopicName, ReadonlySet<string>>(
  sinkTopicNames.map((topic) => [
    topic,
    new Set(specOf(topic).records.flatMap(({ kind, event_type }) => (kind === 'control' && event_type !== null ? [event_type] : [])))
  ])
)

const isControl = ({ topic, headers: { event_type } }: InRecord): boolean =>
  event_type !== undefined && controlsOf.get(topic)?.has(event_type) === true

const isNoFact = (record: InRecord): boolean => isControl(record) || isRedriven(record.headers)

/** The registry does not know the schema of a record. */
export class SchemaMissing extends Error {
  override readonly name = 'SchemaMissing'

  constructor({ topic, partition, offset }: InRecord, value: Buffer) {
    super(`the registry does not know schema ${value.readInt32BE(1)}, with which ${topic}:${partition}:${offset} was written`)
  }
}

/**
 * Fetches the schemas that the records use and the codec does not know yet. Rejects when the
 * registry is unavailable, and with SchemaMissing when it does not know one of them; try again
 * later.
 */
export async function learn(codec: Codec, records: readonly InRecord[]): Promise<void> {
  for (const record of records) {
    const { value } = record
    if (value === null || codec.knows(value) || isNoFact(record)) continue
    await codec.learn(value, true)
    if (!codec.knows(value)) throw new SchemaMissing(record, value)
  }
}

type Put = (table: TableName, line: string) => void

function putRows(put: Put, { record, value }: Decoded, source: InRecord): void {
  if (record !== recordOf.get(source.topic)) throw new Unfit(`${record} is not the record of the topic`)
  switch (record) {
    case 'CheckResult':
      put('check_results', tables.check_results.row(value, source))
      break
    case 'HeartbeatPing':
      put('heartbeat_pings', tables.heartbeat_pings.row(value, source))
      break
    case 'InboundAlert':
      put('alert_ingest', tables.alert_ingest.row(value, source))
      break
    case 'RawAlert':
      put('alerts_raw', tables.alerts_raw.row(value, source))
      break
    case 'CheckCapture':
      put('check_captures', tables.check_captures.row(value, source))
      break
    case 'MonitorTransition':
      put('monitor_transitions', tables.monitor_transitions.row(value, source))
      break
    case 'HeartbeatTransition':
      put('heartbeat_transitions', tables.heartbeat_transitions.row(value, source))
      break
    case 'IncidentEvent': {
      const incident = tables.incidents.row(value, source) // Both rows or neither.
      put('incident_events', tables.incident_events.row(value, source))
      put('incidents', incident)
      break
    }
    case 'AlertEvent':
      put('alert_events', tables.alert_events.row(value, source))
      break
    case 'Delivery':
      put('notification_deliveries', tables.notification_deliveries.row(value, source))
      break
    case 'MaintenanceWindow': {
      // All rows or none.
      const spans = spanRows(value).map((one) => tables.maintenance_spans.row(one, source))
      put('maintenance_windows', tables.maintenance_windows.row(value, source))
      for (const line of spans) put('maintenance_spans', line)
      break
    }
    case 'UsageCounter':
      put('ingest_usage', tables.ingest_usage.row(value, source))
  }
}

function putTombstone(put: Put, record: InRecord): void {
  if (record.topic !== 'maintenance.windows.v1') return
  const { tenant_id = '', ver = '' } = record.headers
  const window = { tenant_id, window_id: record.key, ver: ver === '' ? Number.NaN : Number(ver), at: record.timestamp }
  put('maintenance_windows', deletedWindowRow(window, record))
  put('maintenance_spans', tables.maintenance_spans.row(endOfSpans(window), record))
}

/** `onRejected` is for counting. The row that gives the reason is made here. */
export function formBatch(codec: Codec, onRejected: (topic: TopicName, reason: string) => void): Forming {
  const lines = new Map<TableName, string[]>()
  let count = 0
  let size = 0
  const put: Put = (table, line) => {
    const list = lines.get(table)
    if (list) list.push(line)
    else lines.set(table, [line])
    count += 1
    size += line.length
  }
  return {
    get rows() {
      return count
    },
    get bytes() {
      return size
    },
    take(records) {
      for (const record of records) {
        if (isNoFact(record)) continue
        const { topic, value, timestamp: at } = record
        try {
          if (value === null) putTombstone(put, record)
          else putRows(put, codec.decodeAny(value), record)
        } catch (error) {
          if (!(error instanceof PoisonRecord) && !(error instanceof Unfit)) throw error
          const reason = error instanceof Unfit ? 'unfit' : 'decode'
          onRejected(topic, reason)
          put('rejected', tables.rejected.row({ topic, at, reason, error: error.message, bytes: value?.length ?? 0 }, record))
        }
      }
    },
    inserts: (): Insert[] =>
      tableNames.flatMap((table) => {
        const list = lines.get(table)
        return list ? [{ table, rows: list.length, body: Buffer.from(list.join(''), 'utf8') }] : []
      })
  }
}
