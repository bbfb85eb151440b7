/**
 * The realtime frame that dashboards get for an incident's event: exact JSON text and its audience.
 * Null if nobody may see it.
 *
 * The specification defines created, acknowledged, resolved and assigned (6.2). Closing an ongoing
 * incident is sent as resolved. Any other change is sent as `incident.updated`, a type of our own.
 * Its data names the change, so that the dashboards of other people show a comment or a silence at
 * once, too. The status `open` is written only here. `at` and `ver` stand beside `data`; the
 * gateway inserts its cursor before the closing brace.
 */
import { audienceOf } from '../audience.ts'
import type { Audience } from '../define.ts'
import { type Event, endsIncident } from './rules.ts'

export interface Frame {
  json: string
  audience: Audience
}

export function frameOf(event: Event): Frame | null {
  const type = typeOf(event)
  const audience = audienceOf(event)
  if (!audience) return null
  const { incident, at, ver } = event
  const created = type === 'incident.created'
  // JSON.stringify leaves out a field that is undefined.
  const data = {
    incident_id: incident.incident_id,
    monitor_id: incident.monitor_id ?? '', // An empty string if there is no monitor.
    heartbeat_id: incident.heartbeat_id ?? undefined,
    status: created ? 'open' : undefined,
    severity: created ? incident.severity : undefined,
    change: type === 'incident.updated' ? event.change : undefined
  }
  return { json: JSON.stringify({ channel: 'monitors.status', type, data, at: new Date(at).toISOString(), ver }), audience }
}

function typeOf(event: Event): string {
  if (endsIncident(event)) return 'incident.resolved'
  const { change } = event
  return change === 'created' || change === 'acknowledged' || change === 'assigned' ? `incident.${change}` : 'incident.updated'
}
