/** German translation of the texts in monitor-list.ts. */
import type { monitorList } from '../monitor-list.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof monitorList> = {
  'list.title': 'Monitore',
  'list.new': 'Neuer Monitor',
  'list.certificates': 'Zertifikate',
  'list.read_only': 'Ihre Rolle kann Monitore nur ansehen. Editoren, Admins und Inhaber können sie anlegen.',
  'list.paused': '{count} pausiert',
  'list.all_paused': '{monitors} pausiert',
  'list.nothing_checked': 'Nichts wird geprüft',
  'empty.answer': 'Noch wird nichts überwacht',
  'empty.title': 'Überwachen Sie Ihre erste Adresse',
  'empty.hint':
    'Geben Sie eine Adresse mit http oder https ein. Sie wird jede Minute aus mehreren Regionen geprüft, und Sie werden benachrichtigt, wenn sie ausfällt.',
  'none.title': 'Kein Monitor passt zu diesen Filtern',
  'none.all': 'Alle {count} zeigen',
  'column.status': 'Zustand',
  'column.monitor': 'Monitor',
  'column.strip': 'Letzte 24 Stunden',
  'column.spark': 'Tempo',
  'column.uptime': 'Verfügbar 30 T',
  'column.response': 'Antwort',
  'column.last': 'Letzte Prüfung',
  'filter.q': 'Nach Name oder Adresse filtern',
  'filter.q_hint': 'Name oder Adresse',
  'filter.tag': 'Tag',
  'filter.any_tag': 'Alle Tags',
  'filter.region': 'Region',
  'filter.any_region': 'Alle Regionen',
  'filter.status': 'Zustand',
  'sort.label': 'Reihenfolge',
  'sort.worst': 'Schlechteste zuerst',
  'sort.name': 'Nach Name',
  'sort.since': 'Zuletzt geändert'
}
