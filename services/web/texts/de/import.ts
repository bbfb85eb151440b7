/** German translation of the texts in import.ts. */

import type { imports } from '../import.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof imports> = {
  'import.verb': 'Importieren',
  'import.title': 'Monitore importieren',
  'import.answer': 'Welche Monitore sollen überwacht werden?',
  'import.back': 'Monitore',
  'import.what': 'Was importiert wird',
  'import.hint':
    'Eine Tabelle (CSV), deren erste Zeile die Felder nennt, oder JSON: eine Liste von Monitoren, wie die API sie annimmt. Ein Monitor, dessen Name schon vergeben ist, wird geändert. Im Feld group steht der Name einer Gruppe; eine, die es noch nicht gibt, wird angelegt.',
  'import.file': 'Datei auswählen…',
  'import.text': 'Tabelle oder JSON',
  'import.text_hint': 'Höchstens {count} Monitore. Mehrere Werte in einem Feld werden durch Semikolons getrennt.',
  'import.fields': 'Felder',
  'import.look': 'Erst ansehen',
  'import.do': '{monitors} importieren',
  'import.nothing': 'Es gibt nichts zu importieren: Alle sind schon so, wie sie sein sollen.',
  'import.empty': 'Fügen Sie zuerst eine Tabelle oder JSON ein, oder wählen Sie eine Datei',
  'import.no_json': 'Das ist keine Liste von Monitoren in JSON',
  'import.would': 'Was geschehen würde',
  'import.create': '{count} neu',
  'import.update': '{count} geändert',
  'import.skip': '{count} unverändert',
  'import.faults': '{count} Fehler: Es wird nichts importiert, bis sie behoben sind',
  'import.fault': '1 Fehler: Es wird nichts importiert, bis er behoben ist',
  'import.groups': 'Neue Gruppen:',
  'import.forbidden': 'Dafür braucht es die Rolle Editor oder eine höhere.',
  'import.cancel': 'Abbrechen',
  'import.row': 'Zeile',
  'import.name': 'Name',
  'import.field': 'Feld',
  'import.message': 'Was falsch ist',
  'import.action': 'Was geschieht',
  'import.whole': 'das Ganze',
  'import.done': '{monitors} importiert',
  'action.create': 'Wird angelegt',
  'action.update': 'Wird geändert',
  'action.skip': 'Bleibt unverändert'
}
