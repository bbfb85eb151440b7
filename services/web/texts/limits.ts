/** Texts of limits and of what a plan includes. */
import { textsOf } from './text.ts'

export const limits = {
  'limits.planned': 'Not available yet',
  'refused.title': 'Refused for what they held',
  'refused.none': 'No integration has refused a delivery in 24 h.',
  'refused.one': '1 delivery in 24 h',
  'refused.some': '{count} deliveries in 24 h',
  'refused.hint': 'The limit of alerts a minute has no part in these: the proof or the payload of each was refused.'
} as const

export const limitsText = textsOf(limits)
