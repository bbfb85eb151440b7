/** Texts for choosing a time range. */
import { textsOf } from './text.ts'

export const ranges = {
  'range.label': 'Time range',
  'range.back': 'Back to the last 24 hours',
  'range.show': 'Show {what}',
  'range.custom': 'Custom',
  'range.last': 'The last',
  'range.unit': 'Unit',
  'range.m': 'minutes',
  'range.h': 'hours',
  'range.d': 'days',
  'words.m_one': 'the last minute',
  'words.m': 'the last {count} minutes',
  'words.h_one': 'the last hour',
  'words.h': 'the last {count} hours',
  'words.d_one': 'the last day',
  'words.d': 'the last {count} days',
  'range.apply': 'Show',
  'range.wrong': 'Choose between 5 minutes and 760 days',
  'range.or': 'Or choose a start and an end',
  'range.from': 'From',
  'range.to': 'To',
  'range.backwards': 'The end must be after the start',
  'range.between': '{from} to {to}'
} as const

export const rangesText = textsOf(ranges, 'ranges')
