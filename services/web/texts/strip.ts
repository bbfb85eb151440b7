/** Texts of the small strips in list rows. */
import { textsOf } from './text.ts'

export const strip = {
  'strip.up': 'Last 24 hours: no downtime',
  'strip.down': 'Last 24 hours: down for {time}',
  'strip.unknown': 'Last 24 hours: no data',
  'spark.range': 'Response time of the last 24 hours: {least} to {most}'
} as const

export const stripText = textsOf(strip, 'strip')
