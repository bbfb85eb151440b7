/** Who is on call, and when nobody is, in words. Pure. */
import type { Coverage, OnCallNow } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'
import { dayTimeIn } from './zone-days.ts'

type Someone = Pick<OnCallNow['users'][number], 'id' | 'name'>

interface Named {
  name: string
  users: readonly Someone[]
}

/** How many names fit in a heading. */
const SHOWN = 3

export const namesOf = (users: readonly Someone[]): string => users.map(({ name }) => name || onCallText('person.left')).join(', ')

/**
 * Returns the answer of the page: gaps first, otherwise the people. `then`: at another time than
 * now.
 */
export function answerOf(items: readonly Named[], then = false): string {
  const when = then ? 'then' : 'now'
  if (items.length === 0) return onCallText(then ? 'list.none_then' : 'list.answer_none')
  const gaps = items.filter(({ users }) => users.length === 0)
  if (gaps.length === 1) return onCallText(`gap.${when}`, { name: gaps[0]?.name ?? '' })
  if (gaps.length > 1) return onCallText(`gaps.${when}`, { count: gaps.length })
  const people = [...new Map(items.flatMap(({ users }) => users).map((user) => [user.id, user])).values()]
  if (people.length === 1) return onCallText(`one.${when}`, { name: namesOf(people) })
  const more = people.length - SHOWN
  const names = namesOf(people.slice(0, SHOWN))
  return onCallText(`people.${when}`, { names: more > 0 ? onCallText('list.more', { names, count: more }) : names })
}

/** Says when nobody is on call in the coming weeks; null: there is no such time. */
export function gapsInWords(gaps: readonly Pick<Coverage['gaps'][number], 'starts_at' | 'ends_at'>[], zone: string): string | null {
  const [first] = gaps
  if (!first) return null
  const span = { from: dayTimeIn(zone, first.starts_at), to: dayTimeIn(zone, first.ends_at) }
  return gaps.length === 1 ? onCallText('row.gap', span) : onCallText('row.gaps', { ...span, count: gaps.length })
}
