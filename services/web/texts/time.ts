/** Texts of how long ago something was. */
import { textsOf } from './text.ts'

export const time = {
  'relative.now': 'just now',
  'relative.ago': '{time} ago',
  'relative.in': 'in {time}'
} as const

export const timeText = textsOf(time, 'time')
