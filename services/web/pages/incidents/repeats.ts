/**
 * Combines successive incidents of the same key into one row of the list. A thing that fails every
 * two minutes must not push everything else out of sight. Pure.
 */
import type { Incident } from '../../api/shapes.ts'

export interface ListedIncident {
  incident: Incident
  /**
   * How many incidents of the key follow each other, including this one. 1 for a single incident,
   * or for an earlier one shown below the newest.
   */
  count: number
  /** When the first of these incidents began. */
  since: string
  /** The incident is shown below the newest one of its key, because somebody unfolded it. */
  isEarlier: boolean
}

/** `unfolded` holds the keys whose incidents are all listed. */
export function listed(incidents: readonly Incident[], unfolded: ReadonlySet<string>): ListedIncident[] {
  const shown: ListedIncident[] = []
  let newest: ListedIncident | null = null
  for (const incident of incidents) {
    const { dedup_key, started_at: since } = incident
    if (newest && newest.incident.dedup_key === dedup_key) {
      newest.count++
      newest.since = newest.since < since ? newest.since : since
      if (unfolded.has(dedup_key)) shown.push({ incident, count: 1, since, isEarlier: true })
    } else {
      newest = { incident, count: 1, since, isEarlier: false }
      shown.push(newest)
    }
  }
  return shown
}
