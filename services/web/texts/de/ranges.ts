/** German translation of the texts in ranges.ts. */
import type { ranges } from '../ranges.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof ranges> = {
  'range.label': 'Zeitraum',
  'range.back': 'Zurück zu den letzten 24 Stunden',
  'range.show': '{what} zeigen',
  'range.custom': 'Eigener',
  'range.last': 'Die letzten',
  'range.unit': 'Einheit',
  'range.m': 'Minuten',
  'range.h': 'Stunden',
  'range.d': 'Tage',
  'words.m_one': 'der letzten Minute',
  'words.m': 'den letzten {count} Minuten',
  'words.h_one': 'der letzten Stunde',
  'words.h': 'den letzten {count} Stunden',
  'words.d_one': 'dem letzten Tag',
  'words.d': 'den letzten {count} Tagen',
  'range.apply': 'Zeigen',
  'range.wrong': 'Von 5 Minuten bis 760 Tage',
  'range.or': 'Oder zwischen zwei Zeiten',
  'range.from': 'Von',
  'range.to': 'Bis',
  'range.backwards': 'Das Ende muss nach dem Beginn liegen',
  'range.between': '{from} bis {to}'
}
