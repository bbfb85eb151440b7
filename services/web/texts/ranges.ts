/** Texts of choosing a span of time. */
import { textsOf } from './text.ts'

export const ranges = {
  'range.label': 'Span of time',
  'range.back': 'Back to the last 24 hours',
  'range.show': 'Show {what}',
  'range.custom': 'Custom',
  'range.last': 'The last',
  'range.unit': 'Unit',
  'range.m': 'minutes',
  'range.h': 'hours',
  'range.d': 'days',
  'range.apply': 'Show',
  'range.wrong': 'From 5 minutes to 760 days',
  'range.or': 'Or between two times',
  'range.from': 'From',
  'range.to': 'To',
  'range.backwards': 'It must end after it begins'
} as const

export const rangesText = textsOf(ranges)
