/**
 * Builds the frame that dashboards receive for a monitor's transition: exact JSON text, and its
 * audience; null when nobody may receive it.
 *
 *   monitor.status_changed   the status changed; format in docs/design/specification.md#s6-2
 *   monitor.phase_changed    the phase or flapping changed, another region failed, or a region has
 *                            failed alone for long, while the status stayed the same. This is our
 *                            own type: subscribers of monitor.status_changed do not receive phases
 *
 * `at` and `ver` stand next to `data`, as in every frame. The gateway inserts its cursor before the
 * closing brace. `checked_at` and `response_time_ms` (rounded) belong to the last judged result.
 * Neither may be null, so a monitor that was never checked (or whose last check has no total time)
 * reports 0 and the instant of the change.
 */
import type { MonitorTransition } from '../../schemas/generated/events.ts'
import { audienceOf } from '../audience.ts'
import type { Audience } from '../define.ts'
import type { MonitorRow } from './state.ts'

export type FrameType = 'monitor.status_changed' | 'monitor.phase_changed'

export interface Frame {
  type: FrameType
  json: string
  audience: Audience
}

/** `row` is the monitor's row after the transition. */
export function frameOf(
  { monitor_id, status, previous_status, phase, flapping, at, ver, visibility, team_id }: MonitorTransition,
  row: MonitorRow
): Frame | null {
  const audience = audienceOf({ visibility, team_id })
  if (!audience) return null
  const type: FrameType = status === previous_status ? 'monitor.phase_changed' : 'monitor.status_changed'
  const data = {
    monitor_id,
    status,
    ...(type === 'monitor.phase_changed' && { phase, flapping }),
    response_time_ms: Math.round(row.last_response_time_ms ?? 0),
    checked_at: new Date(row.last_checked_at ?? at).toISOString()
  }
  const json = JSON.stringify({ channel: 'monitors.status', type, data, at: new Date(at).toISOString(), ver })
  return { type, json, audience }
}
