/**
 * What dashboards hear of a transition of a monitor: one frame, exact JSON text, and who gets it;
 * or nothing.
 *
 *   monitor.status_changed   the status changed; as docs/design/specification.md#s6-2 has it
 *   monitor.phase_changed    the phase did, or flapping, another region failed, or one has failed
 *                            alone for long, with the status as it was; ours, so that who watches
 *                            the first one does not hear phases
 *
 * `at` and `ver` ride beside `data`, as on every frame; the gateway splices its cursor in before
 * the closing brace. `checked_at` and `response_time_ms` are of the last judged result, rounded; a
 * monitor that was never checked (or whose last check has no total time) says 0 and the instant of
 * the change, for neither may be null.
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

/** `row` is the monitor after the transition. */
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
