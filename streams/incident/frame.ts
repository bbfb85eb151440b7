/**
 * What dashboards hear of an incident's event: one frame, exact JSON text, and who gets it; nothing
 * where nobody may.
 *
 * The specification has created, acknowledged, resolved and assigned (6.2); closing an ongoing
 * incident says resolved. Any other change is `incident.updated`, a type of ours whose data names
 * the change: dashboards of others learn of a comment or a silence at once, too. The status `open`
 * is written here and nowhere else. `at` and `ver` ride beside `data`; the gateway splices its
 * cursor in before the closing brace.
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
  // A field that is undefined is left out of the text.
  const data = {
    incident_id: incident.incident_id,
    monitor_id: incident.monitor_id ?? '', // An empty string where no monitor is behind it.
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
