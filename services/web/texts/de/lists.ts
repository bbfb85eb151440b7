/** German translation of the texts in lists.ts. */
import type { lists } from '../lists.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof lists> = {
  'words.title': 'Titel enthält',
  'pager.label': 'Seiten',
  'pager.part': '{first} bis {last} von {total}',
  'pager.before': 'Zurück',
  'pager.next': 'Weiter'
}
