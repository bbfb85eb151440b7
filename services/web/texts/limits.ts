/** Texts of limits and of what a plan includes. */
import { textsOf } from './text.ts'

export const limits = {
  'limits.planned': 'Not available yet',
  'refused.title': 'Rejected because of their content',
  'refused.none': 'No integration has rejected a delivery in the last 24 hours.',
  'refused.one': '1 delivery in 24 h',
  'refused.some': '{count} deliveries in 24 h',
  'refused.hint': 'This has nothing to do with the limit of alerts per minute. The signature or the content of each delivery was wrong.'
} as const

export const limitsText = textsOf(limits, 'limits')
