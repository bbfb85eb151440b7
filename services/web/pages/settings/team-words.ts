/** Teams in words. Pure. */
import type { Team } from '../../api/shapes.ts'
import { figure } from '../../parts/clock.ts'
import { teamsText } from '../../texts/teams.ts'

export const membersInWords = (count: number): string =>
  count === 1 ? teamsText('list.members_one') : teamsText('list.members', { count: figure(count) })

/** `3 teams, you are in 1`. */
export function teamsAnswer(teams: readonly Pick<Team, 'id'>[], own: readonly string[]): string {
  if (teams.length === 0) return teamsText('list.answer_none')
  const count = teams.filter(({ id }) => own.includes(id)).length
  return teamsText('list.answer_mine', {
    teams: teams.length === 1 ? teamsText('list.count_one') : teamsText('list.count', { count: figure(teams.length) }),
    count: count === 0 ? teamsText('list.in_none') : count
  })
}

/**
 * Says what a change of visibility does, to be read before it is saved; null: it stays the same.
 */
export function changeInWords(name: string, before: Team['visibility'], after: Team['visibility']): string | null {
  if (before === after) return null
  return after === 'private' ? teamsText('form.narrows', { name }) : teamsText('form.widens', { name })
}
