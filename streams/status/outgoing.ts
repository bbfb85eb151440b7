/**
 * Builds the log records about monitors. Each transition is a record of monitor.transitions.v1 and,
 * if it has an audience, a frame. Then follows one mark per monitor. A mark says that
 * monitor.state.v1 needs the monitor's current row, or a tombstone. All have the aggregate
 * `monitor:<id>`, so the relay sends them in this order.
 *
 *   event_type                                                   meaning
 *   monitor.up, monitor.down, monitor.paused                     a change of status
 *   monitor.phase_<phase>, for example monitor.phase_no_data     a change of phase, status
 *                                                                unchanged
 *   monitor.region_joined                                        neither changed: another region
 *                                                                votes down, too
 *   monitor.region_advisory                                      neither changed: a region has
 *                                                                failed alone for long
 *   monitor.degraded_ignored                                     neither changed: a degraded state
 *                                                                opens no incident any more
 *   monitor.flapping_started, monitor.flapping_ended             neither changed, but flapping
 *   monitor.status_changed, monitor.phase_changed                the frame
 *   monitor.configured, monitor.deleted                          marks without a transition
 */
import type { MonitorState, MonitorTransition } from '../../schemas/generated/events.ts'
import type { FeedNotice, Outgoing } from '../define.ts'
import { type Frame, frameOf } from './frame.ts'
import { flapNotice, regionNotice } from './notices.ts'
import { regionStates } from './rules.ts'
import type { MonitorRow } from './state.ts'

/** The outputs of this fold. The list in topology.ts is checked against this type. */
export type Emits = 'monitor.transitions.v1' | 'monitor.state.v1' | 'realtime.frames.v1' | 'notices' | 'feed'

export function eventTypeOf(transition: MonitorTransition): string {
  const { status, previous_status, phase, previous_phase, joined_region, advisory_regions, flapping, resolution_reason } = transition
  if (status !== previous_status) return `monitor.${status}`
  if (phase !== previous_phase) return `monitor.phase_${phase}`
  if (joined_region !== null) return 'monitor.region_joined'
  if (advisory_regions.length > 0) return 'monitor.region_advisory'
  if (resolution_reason !== null) return 'monitor.degraded_ignored'
  return flapping ? 'monitor.flapping_started' : 'monitor.flapping_ended'
}

/**
 * Returns the transition's record, then its frame. `row` is the monitor's row after the transition.
 */
export function told(transition: MonitorTransition, row: MonitorRow): Outgoing<'monitor.transitions.v1' | 'realtime.frames.v1'>[] {
  const record = recordOf(transition)
  const frame = frameOf(transition, row)
  return frame ? [record, framed(transition, frame)] : [record]
}

/**
 * Returns the feed notices of a transition that no incident reports: a region that has failed alone
 * for long, and a monitor that begins to flap. `before`: the monitor's row before the transition.
 */
export function noticesOf(transition: MonitorTransition, before: MonitorRow | null): FeedNotice[] {
  const { tenant_id, monitor_id, ver, name, at, team_id, visibility, advisory_regions, flapping } = transition
  const about = { team_id, visibility: visibility === 'private' ? 'private' : 'org' } as const
  const told = { tenant_id, monitor_id, ver, name, about, at }
  const notices = advisory_regions.map((region) => regionNotice({ ...told, region }))
  return flapping && before?.flapping === false ? [...notices, flapNotice(told)] : notices
}

const recordOf = (transition: MonitorTransition): Outgoing<'monitor.transitions.v1'> => ({
  tenant_id: transition.tenant_id,
  aggregate: `monitor:${transition.monitor_id}`,
  ver: transition.ver,
  topic: 'monitor.transitions.v1',
  key: transition.monitor_id,
  event_id: transition.event_id,
  event_type: eventTypeOf(transition),
  src: transition.cause.src,
  body: 'record',
  record: 'MonitorTransition',
  value: transition
})

const framed = (transition: MonitorTransition, { type, json, audience }: Frame): Outgoing<'realtime.frames.v1'> => ({
  tenant_id: transition.tenant_id,
  aggregate: `monitor:${transition.monitor_id}`,
  ver: transition.ver,
  topic: 'realtime.frames.v1',
  key: transition.tenant_id,
  event_id: transition.event_id,
  event_type: type,
  src: transition.cause.src,
  body: 'frame',
  json,
  audience
})

/**
 * The mark of a monitor. When the relay sends it, it sends the row as stored at that time, or a
 * tombstone if there is none. `src` identifies the record that caused the mark.
 */
export const markOf = (
  { tenant_id, monitor_id, ver, event_id }: MonitorRow,
  event_type: string,
  src: string
): Outgoing<'monitor.state.v1'> => ({
  tenant_id,
  aggregate: `monitor:${monitor_id}`,
  ver,
  topic: 'monitor.state.v1',
  key: monitor_id,
  event_id,
  event_type,
  src,
  body: 'current'
})

/** The monitor.state.v1 record for a row. */
export const toMonitorState = (row: MonitorRow): MonitorState => ({
  event_id: row.event_id,
  tenant_id: row.tenant_id,
  monitor_id: row.monitor_id,
  ver: row.ver,
  name: row.config.name,
  type: row.config.type,
  status: row.status,
  phase: row.phase,
  since: row.since,
  updated_at: row.updated_at,
  last_checked_at: row.last_checked_at,
  last_response_time_ms: row.last_response_time_ms,
  regions: regionStates(row),
  flapping: row.flapping,
  certificate_not_after: row.certificate_not_after,
  team_id: row.config.team_id,
  visibility: row.config.visibility,
  cause: row.cause,
  config_versions: { monitor: row.config.version }
})
