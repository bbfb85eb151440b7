/** Texts of the overview. */
import { textsOf } from './text.ts'

export const overview = {
  'overview.title': 'On call now',
  'overview.none': 'Nobody: there is no schedule yet that says who is asked when something breaks.',
  'overview.first': 'Make the first schedule',
  'overview.all': 'All {count}',
  'overview.nobody': 'Nobody',
  'overview.until': 'until {time}',
  'overview.silenced': 'Silenced until {time}'
} as const

export const overviewText = textsOf(overview)
