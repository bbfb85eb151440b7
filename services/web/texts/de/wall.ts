/** German translation of the texts in wall.ts. */

import type { Translation } from '../text.ts'
import type { wall } from '../wall.ts'

export const de: Translation<typeof wall> = {
  'page.title': 'Wandtafel',
  'page.leave': 'Zum Dashboard',
  'answer.calm': 'Alles in Ordnung',
  'answer.calm_then': 'Alles war in Ordnung',
  'answer.taken': 'Alle Vorfälle sind bestätigt oder stummgeschaltet',
  'answer.unwell': 'Nicht alles ist in Ordnung, und kein Vorfall ist offen',
  'answer.one': '1 Vorfall braucht jemanden',
  'answer.some': '{count} Vorfälle brauchen jemanden',
  'count.monitors': 'Monitore laufen',
  'count.heartbeats': 'Heartbeats pünktlich',
  'count.incidents': 'Vorfälle offen',
  'count.of': '{count} von {all}',
  'list.label': 'Offene Vorfälle',
  'list.more': 'und {count} weitere',
  'list.taken': 'Bestätigt von {name}',
  'list.silenced': 'Stummgeschaltet bis {time}',
  'on_call.title': 'Bereitschaft',
  'on_call.nobody': 'Niemand',
  'live.stale': 'Das kann veraltet sein: keine Verbindung seit {time}.',
  'live.unread': 'Das kann veraltet sein: nicht geladen seit {time}.'
}
