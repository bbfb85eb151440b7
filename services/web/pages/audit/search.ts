/** Parses the address of the audit log and turns it into the query to the api. */
import type { AuditQuery } from '../../api/shapes.ts'
import { textOf, wordOf } from '../../search.ts'

/**
 * Types of objects offered in the filter: those people look for. Entries of other types appear only
 * in the unfiltered list.
 */
export const objectTypes = [
  'monitor',
  'monitor_group',
  'heartbeat',
  'integration',
  'incident',
  'team',
  'user',
  'invite',
  'api_token',
  'channel',
  'template',
  'schedule',
  'override',
  'swap',
  'escalation_policy',
  'routing_rule',
  'silence',
  'private_location',
  'workspace'
] as const
export type ObjectType = (typeof objectTypes)[number]

export const spans = ['day', 'week', 'month'] as const
export type Span = (typeof spans)[number]

const DAY_MS = 86_400_000
const days: Readonly<Record<Span, number>> = { day: 1, week: 7, month: 30 }

export interface AuditSearch {
  type?: ObjectType | undefined
  /** Id of a person or of a token. */
  actor?: string | undefined
  object?: string | undefined
  span?: Span | undefined
}

export const auditSearch = (search: Record<string, unknown>): AuditSearch => ({
  type: wordOf(search.type, objectTypes),
  actor: textOf(search.actor)?.slice(0, 100),
  object: textOf(search.object)?.slice(0, 100),
  span: wordOf(search.span, spans)
})

/**
 * Returns the query to the api. `now` is in epoch ms and is rounded down to whole minutes, so that
 * the same list keeps the same query.
 */
export function toQuery({ type, actor, object, span }: AuditSearch, now: number): AuditQuery {
  const minute = Math.floor(now / 60_000) * 60_000
  return {
    ...(type && { object_type: type }),
    ...(actor !== undefined && { actor_id: actor }),
    ...(object !== undefined && { object_id: object }),
    ...(span && { from: new Date(minute - days[span] * DAY_MS).toISOString() })
  }
}

export const isNarrowed = (search: AuditSearch): boolean => Object.values(search).some((value) => value !== undefined)
