/**
 * The only builder of test records. It makes a plain valid record of each kind, and the test sets
 * the fields it is about. Plain values come from the schemas, so a new field needs no change here.
 * `test/repository/records.test.ts` finds tests that write out a record themselves.
 */
import type { Cause, Confirmation, RecordName, Records } from '../../schemas/generated/events.ts'
import { type AvroObject, type AvroSchema, isNamed, loadRecords, NAMESPACE } from '../../schemas/load.ts'

export const NIL = '00000000-0000-4000-8000-000000000000'

/** Better values for fields whose plain value would make a record that says little. */
const usual: { readonly [N in RecordName]?: Partial<Records[N]> } & {
  readonly Cause: Partial<Cause>
  readonly Confirmation: Partial<Confirmation>
} = {
  Budget: { ver: 1, ceiling: 1000, cause: 'ingest.usage.v1:0:0' },
  BudgetConfig: { version: 1, ceiling: 5000 },
  Cause: { src: 'test:0:0' },
  CheckCapture: { region: 'eu-1', prober: 'prober-1', config_version: 1, status_code: 503, body_kind: 'none', retention_days: 3 },
  CheckResult: {
    region: 'eu-1',
    prober: 'prober-1',
    count: true,
    attempts: 1,
    ok: true,
    status_code: 200,
    timings_ms: { dns: 1, connect: 2, tls: 3, request: 0.5, first_byte: 10, download: 1, total: 17.5 },
    response_bytes: 512,
    config_version: 1,
    retention_days: 30
  },
  Confirmation: { regions: 'majority', rounds: 1, recovery_rounds: 1 },
  Delivery: {
    ver: 1,
    event: 'monitor.down',
    channel_kind: 'webhook',
    state: 'delivered',
    attempt: 1,
    outcome: 'accepted',
    http_status: 200,
    latency_ms: 12
  },
  DoorGap: { instance: 'door-1' },
  HeartbeatConfig: { version: 1, name: 'backup', period_seconds: 60, grace_seconds: 30, recovery_pings: 1, retention_days: 30 },
  HeartbeatPing: { kind: 'success', method: 'GET', instance: 'door-1', retention_days: 30 },
  HeartbeatTransition: {
    ver: 1,
    name: 'backup',
    status: 'missed',
    previous_phase: 'on_time',
    phase: 'missed',
    reason: 'missed',
    missed_count: 1
  },
  InboundAlert: {
    source: 'alertmanager',
    dedup_key: 'int:x:y',
    source_dedup_key: 'y',
    title: 'disk is full',
    severity: 'warning',
    retention_days: 30
  },
  Incident: { ver: 1, number: 1, dedup_key: 'mon:x', title: 'shop is down', routing_version: 1 },
  IncidentEvent: { ver: 1 },
  MaintenanceWindow: { ver: 1, name: 'upgrade' },
  MonitorConfig: {
    version: 1,
    name: 'shop',
    type: 'http',
    interval_seconds: 60,
    timeout_seconds: 10,
    regions: ['eu-1'],
    severity_degraded: 'warning',
    retention_days: 30
  },
  MonitorState: { ver: 1, name: 'shop', type: 'http', phase: 'ok' },
  MonitorTransition: { ver: 1, name: 'shop', type: 'http', status: 'down', previous_phase: 'ok', phase: 'down' },
  RawAlert: {
    source: 'alertmanager',
    outcome: 'rejected',
    bytes: 2,
    content_type: 'application/json',
    payload_sha256: 'ab',
    payload: Buffer.from('{}'),
    retention_days: 3
  },
  UsageCounter: { instance: 'door-1', accepted: 1, limit: 1000, retention_days: 30 }
}

/**
 * Returns the plain value of a type: null if the type allows it; otherwise nothing, zero, false,
 * empty, or the first symbol.
 */
function plain(schema: AvroSchema, named: Map<string, AvroObject>): unknown {
  if (Array.isArray(schema)) return schema.includes('null') ? null : plain(schema[0] ?? 'null', named)
  if (typeof schema === 'string') {
    const known = named.get(schema)
    if (known) return plain(known, named)
    if (schema === 'null') return null
    if (schema === 'boolean') return false
    if (schema === 'string') return ''
    if (schema === 'bytes') return Buffer.alloc(0)
    if (['int', 'long', 'float', 'double'].includes(schema)) return 0
    throw new Error(`no plain value of ${schema}`)
  }
  if (isNamed(schema)) {
    named.set(schema.name, schema)
    named.set(`${NAMESPACE}.${schema.name}`, schema)
  }
  if (schema.type === 'array') return []
  if (schema.type === 'map') return {}
  if (schema.type === 'enum') return schema.symbols?.[0]
  if (schema.type === 'record') {
    const fields = (schema.fields ?? []).map(({ name, type, default: given }) => [name, given ?? plain(type, named)])
    return { ...Object.fromEntries(fields), ...usual[schema.name as keyof typeof usual] }
  }
  return schema.logicalType === 'uuid' ? NIL : plain(schema.type, named)
}

let blanks: ReadonlyMap<RecordName, object> | undefined

/**
 * Returns a plain valid record with `fields` set. By default, times are 0 and ids are `NIL`.
 * Records may share inner values: a test that changes one must make its own.
 */
export function record<N extends RecordName>(name: N, fields: Partial<Records[N]> = {}): Records[N] {
  blanks ??= new Map([...loadRecords()].map(([each, { schema }]) => [each, plain(schema, new Map()) as object]))
  return { ...blanks.get(name), ...fields } as Records[N]
}
