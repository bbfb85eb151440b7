/**
 * Shows a monitor in answers: what people set, what the status fold last stored, which of its
 * regions are there, and the uptime that analytics counted.
 */
import { shownConfig } from '../../../schemas/http/check-config.ts'
import { PUSHED } from '../../../schemas/http/check-words.ts'
import { iso } from '../../../schemas/http/common.ts'
import { defaultConfirmation, defaultFlap, type MonitorDetail } from '../../../schemas/http/monitors.ts'
import { planOf } from '../../../schemas/plans.ts'
import type { MonitorRow, RegionRow } from '../../../streams/status/state.ts'
import type { Monitor } from '../../store/monitors.ts'
import { effectiveRegions, type Region } from '../../store/regions.ts'

export type Uptime = MonitorDetail['uptime']

const DAY_MS = 86_400_000
const PUSHED_LABEL = 'Pushed'

function stateOf({ last, stale, vote }: RegionRow): MonitorDetail['region_states'][number]['state'] {
  if (last === null) return 'pending'
  if (stale) return 'stale'
  if (vote === null) return 'pending'
  if (vote === 'down') return 'down'
  return last === 'degraded' ? 'degraded' : 'up'
}

function regionState(row: RegionRow, monitor: Monitor): MonitorDetail['region_states'][number] {
  const state = stateOf(row)
  return {
    region: row.region,
    state,
    since: iso(row.since),
    response_time_ms: row.response_time_ms,
    advisory: state === 'down' && monitor.status === 'up' && row.advisory === true
  }
}

function failureOf({ last_failure }: MonitorRow): MonitorDetail['last_failure'] {
  if (!last_failure) return null
  const { reason, message, region, at, status_code } = last_failure
  return { reason: reason === 'unknown' ? null : reason, message, region, at: iso(at), http_status: status_code }
}

function certificateOf(
  { certificate_not_after, certificate_issuer, certificate_chain_ok }: MonitorRow,
  now: number
): MonitorDetail['certificate'] {
  if (certificate_not_after === null) return null
  return {
    issuer: certificate_issuer,
    subject: null,
    not_after: iso(certificate_not_after),
    days_left: Math.floor((certificate_not_after - now) / DAY_MS),
    chain_ok: certificate_chain_ok
  }
}

/** `now` in epoch ms, for values that depend on how long ago something was. */
export function toDetail(monitor: Monitor, regions: readonly Region[], uptime: Uptime, now: number): MonitorDetail {
  const { state } = monitor
  const effective_regions = effectiveRegions(monitor.regions, monitor.type, regions, planOf(monitor.plan).id)
  const region_states = state ? state.regions.map((row) => regionState(row, monitor)) : []
  const last_failure = state && failureOf(state)
  const shown = new Set([...monitor.regions, ...effective_regions, ...region_states.map(({ region }) => region)])
  if (last_failure?.region) shown.add(last_failure.region)
  const labels = regions.filter(({ code }) => shown.has(code)).map(({ code, label }): [string, string] => [code, label])
  return {
    id: monitor.monitor_id,
    tenant_id: monitor.tenant_id,
    status: monitor.status,
    phase: monitor.phase,
    effective_regions,
    prober_region_labels: Object.fromEntries(monitor.type === PUSHED ? [[PUSHED, PUSHED_LABEL]] : labels),
    name: monitor.name,
    description: monitor.description,
    type: monitor.type,
    target: monitor.target,
    config: shownConfig(monitor.config),
    assertions: monitor.assertions,
    interval_seconds: monitor.interval_seconds,
    down_interval_seconds: monitor.down_interval_seconds,
    timeout_seconds: monitor.timeout_seconds,
    degraded_after_ms: monitor.degraded_after_ms,
    regions: monitor.regions,
    confirmation: { ...defaultConfirmation, ...monitor.confirmation },
    retry: monitor.retry,
    flap: { ...defaultFlap, ...monitor.flap },
    tags: monitor.tags,
    labels: monitor.labels,
    severity_down: monitor.severity_down,
    severity_degraded: monitor.severity_degraded,
    open_on_degraded: monitor.open_on_degraded,
    escalation_policy_id: monitor.escalation_policy_id,
    team_id: monitor.team_id,
    group_id: monitor.group_id,
    depends_on: monitor.parents,
    dependency_hold_seconds: monitor.dependency_hold_seconds,
    channel_ids: monitor.channel_ids,
    tls_expiry_days: monitor.tls_expiry_days,
    repeat_interval_seconds: monitor.repeat_interval_seconds,
    paused_at: iso(monitor.paused_at),
    paused_by: monitor.paused_by,
    pause_reason: monitor.pause_reason,
    pause_comment: monitor.pause_comment,
    resume_at: iso(monitor.resume_at),
    last_checked_at: iso(state?.last_checked_at ?? null),
    last_response_time_ms: state?.last_response_time_ms ?? null,
    last_status_change_at: statusChangeAt(monitor),
    last_failure,
    region_states,
    certificate: state && certificateOf(state, now),
    uptime,
    open_incident_id: monitor.open_incident_id,
    created_at: iso(monitor.created_at),
    updated_at: iso(monitor.updated_at),
    version: monitor.ver
  }
}

/**
 * A pause that the fold has not seen yet is taken from the row. A monitor whose status never
 * changed has no change.
 */
function statusChangeAt({ paused_at, state }: Monitor): string | null {
  if (paused_at !== null && state?.status !== 'paused') return iso(paused_at)
  return state && state.ver > 0 ? iso(state.since) : null
}
