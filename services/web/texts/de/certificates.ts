/** German translation of the texts in certificates.ts. */
import type { certificates } from '../certificates.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof certificates> = {
  'page.title': 'Zertifikate',
  'page.how': 'Was die Prüfungen Ihrer Monitore zuletzt sahen. An den Schwellen jedes Monitors wird je einmal benachrichtigt.',
  'answer.unknown': 'Zertifikate',
  'answer.nothing': 'Noch wurde kein Zertifikat gesehen',
  'answer.none': 'Kein Zertifikat läuft in den nächsten 30 Tagen ab',
  'answer.one': '1 Zertifikat läuft in den nächsten 30 Tagen ab',
  'answer.some': '{count} Zertifikate laufen in den nächsten 30 Tagen ab',
  'filter.name': 'Nach Name oder Adresse suchen',
  'filter.name_hint': 'Name oder Adresse',
  'filter.ends': 'Läuft ab',
  'filter.any': 'Jederzeit',
  'filter.days': 'Binnen {days} Tagen',
  'filter.none': 'Kein passendes Zertifikat',
  'filter.all': 'Alle zeigen',
  'list.empty': 'Überwachen Sie eine Adresse, die eines hat',
  'list.empty_hint': 'Ein Zertifikat steht hier nach der ersten Prüfung einer https-Adresse oder jeder Art über TLS.',
  'list.create': 'Neuer Monitor',
  'row.ended': 'Ist abgelaufen',
  'row.today': 'Weniger als ein Tag',
  'row.day': 'Noch 1 Tag',
  'row.days': 'Noch {days} Tage',
  'row.for': 'Für {host}',
  'row.until': 'Gültig bis',
  'row.issuer': 'Ausgestellt von {issuer}',
  'row.issuer_unknown': 'Der Aussteller ist nicht bekannt',
  'row.untrusted': 'Seiner Kette wird nicht vertraut',
  'row.paused': 'Sein Monitor ist pausiert: gesehen',
  'row.told': 'Benachrichtigt bei {days} Tagen',
  'row.told_day': 'Benachrichtigt bei 1 Tag',
  'row.told_end': 'Über den Ablauf benachrichtigt',
  'row.off': 'Niemand wird benachrichtigt, wenn es abläuft'
}
