/**
 * Writes what goes with every new version of a heartbeat, in the transaction that writes its row:
 * audit entry, version, and control record for the heartbeat fold.
 */
import type { Codec } from '../../schemas/codec.ts'
import { iso } from '../../schemas/http/common.ts'
import { planOf } from '../../schemas/plans.ts'
import { type Actor, actorText, difference, insertAudit } from './audit.ts'
import { insertConfigVersion } from './config-versions.ts'
import { type Heartbeat, type HeartbeatSettings, heartbeatConfig } from './heartbeats.ts'
import { insertOutgoing } from './outbox.ts'
import type { Tx } from './pool.ts'

export const settingsOf = (heartbeat: HeartbeatSettings): HeartbeatSettings => ({
  team_id: heartbeat.team_id,
  escalation_policy_id: heartbeat.escalation_policy_id,
  name: heartbeat.name,
  slug: heartbeat.slug,
  description: heartbeat.description,
  schedule_kind: heartbeat.schedule_kind,
  period_seconds: heartbeat.period_seconds,
  cron: heartbeat.cron,
  time_zone: heartbeat.time_zone,
  grace_seconds: heartbeat.grace_seconds,
  max_run_seconds: heartbeat.max_run_seconds,
  min_run_seconds: heartbeat.min_run_seconds,
  fail_tolerance: heartbeat.fail_tolerance,
  recovery_pings: heartbeat.recovery_pings,
  allowed_methods: heartbeat.allowed_methods,
  body_rules: heartbeat.body_rules,
  body_excerpt_chars: heartbeat.body_excerpt_chars,
  tags: heartbeat.tags,
  labels: heartbeat.labels,
  severity: heartbeat.severity
})

/** Returns the settings and the pause, for the audit entry. */
const auditedOf = (heartbeat: Heartbeat) => {
  const { paused_at, paused_by, pause_reason, pause_comment, resume_at, unpause_on_ping } = heartbeat
  return {
    ...settingsOf(heartbeat),
    paused_at: iso(paused_at),
    paused_by,
    pause_reason,
    pause_comment,
    resume_at: iso(resume_at),
    unpause_on_ping
  }
}

/** Writes everything that goes with a new version of a heartbeat. */
export async function recordHeartbeat(
  tx: Tx,
  codec: Codec,
  actor: Actor,
  action: string,
  before: Heartbeat | null,
  after: Heartbeat
): Promise<void> {
  const { tenant_id, heartbeat_id, ver, slug, description, allowed_methods, body_rules, body_excerpt_chars } = after
  const by = actorText(actor)
  const outgoing = heartbeatConfig(after, planOf(after.plan).limits.check_retention_days ?? 0, by)
  const { event_id: _event_id, tenant_id: _tenant_id, heartbeat_id: _heartbeat_id, version: _version, ...body } = outgoing.value
  const diff = before && after.deleted_at === null ? difference(auditedOf(before), auditedOf(after)) : {}
  await insertAudit(tx, tenant_id, actor, { action, object_type: 'heartbeat', object_id: heartbeat_id, diff })
  await insertConfigVersion(tx, tenant_id, {
    kind: 'heartbeat',
    id: heartbeat_id,
    version: ver,
    body: { ...body, slug, description, allowed_methods, body_rules, body_excerpt_chars },
    actor: by
  })
  await insertOutgoing(tx, [outgoing], codec)
}
