/** The list's question answered in words. Pure. */
import type { IncidentCounts } from '../../api/shapes.ts'

const incidents = (count: number): string => `${count} ${count === 1 ? 'incident' : 'incidents'}`

/** Of the whole workspace, whatever the list is narrowed to. */
export function answerOf({ needs_someone, acknowledged, silenced }: IncidentCounts): string {
  const others = [
    { count: acknowledged, word: 'acknowledged' },
    { count: silenced, word: 'silenced' }
  ].filter(({ count }) => count > 0)
  if (needs_someone === 0 && others.length === 0) return 'Nothing is wrong'
  if (needs_someone === 0)
    return `${others.map(({ count, word }, at) => `${at === 0 ? incidents(count) : count} ${word}`).join(', ')}, none waits for someone`
  const needs = `${incidents(needs_someone)} ${needs_someone === 1 ? 'needs' : 'need'} someone`
  return [needs, ...others.map(({ count, word }) => `${count} ${word}`)].join(', ')
}
