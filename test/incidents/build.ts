/** Records, signals and incidents to test with, and a store in memory that holds what the real one holds. */
import type { HeartbeatTransition, InboundAlert, Incident, IncidentEvent, MonitorTransition } from '../../schemas/generated/events.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Cause, Input, JobChange, Outgoing, Refusal } from '../../streams/define.ts'
import { incidentFold, type Loaded, nameOf, type Saved } from '../../streams/incidents/fold.ts'
import { outgoingOf } from '../../streams/incidents/outgoing.ts'
import { type Command, type IncidentContext, reduceIncident, type Signal, type Step } from '../../streams/incidents/rules.ts'
import { keyOf, type SignalRow, suppressionAfter } from '../../streams/incidents/signals.ts'

export const tenant_id = '0190aaaa-0000-7000-8000-000000000001'
export const other_tenant_id = '0190aaaa-0000-7000-8000-000000000002'
export const integration_id = '0190bbbb-0000-7000-8000-000000000001'
export const team_id = '0190cccc-0000-7000-8000-000000000001'
export const user_id = '0190dddd-0000-7000-8000-000000000001'
export const monitor_id = '0190eeee-0000-7000-8000-000000000001'
export const heartbeat_id = '0190ffff-0000-7000-8000-000000000001'
export const dedup_key = `int:${integration_id}:${'ab'.repeat(32)}`
/** 2026-03-01T12:00:00.000Z. */
export const T0 = Date.UTC(2026, 2, 1, 12)

export const id = (name: string): string => uuidv5(tenant_id, name)
export const fold = incidentFold(uuidv5)

export const alert = (over: Partial<InboundAlert> = {}): InboundAlert => ({
  event_id: id('event'),
  tenant_id,
  integration_id,
  source: 'alertmanager',
  dedup_key,
  source_dedup_key: 'cpu|web-1',
  action: 'fire',
  title: 'CPU high on web-1',
  description: 'Load above 90 % for 5 min',
  severity: 'warning',
  source_severity: null,
  occurred_at: T0,
  received_at: T0 + 100,
  sequence: null,
  delivery_id: null,
  labels: { alertname: 'CpuHigh', instance: 'web-1' },
  links: [{ title: 'Graph', url: 'https://prometheus.example/graph' }],
  team_id: null,
  visibility: 'org',
  retention_days: 30,
  ...over
})

export const monitorTransition = (over: Partial<MonitorTransition> = {}): MonitorTransition => ({
  event_id: id('monitor'),
  tenant_id,
  monitor_id,
  ver: 2,
  name: 'Shop',
  type: 'http',
  previous_status: 'up',
  status: 'down',
  previous_phase: 'ok',
  phase: 'down',
  at: T0,
  previous_at: T0 - 3_600_000,
  started_at: T0 - 60_000,
  scheduled_at: T0 - 200,
  received_at: T0 - 100,
  region: 'eu-west',
  affected_regions: ['eu-west', 'us-east'],
  reason: 'timeout',
  message: 'no answer within 10 s',
  status_code: null,
  response_time_ms: null,
  vote: { judged_at: T0, n: 2, fresh: 2, required: 2, down: 2, up: 0, regions: [] } as unknown as MonitorTransition['vote'],
  confirmation: {} as unknown as MonitorTransition['confirmation'],
  flapping: false,
  severity: 'critical',
  escalation_policy_id: null,
  labels: {},
  tags: [],
  team_id: null,
  visibility: 'org',
  cause: { kind: 'signal', src: 'checks.results.v1:0:0', event_id: null, request_id: null, input: null },
  config_versions: { monitor: 7 },
  ...over
})
