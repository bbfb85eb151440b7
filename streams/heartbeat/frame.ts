/**
 * The frames that dashboards receive about a heartbeat: exact JSON text, and the audience.
 *
 * A frame is `heartbeat.ping_received` on `heartbeats.status`, with heartbeat_id, status and
 * last_ping_at, null before the first ping (docs/design/specification.md#s6-2). `at` and `ver`
 * stand next to `data`, and the gateway inserts its cursor before the closing brace. There are two
 * kinds:
 *
 *   of pings    a hint: it contains only stored data, and a crash may lose it; at most one per
 *               second (rules.ts decides when). Aggregate `heartbeat-ping:<id>`, `ver` counts pings
 *   of changes  one with each transition, through the outbox, because a miss, pause or resume comes
 *               without a ping. Aggregate `heartbeat:<id>`, `ver` is that of the transition
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
 * `at`: epoch ms, the record's time. Returns null for a private heartbeat without a team, because
 * its frame must not reach the whole workspace.
 */
function frameOf(row: HeartbeatRow, at: number, ver: number): Frame | null {
  const { heartbeat_id, status, last_ping_at } = row
  const audience = audienceOf(row.config)
  if (!audience) return null
  const data = { heartbeat_id, status, last_ping_at: last_ping_at === null ? null : iso(last_ping_at) }
  return { json: JSON.stringify({ channel: 'heartbeats.status', type: TYPE, data, at: iso(at), ver }), audience }
}

/** The frame after pings; null as for `frameOf`. */
export function pingFrame(row: HeartbeatRow, at: number): Hint | null {
  const { tenant_id, heartbeat_id, pings } = row
  const frame = frameOf(row, at, pings)
  return frame && { tenant_id, aggregate: `heartbeat-ping:${heartbeat_id}`, ver: pings, event_type: TYPE, ...frame }
}

/** The frame after a transition; null as for `frameOf`. */
export const changeFrame = (row: HeartbeatRow, at: number): Frame | null => frameOf(row, at, row.ver)

const iso = (ms: number): string => new Date(ms).toISOString()
