/** The words for the kinds of source in the filters. Pure. */
import { incidentListText } from '../../texts/incident-list.ts'
import type { SourceKind } from './search.ts'

export const kindWords: Readonly<Record<SourceKind, string>> = {
  monitor: incidentListText('filter.monitors'),
  heartbeat: incidentListText('filter.heartbeats'),
  manual: incidentListText('filter.by_hand')
}
