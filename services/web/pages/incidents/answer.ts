/** The headline of the incident list in words. Pure. */
import type { IncidentCounts } from '../../api/shapes.ts'
import { incidentListText } from '../../texts/incident-list.ts'

/** Counts the whole workspace, whatever the filters are. */
export function answerOf({ needs_someone, acknowledged, silenced }: IncidentCounts): string {
  const others = [
    { count: acknowledged, word: incidentListText('rest.acknowledged') },
    { count: silenced, word: incidentListText('rest.silenced') }
  ].filter(({ count }) => count > 0)
  if (needs_someone === 0 && others.length === 0) return incidentListText('answer.none')
  const counted = others.map(({ count, word }, at) => {
    if (at > 0 || needs_someone > 0) return incidentListText('rest.count', { count, word })
    return count === 1 ? incidentListText('rest.first_one', { word }) : incidentListText('rest.first', { count, word })
  })
  if (needs_someone === 0) return incidentListText('answer.calm', { others: counted.join(', ') })
  const needs = needs_someone === 1 ? incidentListText('answer.needs') : incidentListText('answer.need', { count: needs_someone })
  return [needs, ...counted].join(', ')
}
