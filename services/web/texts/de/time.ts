/** German translation of the texts in time.ts. */

import type { Translation } from '../text.ts'
import type { time } from '../time.ts'

export const de: Translation<typeof time> = {
  'relative.now': 'gerade eben',
  'relative.ago': 'vor {time}',
  'relative.in': 'in {time}'
}
