/**
 * What the log hears of an incident's events: each as a record of incident.events.v1 and, where
 * there is one, its frame; then one mark per incident that incident.state.v1 needs its current row.
 * All under the aggregate `incident:<id>`, so the relay sends them in this order.
 * The fold and the api both use it, so what they change looks the same outside.
 */
import type { AlertEvent, IncidentEvent } from '../../schemas/generated/events.ts'
import type { Outgoing } from '../define.ts'
import type { AlertStepEvent } from './alerts.ts'
import { type Frame, frameOf } from './frame.ts'
import type { Event } from './rules.ts'

/** Topics of what is told of an incident. */
type Told = 'incident.events.v1' | 'incident.state.v1' | 'realtime.frames.v1'
type AlertTold = 'alert.events.v1'
/** What the fold causes; the list in topology.ts is checked against it. */
export type Emits = Told | AlertTold | 'jobs'

/** UUIDv5; handed in by the edge, for rules use no Node modules. */
export type Uuidv5 = (namespace: string, name: string) => string

/**
 * Events in order, each incident's by ascending ver. Returns them with their ids: UUIDv5 of
 * incident and ver.
 */
export function outgoingOf(events: readonly Event[], uuidv5: Uuidv5): { events: IncidentEvent[]; outgoing: Outgoing<Told>[] } {
  const named: IncidentEvent[] = events.map((event) => ({ ...event, event_id: uuidv5(event.incident_id, String(event.ver)) }))
  const outgoing: Outgoing<Told>[] = []
  const last = new Map<string, IncidentEvent>()
  for (const event of named) {
    last.set(event.incident_id, event)
    outgoing.push(recordOf(event))
    const frame = frameOf(event)
    if (frame) outgoing.push(framed(event, frame))
  }
  for (const event of last.values()) outgoing.push(markOf(event))
  return { events: named, outgoing }
}

/**
 * The same of alerts with rows of their own; they have no frames: their incident has. An alert may
 * have the id of an incident, so its events are named apart.
 */
export function alertOutgoingOf(
  events: readonly AlertStepEvent[],
  uuidv5: Uuidv5
): { events: AlertEvent[]; outgoing: Outgoing<AlertTold>[] } {
  const named: AlertEvent[] = events.map((event) => ({ ...event, event_id: uuidv5(event.alert_id, `alert ${event.ver}`) }))
  const outgoing = named.map(
    (event): Outgoing<AlertTold> => ({
      tenant_id: event.tenant_id,
      aggregate: `alert:${event.alert_id}`,
      ver: event.ver,
      topic: 'alert.events.v1',
      key: event.alert_id,
      event_id: event.event_id,
      event_type: `alert.${event.change}`,
      src: event.cause.src,
      body: 'record',
      record: 'AlertEvent',
      value: event
    })
  )
  return { events: named, outgoing }
}

// Field by field, here as in signals.ts: spreads in front of long literals were a third of the
// fold's time.
const recordOf = (event: IncidentEvent): Outgoing<'incident.events.v1'> => ({
  tenant_id: event.tenant_id,
  aggregate: `incident:${event.incident_id}`,
  ver: event.ver,
  topic: 'incident.events.v1',
  key: event.incident_id,
  event_id: event.event_id,
  event_type: `incident.${event.change}`,
  src: event.cause.src,
  body: 'record',
  record: 'IncidentEvent',
  value: event
})

const framed = (event: IncidentEvent, { json, audience }: Frame): Outgoing<'realtime.frames.v1'> => ({
  tenant_id: event.tenant_id,
  aggregate: `incident:${event.incident_id}`,
  ver: event.ver,
  topic: 'realtime.frames.v1',
  key: event.tenant_id,
  event_id: event.event_id,
  event_type: `incident.${event.change}`,
  src: event.cause.src,
  body: 'frame',
  json,
  audience
})

const markOf = (event: IncidentEvent): Outgoing<'incident.state.v1'> => ({
  tenant_id: event.tenant_id,
  aggregate: `incident:${event.incident_id}`,
  ver: event.ver,
  topic: 'incident.state.v1',
  key: event.incident_id,
  event_id: event.event_id,
  event_type: `incident.${event.change}`,
  src: event.cause.src,
  body: 'current'
})
