/**
 * What the log hears of an incident's events: each as a record of incident.events.v1 and, where there is one, its frame; then one mark per incident that
 * incident.state.v1 needs its current row. All under the aggregate `incident:<id>`, so the relay sends them in this order.
 * The fold and the api both use it, so what they change looks the same outside.
 */
import type { IncidentEvent } from '../../schemas/generated/events.ts'
import type { Outgoing } from '../define.ts'
import { frameOf } from './frame.ts'
import type { Event } from './rules.ts'

/** UUIDv5; handed in by the edge, for rules use no Node modules. */
export type Uuidv5 = (namespace: string, name: string) => string

/** Events in order, each incident's by ascending ver. Returns them with their ids: UUIDv5 of incident and ver. */
export function outgoingOf(events: readonly Event[], uuidv5: Uuidv5): { events: IncidentEvent[]; outgoing: Outgoing[] } {
  const named: IncidentEvent[] = events.map((event) => ({ event_id: uuidv5(event.incident_id, String(event.ver)), ...event }))
  const outgoing: Outgoing[] = []
  const last = new Map<string, IncidentEvent>()
  for (const event of named) {
    last.set(event.incident_id, event)
    outgoing.push({
      ...headOf(event),
      topic: 'incident.events.v1',
      key: event.incident_id,
      body: 'record',
      record: 'IncidentEvent',
      value: event
    })
    const frame = frameOf(event)
    if (frame) outgoing.push({ ...headOf(event), topic: 'realtime.frames.v1', key: event.tenant_id, body: 'frame', ...frame })
  }
  for (const event of last.values())
    outgoing.push({ ...headOf(event), topic: 'incident.state.v1', key: event.incident_id, body: 'current' })
  return { events: named, outgoing }
}

const headOf = ({ tenant_id, incident_id, ver, event_id, change, cause }: IncidentEvent) => ({
  tenant_id,
  aggregate: `incident:${incident_id}`,
  ver,
  event_id,
  event_type: `incident.${change}`,
  src: cause.src
})
