/**
 * The table of all topics of the log. It is used to create and verify topics, to name registry
 * subjects, to document the log (AsyncAPI), and to type topic names in code. Partition counts never
 * change: keys would move to other partitions, and state is addressed by partition. `v1` changes
 * only on an incompatible break.
 * Source: docs/design/architecture.md#s4, docs/design/streaming.md#s3.
 */
import type { RecordName } from './generated/events.ts'

export interface TopicRecord {
  record: RecordName
  /**
   * Header `event_type` of a control record. Null for the topic's own record: there the header is
   * missing (facts of a door), or says what happened (`incident.created`) or what the api took
   * (`inbound_alert`).
   */
  event_type: string | null
  kind: 'fact' | 'control' | 'event' | 'state' | 'transition' | 'delivery'
}

export interface TopicSpec {
  name: string
  doc: string
  partitions: number
  /** What the record key consists of. Every record has a key. */
  key: string
  /** The order that readers may rely on. */
  ordering: string
  cleanup: 'delete' | 'compact'
  /**
   * How long records are kept. Null for compacted topics, which keep the last record of each key
   * forever.
   */
  retention_ms: number | null
  /**
   * `append`: the broker stamps the record (used for timed topics, whose folds compare ticks with
   * the stamp). `create`: the producer stamps it.
   */
  timestamps: 'append' | 'create'
  /** Empty when the topic carries JSON frames. */
  records: readonly TopicRecord[]
  /**
   * TopicName: one record family, with the subject `<topic>-value`. TopicRecordName: several
   * records share the partitions, with the subject `<topic>-<full record name>`.
   */
  strategy: 'TopicName' | 'TopicRecordName'
  /**
   * FULL_TRANSITIVE for topics that data teams read: old and new readers and writers mix freely.
   */
  compatibility: 'FULL_TRANSITIVE' | 'BACKWARD_TRANSITIVE'
  /** The part of the service that decides what the records mean. */
  owner: string
  /** Roles that append to the topic. */
  written_by: readonly string[]
  /**
   * Sources of the outbox rows that the role `relay` sends to this topic: processors by name, or
   * roles. Empty when the relay does not write to it.
   */
  emitted_by: readonly string[]
  /** Processors by name, roles, and readers outside the service. */
  read_by: readonly string[]
  /**
   * Personal data in the records.
   * - none: only ids.
   * - text: names, titles and excerpts that customers wrote.
   * - restricted: raw payloads, which only few may read.
   */
  pii: 'none' | 'text' | 'restricted'
  /**
   * True: the topic is a contract with data teams. All other topics are internal, and a change to
   * one may require changes to its readers.
   */
  public: boolean
  /** Largest record batch that the broker accepts, in bytes. */
  max_message_bytes: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MEGABYTE = 1_048_576

const table = [
  {
    name: 'checks.results.v1',
    doc: 'Every result of every check from every region, with the configuration changes and ticks that govern its judgement.',
    partitions: 12,
    key: 'monitor_id',
    ordering: 'Per monitor_id, regions interleaved; seq orders one region.',
    cleanup: 'delete',
    retention_ms: 7 * DAY,
    timestamps: 'append',
    records: [
      { record: 'CheckResult', event_type: null, kind: 'fact' },
      { record: 'Tick', event_type: 'tick', kind: 'control' },
      { record: 'MonitorConfig', event_type: 'monitor_config', kind: 'control' }
    ],
    strategy: 'TopicRecordName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'monitors',
    written_by: ['intake', 'clock', 'relay', 'operators (redrive)'],
    emitted_by: ['api', 'notifier', 'clock'],
    read_by: ['status', 'analytics', 'data teams'],
    pii: 'text',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'heartbeat.pings.v1',
    doc: 'Every ping of every heartbeat, with the configuration changes, ticks and gaps of the doors that govern its deadlines.',
    partitions: 12,
    key: 'heartbeat_id',
    ordering: 'Per heartbeat_id, by the order in which a door appended.',
    cleanup: 'delete',
    retention_ms: 7 * DAY,
    timestamps: 'append',
    records: [
      { record: 'HeartbeatPing', event_type: null, kind: 'fact' },
      { record: 'Tick', event_type: 'tick', kind: 'control' },
      { record: 'HeartbeatConfig', event_type: 'heartbeat_config', kind: 'control' },
      { record: 'DoorGap', event_type: 'door_gap', kind: 'control' }
    ],
    strategy: 'TopicRecordName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'heartbeats',
    written_by: ['intake', 'clock', 'relay', 'operators (redrive)'],
    emitted_by: ['api', 'notifier', 'clock'],
    read_by: ['heartbeat', 'analytics', 'data teams'],
    pii: 'text',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'alerts.inbound.v1',
    doc: 'Every alert that an inbound door or the api accepted, normalised by the parser of its source.',
    partitions: 12,
    key: 'tenant_id|dedup_key',
    ordering:
      'Per tenant_id and dedup_key, by the order in which a door or the relay appended; sequence and occurred_at order the signals.',
    cleanup: 'delete',
    retention_ms: 7 * DAY,
    timestamps: 'create',
    records: [{ record: 'InboundAlert', event_type: null, kind: 'fact' }],
    strategy: 'TopicName',
    compatibility: 'BACKWARD_TRANSITIVE',
    owner: 'intake',
    written_by: ['intake', 'relay', 'operators (redrive)'],
    emitted_by: ['api'],
    read_by: ['incident', 'analytics'],
    pii: 'text',
    public: false,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'alerts.raw.v1',
    doc: 'Payloads that a parser refused, and accepted ones of integrations with capture on; never what the budget refused.',
    partitions: 12,
    key: 'tenant_id|integration_id',
    ordering: 'Per tenant_id and integration_id, by the order in which a door appended.',
    cleanup: 'delete',
    retention_ms: 3 * DAY,
    timestamps: 'create',
    records: [{ record: 'RawAlert', event_type: null, kind: 'fact' }],
    strategy: 'TopicName',
    compatibility: 'BACKWARD_TRANSITIVE',
    owner: 'intake',
    written_by: ['intake'],
    emitted_by: [],
    read_by: ['analytics'],
    pii: 'restricted',
    public: false,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'checks.captures.v1',
    doc: 'Answers of failed HTTP checks, of monitors that keep them: cut, without what looks like a secret, and not of every check.',
    partitions: 6,
    key: 'tenant_id|monitor_id',
    ordering: 'Per tenant_id and monitor_id, by the order in which a door appended; regions interleaved.',
    cleanup: 'delete',
    retention_ms: 3 * DAY,
    timestamps: 'create',
    records: [{ record: 'CheckCapture', event_type: null, kind: 'fact' }],
    strategy: 'TopicName',
    compatibility: 'BACKWARD_TRANSITIVE',
    owner: 'monitors',
    written_by: ['intake'],
    emitted_by: [],
    read_by: ['analytics'],
    pii: 'restricted',
    public: false,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'monitor.transitions.v1',
    doc: 'Every change of status of a monitor, with the vote of the regions that decided it.',
    partitions: 6,
    key: 'monitor_id',
    ordering: 'Per monitor_id; ver grows by one. Repeats carry the same event_id and ver.',
    cleanup: 'delete',
    retention_ms: 30 * DAY,
    timestamps: 'create',
    records: [{ record: 'MonitorTransition', event_type: null, kind: 'transition' }],
    strategy: 'TopicName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'monitors',
    written_by: ['relay', 'operators (redrive)'],
    emitted_by: ['status'],
    read_by: ['incident', 'analytics', 'data teams'],
    pii: 'text',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'heartbeat.transitions.v1',
    doc: 'Every change of status of a heartbeat: missed, failed, overrun, back.',
    partitions: 6,
    key: 'heartbeat_id',
    ordering: 'Per heartbeat_id; ver grows by one. Repeats carry the same event_id and ver.',
    cleanup: 'delete',
    retention_ms: 30 * DAY,
    timestamps: 'create',
    records: [{ record: 'HeartbeatTransition', event_type: null, kind: 'transition' }],
    strategy: 'TopicName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'heartbeats',
    written_by: ['relay', 'operators (redrive)'],
    emitted_by: ['heartbeat'],
    read_by: ['incident', 'analytics', 'data teams'],
    pii: 'text',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'monitor.state.v1',
    doc: 'Each monitor as it stands; a tombstone when it is deleted.',
    partitions: 6,
    key: 'monitor_id',
    ordering: 'Per monitor_id; the last record of a key is the newest.',
    cleanup: 'compact',
    retention_ms: null,
    timestamps: 'create',
    records: [{ record: 'MonitorState', event_type: null, kind: 'state' }],
    strategy: 'TopicName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'monitors',
    written_by: ['relay'],
    emitted_by: ['status'],
    read_by: ['data teams'],
    pii: 'text',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'incident.events.v1',
    doc: 'Every change of every incident, with its cause and the incident after it.',
    partitions: 6,
    key: 'incident_id',
    ordering: 'Per incident_id; ver grows by one. Repeats carry the same event_id and ver.',
    cleanup: 'delete',
    retention_ms: 30 * DAY,
    timestamps: 'create',
    records: [{ record: 'IncidentEvent', event_type: null, kind: 'event' }],
    strategy: 'TopicName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'incidents',
    written_by: ['relay'],
    emitted_by: ['incident', 'api', 'notifier'],
    read_by: ['analytics', 'data teams'],
    pii: 'text',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'incident.state.v1',
    doc: 'Each incident as it stands.',
    partitions: 6,
    key: 'incident_id',
    ordering: 'Per incident_id; the last record of a key is the newest.',
    cleanup: 'compact',
    retention_ms: null,
    timestamps: 'create',
    records: [{ record: 'Incident', event_type: null, kind: 'state' }],
    strategy: 'TopicName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'incidents',
    written_by: ['relay'],
    emitted_by: ['incident', 'api', 'notifier'],
    read_by: ['data teams'],
    pii: 'text',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'alert.events.v1',
    doc: 'Every change of an alert that has a life of its own: one of several of an incident, or one without an incident. The alert that alone made an incident changes with it, on incident.events.v1.',
    partitions: 6,
    key: 'alert_id',
    ordering:
      'Per alert_id; ver grows by one, from that of the incident on where a merge gave the alert a life of its own. Repeats carry the same event_id and ver.',
    cleanup: 'delete',
    retention_ms: 30 * DAY,
    timestamps: 'create',
    records: [{ record: 'AlertEvent', event_type: null, kind: 'event' }],
    strategy: 'TopicName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'incidents',
    written_by: ['relay'],
    emitted_by: ['incident', 'api', 'notifier'],
    read_by: ['analytics', 'data teams'],
    pii: 'text',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'notification.deliveries.v1',
    doc: 'Every attempt to tell somebody, with its outcome; never the address or the text.',
    partitions: 6,
    key: 'incident_id, or delivery_id where no incident is behind it',
    ordering:
      'Per delivery_id, by which ver grows by one; deliveries of one incident come in any order among each other. Repeats carry the same event_id and ver.',
    cleanup: 'delete',
    retention_ms: 30 * DAY,
    timestamps: 'create',
    records: [{ record: 'Delivery', event_type: null, kind: 'delivery' }],
    strategy: 'TopicName',
    compatibility: 'FULL_TRANSITIVE',
    owner: 'notifier',
    written_by: ['relay'],
    emitted_by: ['notifier'],
    read_by: ['analytics', 'data teams'],
    pii: 'none',
    public: true,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'maintenance.windows.v1',
    doc: 'Each maintenance window as it stands; a tombstone when it is deleted.',
    partitions: 6,
    key: 'window_id',
    ordering: 'Per window_id; the last record of a key is the newest.',
    cleanup: 'compact',
    retention_ms: null,
    timestamps: 'create',
    records: [{ record: 'MaintenanceWindow', event_type: null, kind: 'state' }],
    strategy: 'TopicName',
    compatibility: 'BACKWARD_TRANSITIVE',
    owner: 'api',
    written_by: ['relay'],
    emitted_by: ['api'],
    read_by: ['analytics'],
    pii: 'text',
    public: false,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'ingest.usage.v1',
    doc: 'Cumulative counters of what each instance of a door or the api admitted and refused per workspace, with the raised ceilings that govern them.',
    partitions: 6,
    key: 'tenant_id',
    ordering: 'Per tenant_id, instances interleaved; counters of one instance, boot and window only grow.',
    cleanup: 'delete',
    retention_ms: DAY,
    timestamps: 'create',
    records: [
      { record: 'UsageCounter', event_type: null, kind: 'fact' },
      { record: 'BudgetConfig', event_type: 'budget_config', kind: 'control' }
    ],
    strategy: 'TopicRecordName',
    compatibility: 'BACKWARD_TRANSITIVE',
    owner: 'intake',
    written_by: ['intake', 'relay', 'operators (redrive)'],
    emitted_by: ['api', 'operators', 'clock'],
    read_by: ['budget', 'analytics'],
    pii: 'none',
    public: false,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'tenant.budgets.v1',
    doc: 'Ceiling and observed usage of each workspace: the table that every door holds.',
    partitions: 6,
    key: 'tenant_id',
    ordering: 'Per tenant_id; the last record of a key is the newest.',
    cleanup: 'compact',
    retention_ms: null,
    timestamps: 'create',
    records: [{ record: 'Budget', event_type: null, kind: 'state' }],
    strategy: 'TopicName',
    compatibility: 'BACKWARD_TRANSITIVE',
    owner: 'budget',
    written_by: ['relay'],
    emitted_by: ['budget'],
    read_by: ['intake'],
    pii: 'none',
    public: false,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'realtime.frames.v1',
    doc: 'Frames for dashboards, JSON encoded once; the headers audience and, of the feed, category say who may see each.',
    partitions: 24,
    key: 'tenant_id',
    ordering: 'Per tenant_id; headers aggregate and ver tell repeats.',
    cleanup: 'delete',
    retention_ms: HOUR,
    timestamps: 'create',
    records: [],
    strategy: 'TopicName',
    compatibility: 'BACKWARD_TRANSITIVE',
    owner: 'gateway',
    written_by: ['relay', 'processors (ping hints)'],
    emitted_by: ['status', 'heartbeat', 'budget', 'incident', 'api', 'notifier', 'clock'],
    read_by: ['gateway'],
    pii: 'text',
    public: false,
    max_message_bytes: MEGABYTE
  },
  {
    name: 'dlq.v1',
    doc: 'Records that a processor refused, as they were read, with the reason.',
    partitions: 3,
    key: 'source topic',
    ordering: 'Per source topic, by the order in which processors refused.',
    cleanup: 'delete',
    retention_ms: 30 * DAY,
    timestamps: 'create',
    records: [{ record: 'DeadLetter', event_type: null, kind: 'event' }],
    strategy: 'TopicName',
    compatibility: 'BACKWARD_TRANSITIVE',
    owner: 'processors',
    written_by: ['relay'],
    emitted_by: ['processors'],
    read_by: ['operators'],
    pii: 'restricted',
    public: false,
    max_message_bytes: MEGABYTE
  }
] as const satisfies readonly TopicSpec[]

export type TopicName = (typeof table)[number]['name']

export const topics: readonly (TopicSpec & { name: TopicName })[] = table

export const topicNames: readonly TopicName[] = topics.map((spec) => spec.name)

const byName = new Map<string, TopicSpec & { name: TopicName }>(topics.map((spec) => [spec.name, spec]))

/** Returns the row of a topic. Throws when the table has no such topic. */
export function specOf(name: TopicName): TopicSpec & { name: TopicName } {
  const spec = byName.get(name)
  if (!spec) throw new Error(`schemas/topics.ts has no topic ${name}`)
  return spec
}

/**
 * Returns the broker configuration of a topic, to create and verify it. The cluster decides about
 * replication.
 */
export function topicConfig(spec: TopicSpec): Record<string, string> {
  const config: Record<string, string> = {
    'cleanup.policy': spec.cleanup,
    'message.timestamp.type': spec.timestamps === 'append' ? 'LogAppendTime' : 'CreateTime',
    'max.message.bytes': String(spec.max_message_bytes),
    'compression.type': 'producer'
  }
  if (spec.retention_ms === null) {
    config['min.cleanable.dirty.ratio'] = '0.1'
    config['delete.retention.ms'] = String(7 * DAY)
    config['segment.ms'] = String(DAY) // Compaction skips the open segment.
  } else {
    config['retention.ms'] = String(spec.retention_ms)
    // The broker deletes only closed segments. With segments of an eighth of the retention, records
    // stay only a little too long.
    config['segment.ms'] = String(Math.max(HOUR / 6, spec.retention_ms / 8))
  }
  return config
}

/** Returns the registry subject of a record on a topic. */
export function subjectOf(spec: TopicSpec, record: RecordName): string {
  return spec.strategy === 'TopicName' ? `${spec.name}-value` : `${spec.name}-service.events.${record}`
}
