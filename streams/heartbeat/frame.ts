/**
 * What dashboards hear of a heartbeat: one frame, exact JSON text, and who gets it.
 *
 * `heartbeat.ping_received` on `heartbeats.status` with heartbeat_id, status and last_ping_at, null
 * where there was no ping (docs/design/specification.md#s6-2); `at` and `ver` ride beside `data`,
 * the gateway splices its cursor in before the closing brace. There are two kinds:
 *
 *   of pings    a hint: it says nothing that is not stored, and a crash may lose it; at most one a
 *               second (rules.ts says when). Aggregate `heartbeat-ping:<id>`, `ver` counts pings
 *   of changes  with each transition, through the outbox: missed, paused or resumed, no ping comes
 *               with it. Aggregate `heartbeat:<id>`, `ver` is that of the transition
 */
import { audienceOf } from '../audience.ts'
import type { Audience, Hint } from '../define.ts'
import type { HeartbeatRow } from './state.ts'

const TYPE = 'heartbeat.ping_received'

export interface Frame {
  json: string
  audience: Audience
}

/**
 * `at`: epoch ms, the record's time. Null for a private heartbeat without a team: that must not
 * widen to the workspace.
 */
function frameOf(row: HeartbeatRow, at: number, ver: number): Frame | null {
  const { heartbeat_id, status, last_ping_at } = row
  const audience = audienceOf(row.config)
  if (!audience) return null
  const data = { heartbeat_id, status, last_ping_at: last_ping_at === null ? null : iso(last_ping_at) }
  return { json: JSON.stringify({ channel: 'heartbeats.status', type: TYPE, data, at: iso(at), ver }), audience }
}

/** After pings; as `frameOf`. */
export function pingFrame(row: HeartbeatRow, at: number): Hint | null {
  const { tenant_id, heartbeat_id, pings } = row
  const frame = frameOf(row, at, pings)
  return frame && { tenant_id, aggregate: `heartbeat-ping:${heartbeat_id}`, ver: pings, event_type: TYPE, ...frame }
}

/** After a transition; as `frameOf`. */
export const changeFrame = (row: HeartbeatRow, at: number): Frame | null => frameOf(row, at, row.ver)

const iso = (ms: number): string => new Date(ms).toISOString()
