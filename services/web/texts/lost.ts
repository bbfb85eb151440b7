/** Texts of the page for an address that does not exist. */
import { textsOf } from './text.ts'

export const lost = {
  'missing.title': 'Not found',
  'missing.answer': 'There is no page at this address',
  'missing.action': 'To the overview',
  'missing.hint': 'The link may be outdated or have a typo.'
} as const

export const lostText = textsOf(lost, 'lost')
