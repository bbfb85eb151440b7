/**
 * The changes that a person makes to an incident by hand. Pure; rules.ts makes the new version.
 * Source: docs/design/api/incidents.md#in-10.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { sortedByKey } from '../../schemas/text-order.ts'

/** A field that is missing stays as it is; null clears it. */
export type Edits = Partial<
  Pick<Incident, 'title' | 'summary' | 'severity' | 'priority' | 'is_major' | 'labels' | 'links' | 'tags' | 'team_id'>
>

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Returns the incident with the edits, or the same object if they change nothing. `original_title`
 * keeps the title that the source gave it.
 */
export function edited(incident: Incident, edits: Edits): Incident {
  const wanted: Edits = {
    ...edits,
    ...(edits.labels && { labels: sortedByKey(edits.labels) }),
    ...(edits.tags && { tags: [...new Set(edits.tags)].sort() })
  }
  const names = Object.keys(wanted) as (keyof Edits)[]
  if (names.every((name) => isSame(wanted[name], incident[name]))) return incident
  const next = { ...incident, ...wanted }
  if (next.title !== incident.title) next.original_title = incident.original_title ?? incident.title
  return next
}
