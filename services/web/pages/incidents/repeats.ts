/**
 * Incidents of one key that follow each other in a list, as one row: something that fails every two
 * minutes must not push everything else out of sight. Pure.
 */
import type { Incident } from '../../api/shapes.ts'

export interface ListedIncident {
  incident: Incident
  /** How many follow each other, this one included; 1: it is alone, or one of those below. */
  count: number
  /** When the first of them began. */
  since: string
  /** It is shown below the newest of its key, which somebody has unfolded. */
  isEarlier: boolean
}

/** `unfolded`: keys of which all are shown. */
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
