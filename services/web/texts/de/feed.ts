/** German translation of the texts in feed.ts. */
import type { feed } from '../feed.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof feed> = {
  'page.title': 'Neuigkeiten',
  'answer.none': 'Sie haben alles gelesen',
  'answer.unread': '{count} ungelesen',
  'filter.which': 'Ungelesene oder alle',
  'filter.unread': 'Ungelesen',
  'filter.category': 'Art',
  'category.incident': 'Vorfälle',
  'category.admin': 'Ankündigungen',
  'category.billing': 'Tarif und Nutzung',
  'list.mark_all': 'Alle als gelesen markieren',
  'list.older': 'Ältere anzeigen',
  'empty.unread': 'Keine ungelesenen Nachrichten',
  'empty.category': 'Keine Nachrichten dieser Art',
  'empty.clear': 'Alle Nachrichten anzeigen',
  'empty.none': 'Noch keine Nachrichten',
  'empty.hint':
    'Sie bekommen eine Nachricht, wenn Sie eine Grenze erreichen, wenn sich Ihr Tarif ändert und wenn es eine Ankündigung gibt. Nachrichten bleiben 90 Tage lang.',
  'row.unread': 'Ungelesen:',
  'row.read_verb': 'Als gelesen markieren',
  'row.unread_verb': 'Als ungelesen markieren',
  'row.verb_of': '{verb}: {title}',
  'react.with': 'Mit {emoji} reagieren: {title}',
  'react.label': 'Reagieren: {title}',
  'refused.read': 'Die Nachricht als gelesen zu markieren',
  'refused.unread': 'Die Nachricht als ungelesen zu markieren',
  'refused.reaction': 'Ihre Reaktion',
  'refused.all': 'Die Nachrichten als gelesen zu markieren'
}
