/**
 * What dashboards hear when the status of a monitor changes: one frame, exact JSON text, and who gets it; or nothing.
 *
 * Only a change of status has a frame (specification.md 6.2, monitor.status_changed); a change of phase has none. `at` and `ver` ride beside `data`, as on
 * every frame; the gateway splices its cursor in before the closing brace. `checked_at` and `response_time_ms` are of the last judged result, rounded; a
 * monitor that was never checked (or whose last check has no total time) says 0 and the instant of the change, for neither may be null.
 */
import type { MonitorTransition } from '../../schemas/generated/events.ts'
import type { Audience } from '../define.ts'
import type { MonitorRow } from './state.ts'

export interface Frame {
  json: string
  audience: Audience
}

/** `row` is the monitor after the transition. */
export function frameOf(
  { monitor_id, status, previous_status, at, ver, visibility, team_id }: MonitorTransition,
  row: MonitorRow
): Frame | null {
  if (status === previous_status) return null
  const audience = audienceOf(visibility, team_id)
  if (!audience) return null
  const data = {
    monitor_id,
    status,
    response_time_ms: Math.round(row.last_response_time_ms ?? 0),
    checked_at: new Date(row.last_checked_at ?? at).toISOString()
  }
  const json = JSON.stringify({ channel: 'monitors.status', type: 'monitor.status_changed', data, at: new Date(at).toISOString(), ver })
  return { json, audience }
}

/** Private without a team is for nobody's socket: it must not widen to the workspace. */
function audienceOf(visibility: MonitorTransition['visibility'], team_id: string | null): Audience | null {
  if (visibility === 'org') return 'tenant'
  return team_id === null ? null : `team:${team_id}`
}
