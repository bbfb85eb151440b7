/** Texts of the pages about on-call schedules, shifts, overrides and swaps. */
import { textsOf } from './text.ts'

export const onCall = {
  'nav.label': 'On-call',
  'nav.schedules': 'Schedules',
  'nav.policies': 'Policies',
  'page.title': 'On-call',
  'list.answer_unknown': 'Who is on call',
  'list.answer_none': 'Nobody is on call yet',
  'list.answer_gap': 'Nobody is on call in {name}',
  'list.answer_gaps': 'Nobody is on call in {count} schedules',
  'list.answer_people': 'On call: {names}',
  'list.answer_one': '{name} is on call',
  'list.answer_more': '{names} and {count} more',
  'list.read_only': 'Owners, admins and editors change schedules.',
  'list.empty': 'No schedule yet',
  'list.empty_hint': 'A schedule says who is asked when something breaks, and hands it on by itself: every week, every day.',
  'row.now': 'On call now',
  'row.nobody': 'Nobody',
  'row.until': 'until {time}',
  'row.next': 'Next: {names}, {time}',
  'row.fallback': 'It is a gap: the fallback is asked',
  'person.left': 'Somebody who left'
} as const

export const onCallText = textsOf(onCall)
