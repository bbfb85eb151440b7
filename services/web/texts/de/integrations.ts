/** German of integrations.ts. */
import type { integrations } from '../integrations.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof integrations> = {
  'do.settings': 'Einstellungen von {name}',
  'do.incidents': 'Vorfälle von {name}',
  'list.find': 'Nach Name oder Werkzeug suchen',
  'list.incidents': 'Vorfälle von {name}',
  'test.label': 'Testalarm senden',
  'test.question': 'Einen Testalarm senden?',
  'test.verb': 'Senden',
  'test.hint':
    'Ein Alarm mit Schweregrad Info kommt an, als hätte {name} ihn gesendet. Regeln, Stummschaltungen und Benachrichtigungen gelten für ihn. Lösen Sie danach seinen Vorfall.',
  'test.done': 'Der Testalarm ist gesendet',
  'ignored.title': 'Nicht beachtet',
  'ignored.hint': 'Verstanden, aber nichts geöffnet oder geändert. 31 Tage lang gezählt, mit Mitschnitt oder ohne.',
  'ignored.times': '{count} ×',
  'ignored.look': 'Beachtet nichts',
  'ignored.answer': 'Beachtet nichts mehr seit'
}
