/** German translation of the texts in war-rooms.ts. */

import type { Translation } from '../text.ts'
import type { warRooms } from '../war-rooms.ts'

export const de: Translation<typeof warRooms> = {
  'room.title': 'Lageraum',
  'room.hint': 'Ein Slack-Kanal für diesen Vorfall. Jede Änderung wird dort gemeldet.',
  'room.hint_private':
    'Ein privater Slack-Kanal für diesen Vorfall. Wer die App hinzugefügt hat, wird eingeladen und kann andere einladen.',
  'room.in': 'Arbeitsbereich',
  'room.open': 'Lageraum öffnen',
  'room.again': 'Einen weiteren öffnen',
  'room.what': 'Einen Lageraum zu öffnen',
  'room.opening': 'Wird geöffnet…',
  'room.private': 'privat',
  'room.failed': 'Der Raum ließ sich nicht öffnen: {error}',
  'room.problem': 'Der Raum ist offen, aber: {error}'
}
