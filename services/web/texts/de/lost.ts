/** German translation of the texts in lost.ts. */
import type { lost } from '../lost.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof lost> = {
  'missing.title': 'Nicht gefunden',
  'missing.answer': 'Unter dieser Adresse gibt es keine Seite',
  'missing.action': 'Zum Überblick',
  'missing.hint': 'Der Link ist vielleicht veraltet oder falsch geschrieben.'
}
