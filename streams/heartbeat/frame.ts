/**
 * What dashboards hear of a heartbeat's pings: one frame, exact JSON text, and who gets it. A hint:
 * it says nothing that is not stored, and a crash may lose it.
 *
 * `heartbeat.ping_received` on `heartbeats.status` with heartbeat_id, status and last_ping_at
 * (docs/design/specification.md#s6-2); `at` and `ver` ride beside `data`, the gateway splices its
 * cursor in before the closing brace. `ver` is the count of pings. At most one a second: rules.ts
 * says when.
 */
import type { Audience, Hint } from '../define.ts'
import type { HeartbeatRow } from './state.ts'

/**
 * `at`: epoch ms, the record's time. Null for a private heartbeat without a team: that must not
 * widen to the workspace.
 */
export function pingFrame(row: HeartbeatRow, at: number): Hint | null {
  const { tenant_id, heartbeat_id, status, last_ping_at, pings } = row
  const audience = audienceOf(row)
  if (!audience) return null
  const data = { heartbeat_id, status, last_ping_at: last_ping_at === null ? null : iso(last_ping_at) }
  return {
    tenant_id,
    aggregate: `heartbeat-ping:${heartbeat_id}`,
    ver: pings,
    event_type: 'heartbeat.ping_received',
    json: JSON.stringify({ channel: 'heartbeats.status', type: 'heartbeat.ping_received', data, at: iso(at), ver: pings }),
    audience
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

function audienceOf({ config: { visibility, team_id } }: HeartbeatRow): Audience | null {
  if (visibility === 'org') return 'tenant'
  return team_id === null ? null : `team:${team_id}`
}
