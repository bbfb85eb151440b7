/** Texts of the pages about integrations. */
import { textsOf } from './text.ts'

export const integrations = {
  'ignored.title': 'Ignored',
  'ignored.hint': 'Understood, and opened or changed nothing. Counted for 31 days, with capture or without.',
  'ignored.times': '{count} ×',
  'ignored.look': 'Ignoring',
  'ignored.answer': 'Ignoring everything since'
} as const

export const integrationsText = textsOf(integrations)
