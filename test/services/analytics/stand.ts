/**
 * A sink on the real broker into a chdb folder of the test's own: what its tests share. One folder
 * is open in one process at a time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecordName, Records } from '../../../schemas/generated/events.ts'
import { type Engine, openEngine } from '../../../services/analytics/engine.ts'
import { migrateEngine } from '../../../services/analytics/migrations.ts'
import type { Teardown } from '../../harness/engines.ts'

/** A folder that goes away with the test. */
export function ownFolder(t: Teardown): string {
  const path = mkdtempSync(join(tmpdir(), 'service-test-clickhouse-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A migrated engine, closed with the test before its folder goes. */
export async function ownEngine(t: Teardown, path = ownFolder(t)): Promise<Engine> {
  const engine = openEngine({ path })
  t.teardown(() => engine.close())
  await migrateEngine(engine)
  return engine
}

/** Rows of a statement of the test's own. */
export async function read<T = Record<string, unknown>>(engine: Engine, sql: string, params: Record<string, unknown> = {}): Promise<T[]> {
  return JSON.parse(await engine.query(sql, params, { timeMs: 30_000, maxRows: 100_000 })) as T[]
}

/** A plain value of a record, with `fields` on top. */
export function record<N extends RecordName>(name: N, fields: Partial<Records[N]>): Records[N] {
  return { ...blank[name], ...fields } as Records[N]
}

const NIL = '00000000-0000-4000-8000-000000000000'
const cause: Records['IncidentEvent']['cause'] = { kind: 'signal', src: 'test:0:0', event_id: null, request_id: null, input: null }

const check: Records['CheckResult'] = {
  event_id: NIL,
  tenant_id: NIL,
  monitor_id: NIL,
  region: 'eu-1',
  seq: 0,
  scheduled_at: 0,
  checked_at: 0,
  finished_at: 0,
  received_at: 0,
  skewed: false,
  prober: 'prober-1',
  prober_version: null,
  kind: 'scheduled',
  count: true,
  attempts: 1,
  outcome: 'success',
  ok: true,
  reason: null,
  message: null,
  status_code: 200,
  timings_ms: { dns: 1, connect: 2, tls: 3, request: 0.5, first_byte: 10, download: 1, total: 17.5 },
  response_bytes: 512,
  assertions: [],
  certificate_not_after: null,
  certificate_issuer: null,
  certificate_chain_ok: null,
  domain_expires_at: null,
  config_version: 1,
  team_id: null,
  visibility: 'org',
  retention_days: 30
}

const ping: Records['HeartbeatPing'] = {
  event_id: NIL,
  tenant_id: NIL,
  heartbeat_id: NIL,
  kind: 'success',
  exit_code: null,
  run_id: null,
  received_at: 0,
  client_at: null,
  method: 'GET',
  source_class: 'public',
  user_agent: 'curl/8',
  body_bytes: 0,
  body_excerpt: null,
  instance: 'door-1',
  team_id: null,
  visibility: 'org',
  retention_days: 30
}

const monitorTransition: Records['MonitorTransition'] = {
  event_id: NIL,
  tenant_id: NIL,
  monitor_id: NIL,
  ver: 1,
  name: 'shop',
  type: 'http',
  previous_status: 'up',
  status: 'down',
  previous_phase: 'ok',
  phase: 'down',
  at: 0,
  previous_at: null,
  started_at: null,
  scheduled_at: null,
  received_at: null,
  region: null,
  affected_regions: [],
  reason: null,
  message: null,
  status_code: null,
  response_time_ms: null,
  vote: { configured: 0, fresh: 0, down: 0, up: 0, needed: 0, regions: [] },
  confirmation: {
    regions: 'majority',
    count: null,
    rounds: 1,
    min_seconds: 0,
    failure_rate: null,
    recovery_rounds: 1,
    recovery_seconds: 0,
    advisory_after_seconds: 0
  },
  flapping: false,
  severity: 'critical',
  escalation_policy_id: null,
  labels: {},
  tags: [],
  team_id: null,
  visibility: 'org',
  cause,
  config_versions: {}
}

const heartbeatTransition: Records['HeartbeatTransition'] = {
  event_id: NIL,
  tenant_id: NIL,
  heartbeat_id: NIL,
  ver: 1,
  name: 'backup',
  previous_status: 'up',
  status: 'missed',
  previous_phase: 'on_time',
  phase: 'missed',
  at: 0,
  previous_at: null,
  reason: 'missed',
  expected_at: null,
  deadline_at: null,
  tick_at: null,
  shifted_ms: 0,
  last_ping_at: null,
  run_id: null,
  exit_code: null,
  missed_count: 1,
  late: false,
  severity: 'critical',
  escalation_policy_id: null,
  labels: {},
  tags: [],
  team_id: null,
  visibility: 'org',
  cause,
  config_versions: {}
}

export const incident: Records['Incident'] = {
  incident_id: NIL,
  tenant_id: NIL,
  ver: 1,
  number: 1,
  dedup_key: 'mon:x',
  status: 'ongoing',
  severity: 'critical',
  title: 'shop is down',
  summary: null,
  source_kind: 'monitor',
  source_type: null,
  integration_id: null,
  monitor_id: null,
  heartbeat_id: null,
  region: null,
  affected_regions: [],
  is_major: false,
  team_id: null,
  visibility: 'org',
  escalation_policy_id: null,
  routing_version: 1,
  assignee_id: null,
  acknowledged_at: null,
  acknowledged_by: null,
  resolved_at: null,
  resolved_by: null,
  resolution_reason: null,
  manually_closed_at: null,
  manually_closed_by: null,
  promoted_at: null,
  silenced_until: null,
  silenced_by: null,
  priority: null,
  labels: {},
  links: [],
  started_at: 0,
  detected_at: 0,
  opened_at: 0,
  updated_at: 0,
  reopened_from: null
}

const incidentEvent: Records['IncidentEvent'] = {
  event_id: NIL,
  tenant_id: NIL,
  incident_id: NIL,
  ver: 1,
  change: 'created',
  at: 0,
  cause,
  comment: null,
  team_id: null,
  visibility: 'org',
  config_versions: {},
  incident
}

const alert: Records['InboundAlert'] = {
  event_id: NIL,
  tenant_id: NIL,
  integration_id: NIL,
  source: 'alertmanager',
  dedup_key: 'int:x:y',
  source_dedup_key: 'y',
  action: 'fire',
  title: 'disk is full',
  description: null,
  severity: 'warning',
  source_severity: null,
  occurred_at: 0,
  received_at: 0,
  sequence: null,
  delivery_id: null,
  labels: {},
  links: [],
  team_id: null,
  visibility: 'org',
  retention_days: 30
}

const raw: Records['RawAlert'] = {
  event_id: NIL,
  tenant_id: NIL,
  integration_id: NIL,
  source: 'alertmanager',
  received_at: 0,
  outcome: 'rejected',
  reason: null,
  alerts: 0,
  bytes: 2,
  content_type: 'application/json',
  payload_sha256: 'ab',
  payload: Buffer.from('{}'),
  retention_days: 3
}

const delivery: Records['Delivery'] = {
  event_id: NIL,
  tenant_id: NIL,
  delivery_id: NIL,
  ver: 1,
  intent_id: NIL,
  incident_id: null,
  incident_ver: null,
  event: 'monitor.down',
  channel_kind: 'webhook',
  channel_id: null,
  user_id: null,
  escalation_policy_id: null,
  step: null,
  cycle: null,
  state: 'delivered',
  suppressed_by: null,
  attempt: 1,
  manual: false,
  outcome: 'accepted',
  http_status: 200,
  error_code: null,
  provider_message_id: null,
  latency_ms: 12,
  at: 0,
  queued_at: 0,
  next_attempt_at: null,
  expires_at: null,
  team_id: null,
  visibility: 'org',
  cause,
  config_versions: {}
}

const maintenance: Records['MaintenanceWindow'] = {
  window_id: NIL,
  tenant_id: NIL,
  ver: 1,
  name: 'upgrade',
  reason: null,
  origin: 'planned',
  state: 'scheduled',
  effect: 'suppress_notifications',
  scope: { all: false, monitor_ids: [], heartbeat_ids: [], group_ids: [], integration_ids: [], tags: [] },
  schedule_kind: 'once',
  starts_at: null,
  ends_at: null,
  rrule: null,
  time_zone: null,
  starts_on: null,
  start_time: null,
  duration_minutes: null,
  until: null,
  exdates: [],
  spans: [],
  count_in_uptime: false,
  settle_seconds: 0,
  updated_at: 0,
  cause
}

const usage: Records['UsageCounter'] = {
  event_id: NIL,
  tenant_id: NIL,
  instance: 'door-1',
  boot: 'b',
  window: 0,
  accepted: 1,
  refused: 0,
  limit: 1000,
  at: 0,
  retention_days: 30
}

const blank: Partial<Records> = {
  CheckResult: check,
  HeartbeatPing: ping,
  MonitorTransition: monitorTransition,
  HeartbeatTransition: heartbeatTransition,
  Incident: incident,
  IncidentEvent: incidentEvent,
  InboundAlert: alert,
  RawAlert: raw,
  Delivery: delivery,
  MaintenanceWindow: maintenance,
  UsageCounter: usage
}
