/** Who is on call, in words. Pure. */
import type { OnCallNow } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'

type Someone = OnCallNow['users'][number]

/** Names that a heading still holds. */
const SHOWN = 3

export const namesOf = (users: readonly Someone[]): string => users.map(({ name }) => name || onCallText('person.left')).join(', ')

/** The answer of the page: gaps first, else the people. */
export function answerOf(items: readonly Pick<OnCallNow, 'name' | 'users'>[]): string {
  if (items.length === 0) return onCallText('list.answer_none')
  const gaps = items.filter(({ users }) => users.length === 0)
  if (gaps.length === 1) return onCallText('list.answer_gap', { name: gaps[0]?.name ?? '' })
  if (gaps.length > 1) return onCallText('list.answer_gaps', { count: gaps.length })
  const people = [...new Map(items.flatMap(({ users }) => users).map((user) => [user.id, user])).values()]
  if (people.length === 1) return onCallText('list.answer_one', { name: namesOf(people) })
  const more = people.length - SHOWN
  const names = namesOf(people.slice(0, SHOWN))
  return onCallText('list.answer_people', { names: more > 0 ? onCallText('list.answer_more', { names, count: more }) : names })
}
