/**
 * Builds the control record that tells the status fold about a monitor, from the monitor's row.
 * Pure.
 */
import type { MonitorConfig } from '../../schemas/generated/events.ts'
import type { ExternalConfig } from '../../schemas/http/check-types/external.ts'
import { PUSHED } from '../../schemas/http/check-words.ts'
import { defaultConfirmation, defaultFlap } from '../../schemas/http/monitors.ts'
import { overTls } from '../../schemas/http/over-tls.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Outgoing } from '../../streams/define.ts'
import type { StoredMonitor } from './monitors.ts'

export type MonitorConfigOutgoing = Extract<Outgoing, { body: 'record'; record: 'MonitorConfig' }>

function confirmationOf({ confirmation }: StoredMonitor): MonitorConfig['confirmation'] {
  const { regions, ...rest } = { ...defaultConfirmation, ...confirmation }
  return { ...(typeof regions === 'number' ? { regions: 'count', count: regions } : { regions, count: null }), ...rest }
}

/** Interval of a pushed state without a rhythm: longer than anything lasts. */
const NEVER_SECONDS = 1_000_000_000

/**
 * The fold counts a region as fresh for two intervals, so a pushed state has half the time that
 * people named as its interval.
 */
function intervalOf({ type, config, interval_seconds }: StoredMonitor): number {
  if (type !== PUSHED) return interval_seconds
  const { expected_every_seconds } = config as ExternalConfig
  return expected_every_seconds ? Math.ceil(expected_every_seconds / 2) : NEVER_SECONDS
}

/**
 * `retention_days`: how long the plan keeps results. The record has neither the target nor the
 * settings of the check, only whether the check uses TLS.
 */
export function toMonitorConfig(monitor: StoredMonitor, retention_days: number): MonitorConfig {
  return {
    event_id: uuidv5(monitor.monitor_id, String(monitor.ver)),
    tenant_id: monitor.tenant_id,
    monitor_id: monitor.monitor_id,
    version: monitor.ver,
    at: monitor.updated_at,
    name: monitor.name,
    type: monitor.type,
    interval_seconds: intervalOf(monitor),
    down_interval_seconds: monitor.down_interval_seconds,
    timeout_seconds: monitor.timeout_seconds,
    regions: monitor.assigned_regions,
    region_mode: 'all',
    confirmation: confirmationOf(monitor),
    flap: { ...defaultFlap, ...monitor.flap },
    severity_down: monitor.severity_down,
    severity_degraded: monitor.severity_degraded,
    open_on_degraded: monitor.open_on_degraded,
    depends_on: monitor.depends_on,
    dependency_hold_seconds: monitor.dependency_hold_seconds,
    tls_expiry_days: monitor.tls_expiry_days,
    over_tls: overTls(monitor),
    domain_expiry_days: [],
    escalation_policy_id: monitor.escalation_policy_id,
    labels: monitor.labels,
    tags: monitor.tags,
    paused: monitor.paused_at !== null,
    pause_reason: monitor.pause_reason,
    deleted: monitor.deleted_at !== null,
    team_id: monitor.team_id,
    visibility: monitor.visibility,
    retention_days,
    resolve_open: monitor.deleted_at !== null || monitor.resolve_open
  }
}

/** Returns the outbox row of the present version. `src`: who changed it, as kind:id. */
export const monitorConfig = (monitor: StoredMonitor, retention_days: number, src: string): MonitorConfigOutgoing =>
  monitorConfigRow(toMonitorConfig(monitor, retention_days), src)

/** Returns the outbox row of a version. `src`: who changed it, as kind:id. */
export function monitorConfigRow(value: MonitorConfig, src: string): MonitorConfigOutgoing {
  const { tenant_id, monitor_id, version, event_id } = value
  return {
    body: 'record',
    record: 'MonitorConfig',
    value,
    tenant_id,
    aggregate: `monitor-config:${monitor_id}`,
    ver: version,
    topic: 'checks.results.v1',
    key: monitor_id,
    event_id,
    event_type: 'monitor_config',
    src
  }
}
