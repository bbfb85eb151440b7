/**
 * Turns an incident's events into outgoing records. Each event becomes a record of
 * incident.events.v1 and, if it has one, a frame. Then one mark per incident says that
 * incident.state.v1 needs its current row. All have the aggregate `incident:<id>`, so the relay
 * sends them in this order. The fold and the api both use this file, so their changes look the same
 * from outside.
 */
import type { AlertEvent, IncidentEvent } from '../../schemas/generated/events.ts'
import type { Outgoing } from '../define.ts'
import type { AlertStepEvent } from './alerts.ts'
import { type Frame, frameOf } from './frame.ts'
import type { Event } from './rules.ts'

/** The topics of incident changes. */
type Told = 'incident.events.v1' | 'incident.state.v1' | 'realtime.frames.v1'
type AlertTold = 'alert.events.v1'
/** Everything that the fold emits; the list in topology.ts is checked against it. */
export type Emits = Told | AlertTold | 'jobs'

/** UUIDv5. The caller passes it in, because rules use no Node modules. */
export type Uuidv5 = (namespace: string, name: string) => string

/**
 * Takes events in order, each incident's by ascending ver. Returns them with their ids: UUIDv5 of
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
 * The same for alerts with rows of their own. They have no frames, because their incident has. An
 * alert may have the id of an incident, so the ids of its events are derived from another name.
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

// Written field by field, as in signals.ts: spreads in front of long literals took a third of the
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
