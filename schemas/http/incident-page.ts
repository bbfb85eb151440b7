/**
 * One incident as its page shows it, with its alerts, its timeline and related objects.
 * Source: docs/design/api/incidents.md#in-2.
 */
import { type Static, Type } from 'typebox'
import { AlertDetail, AlertDetailList } from './alerts.ts'
import { Id, Instant, nullable, oneOf, Severity } from './common.ts'
import { IncidentDetail, statuses, Timeline } from './incidents.ts'
import { deploymentOutcomes, windowOrigins } from './maintenance-words.ts'
import { postmortemStatuses } from './postmortems.ts'

/** Why one incident is related to another. The first reason that fits is used. */
export const relations = [
  'merged_into',
  'merged',
  'parent',
  'child',
  'outage',
  'bundled',
  'reopened_from',
  'reopened_as',
  'same_signal'
] as const

export const Related = Type.Object({
  id: Id,
  key: Type.String(),
  title: Type.String(),
  status: oneOf(statuses),
  severity: Severity,
  started_at: Instant,
  resolved_at: nullable(Instant),
  relation: oneOf(relations, { description: 'What the related incident is to the one that was read.' })
})
export type Related = Static<typeof Related>

/** A maintenance or deployment window that covers the incident. */
export const ChangeNear = Type.Object({
  id: Id,
  origin: oneOf(windowOrigins),
  name: Type.String(),
  starts_at: Instant,
  ends_at: Instant,
  service: nullable(Type.String()),
  environment: nullable(Type.String()),
  deployed_version: nullable(Type.String()),
  run_url: nullable(Type.String()),
  outcome: nullable(oneOf(deploymentOutcomes))
})
export type ChangeNear = Static<typeof ChangeNear>

export const includes = ['timeline', 'alerts', 'related'] as const

export const IncidentReadQuery = Type.Object(
  { include: Type.Optional(Type.Array(oneOf(includes), { maxItems: includes.length })) },
  { additionalProperties: false, description: 'include: adds the first page of each named part, as the route of that part returns it.' }
)

/** One incident, with the fields that lists leave out. */
export const IncidentPage = Type.Object({
  ...IncidentDetail.properties,
  related_ids: Type.Array(Id, { description: 'Ids of related incidents, at most 20, the closest first; include=related describes them.' }),
  alerts_preview: Type.Array(AlertDetail, { description: 'The 5 alerts that started last.' }),
  postmortem_status: oneOf(['none', ...postmortemStatuses]),
  changes: Type.Array(ChangeNear, {
    description:
      'Maintenance and deployment windows that cover the incident and ran between an hour before it began and its end, the latest first; at most 20.'
  }),
  timeline: Type.Optional(Timeline),
  alerts: Type.Optional(AlertDetailList),
  related: Type.Optional(Type.Array(Related))
})
