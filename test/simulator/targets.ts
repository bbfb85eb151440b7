/**
 * What people created: monitors and heartbeats as rows of Postgres, with the control records that
 * tell the folds about them. Also the true state of each target.
 */
import type { HeartbeatConfig, MonitorConfig } from '../../schemas/generated/events.ts'
import type { Outgoing } from '../../streams/define.ts'
import { idOf } from './log.ts'
import type { Kind, Operation } from './operations.ts'

export const tenants = ['0190aaaa-0000-7000-8000-000000000001', '0190aaaa-0000-7000-8000-000000000002'] as const
export const integration = '0190bbbb-0000-7000-8000-000000000001'
export const REGIONS = ['a', 'b', 'c', 'd', 'e'] as const

/** The workspace of a target or key, as an index into `tenants`. */
export const tenantPlaceOf = (n: number): 0 | 1 => (n % 3 === 2 ? 1 : 0)
export const tenantOf = (n: number): string => tenants[tenantPlaceOf(n)]
const numbered = (prefix: string, n: number): string => `${prefix}-0000-7000-8000-${String(n).padStart(12, '0')}`
export const idFor = (kind: Kind, n: number): string => numbered(kind === 'monitor' ? '0190eeee' : '0190ffff', n)
export const keyFor = (on: Kind | 'key', n: number): string =>
  on === 'key' ? `int:${integration}:${String(n).padStart(64, '0')}` : `${on === 'monitor' ? 'mon' : 'hb'}:${idFor(on, n)}`

export interface Monitor {
  kind: 'monitor'
  n: number
  config: MonitorConfig
  resume_at: number | null
  /** The window that paused it. */
  paused_by: number | null
  /** One bit for each region: what it sees. */
  failing: number
  degraded: number
  unreachable: number
  /** Increases when its rhythm starts anew. */
  rhythm: number
}

export interface Heartbeat {
  kind: 'heartbeat'
  n: number
  config: HeartbeatConfig
  resume_at: number | null
  /** The window that paused it. */
  paused_by: number | null
  does: Extract<Operation, { op: 'job' }>['does']
  rhythm: number
}

export type Target = Monitor | Heartbeat

export function monitorConfig(made: Extract<Operation, { op: 'monitor' }>, before: MonitorConfig | null, at: number): MonitorConfig {
  const monitor_id = idFor('monitor', made.n)
  const version = (before?.version ?? 0) + 1
  return {
    event_id: idOf(monitor_id, `config ${version}`),
    tenant_id: tenantOf(made.n),
    monitor_id,
    version,
    at,
    name: `Monitor ${made.n}`,
    // The state of every fourth is pushed, also while it is paused.
    type: made.n % 4 === 3 ? 'external' : 'http',
    interval_seconds: made.interval,
    down_interval_seconds: null,
    timeout_seconds: 5,
    regions: REGIONS.slice(0, made.regions),
    region_mode: 'all',
    confirmation: {
      regions: made.rule,
      count: made.rule === 'count' ? made.count : null,
      rounds: made.rounds,
      min_seconds: made.min_seconds,
      failure_rate: made.rate,
      recovery_rounds: made.recovery,
      recovery_seconds: made.recovery_seconds,
      advisory_after_seconds: made.advisory
    },
    flap: { enabled: made.flap !== null, window_rounds: made.flap ?? 20, high_percent: 30, low_percent: 15 },
    severity_down: 'critical',
    severity_degraded: 'warning',
    open_on_degraded: (made.n + version) % 2 === 0,
    depends_on: [],
    dependency_hold_seconds: null,
    tls_expiry_days: [],
    over_tls: null,
    domain_expiry_days: [],
    escalation_policy_id: null,
    labels: {},
    tags: [],
    paused: before?.paused ?? false,
    pause_reason: null,
    deleted: false,
    team_id: null,
    visibility: 'org',
    retention_days: 30,
    resolve_open: before?.resolve_open ?? false
  }
}

export function heartbeatConfig(
  made: Extract<Operation, { op: 'heartbeat' }>,
  before: HeartbeatConfig | null,
  at: number
): HeartbeatConfig {
  const heartbeat_id = idFor('heartbeat', made.n)
  const version = (before?.version ?? 0) + 1
  return {
    event_id: idOf(heartbeat_id, `config ${version}`),
    tenant_id: tenantOf(made.n),
    heartbeat_id,
    version,
    at,
    name: `Heartbeat ${made.n}`,
    schedule_kind: made.cron === null ? 'period' : 'cron',
    period_seconds: made.cron === null ? made.period : null,
    cron: made.cron,
    time_zone: made.cron === null ? null : 'UTC',
    grace_seconds: made.grace,
    max_run_seconds: made.max_run,
    fail_tolerance: made.tolerance,
    recovery_pings: made.recovery,
    keep_phase: made.keep_phase,
    severity: 'critical',
    escalation_policy_id: null,
    labels: {},
    tags: [],
    paused: before?.paused ?? false,
    pause_reason: null,
    deleted: false,
    team_id: null,
    visibility: 'org',
    retention_days: 30,
    resolve_open: before?.resolve_open ?? false,
    min_run_seconds: made.min_run,
    unpause_on_ping: before?.unpause_on_ping ?? false
  }
}

/** Returns the time from one slot of a heartbeat to the next, in ms. */
export const rhythmOf = ({ config: { schedule_kind, period_seconds, cron } }: Heartbeat): number =>
  schedule_kind === 'period' ? (period_seconds ?? 60) * 1000 : cron === '* * * * *' ? 60_000 : 300_000

/** Returns the outbox row that tells a fold about the version. */
export function control(target: Target): Outgoing {
  const { config } = target
  const base = {
    tenant_id: config.tenant_id,
    ver: config.version,
    event_id: config.event_id,
    src: 'user:simulated',
    body: 'record'
  } as const
  return target.kind === 'monitor'
    ? {
        ...base,
        aggregate: `monitor-config:${target.config.monitor_id}`,
        topic: 'checks.results.v1',
        key: target.config.monitor_id,
        event_type: 'monitor_config',
        record: 'MonitorConfig',
        value: target.config
      }
    : {
        ...base,
        aggregate: `heartbeat-config:${target.config.heartbeat_id}`,
        topic: 'heartbeat.pings.v1',
        key: target.config.heartbeat_id,
        event_type: 'heartbeat_config',
        record: 'HeartbeatConfig',
        value: target.config
      }
}
