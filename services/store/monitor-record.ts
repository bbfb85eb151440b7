/**
 * Writes what goes with every new version of a monitor, in the transaction that writes its row:
 * audit entry, version, and control record for the status fold.
 */
import type { Codec } from '../../schemas/codec.ts'
import { shownConfig } from '../../schemas/http/check-config.ts'
import { iso } from '../../schemas/http/common.ts'
import { planOf } from '../../schemas/plans.ts'
import { type Actor, actorText, difference, insertAudit } from './audit.ts'
import { insertConfigVersion } from './config-versions.ts'
import { monitorConfig } from './monitor-config.ts'
import type { Monitor, MonitorSettings } from './monitors.ts'
import { insertOutgoing } from './outbox.ts'
import type { Tx } from './pool.ts'

export const settingsOf = (monitor: MonitorSettings): MonitorSettings => ({
  name: monitor.name,
  description: monitor.description,
  target: monitor.target,
  config: monitor.config,
  assertions: monitor.assertions,
  interval_seconds: monitor.interval_seconds,
  down_interval_seconds: monitor.down_interval_seconds,
  timeout_seconds: monitor.timeout_seconds,
  degraded_after_ms: monitor.degraded_after_ms,
  regions: monitor.regions,
  confirmation: monitor.confirmation,
  retry: monitor.retry,
  flap: monitor.flap,
  tags: monitor.tags,
  labels: monitor.labels,
  severity_down: monitor.severity_down,
  severity_degraded: monitor.severity_degraded,
  open_on_degraded: monitor.open_on_degraded,
  tls_expiry_days: monitor.tls_expiry_days,
  repeat_interval_seconds: monitor.repeat_interval_seconds,
  team_id: monitor.team_id,
  escalation_policy_id: monitor.escalation_policy_id,
  group_id: monitor.group_id,
  depends_on: monitor.depends_on,
  dependency_hold_seconds: monitor.dependency_hold_seconds
})

/** Settings and pause for the audit entry, without secrets. */
const auditedOf = (monitor: Monitor) => {
  const { paused_at, paused_by, pause_reason, pause_comment, resume_at } = monitor
  return {
    ...settingsOf(monitor),
    config: shownConfig(monitor.config),
    paused_at: iso(paused_at),
    paused_by,
    pause_reason,
    pause_comment,
    resume_at: iso(resume_at)
  }
}

/** Writes everything that goes with a new version of a monitor. */
export async function recordMonitor(
  tx: Tx,
  codec: Codec,
  actor: Actor,
  action: string,
  before: Monitor | null,
  after: Monitor
): Promise<void> {
  const { tenant_id, monitor_id, ver } = after
  const by = actorText(actor)
  const outgoing = monitorConfig(after, planOf(after.plan).limits.check_retention_days ?? 0, by)
  const { event_id: _event_id, tenant_id: _tenant_id, monitor_id: _monitor_id, version: _version, ...body } = outgoing.value
  const diff = before && after.deleted_at === null ? difference(auditedOf(before), auditedOf(after)) : {}
  await insertAudit(tx, tenant_id, actor, { action, object_type: 'monitor', object_id: monitor_id, diff })
  await insertConfigVersion(tx, tenant_id, {
    kind: 'monitor',
    id: monitor_id,
    version: ver,
    body: { ...body, settings: { ...settingsOf(after), config: shownConfig(after.config) } },
    actor: by
  })
  await insertOutgoing(tx, [outgoing], codec)
}
