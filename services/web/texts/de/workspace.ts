/** German translation of the texts in workspace.ts. */
import type { Translation } from '../text.ts'
import type { workspace } from '../workspace.ts'

export const de: Translation<typeof workspace> = {
  'page.title': 'Arbeitsbereich',
  'page.answer': '{name} hat den Tarif {plan}',
  'page.may_not': 'Nur Owner und Admins des Arbeitsbereichs können diese Einstellungen ändern.',
  'facts.title': 'Für Skripte und Hilfe',
  'fact.id': 'Kennung',
  'fact.id_what': 'die Kennung des Arbeitsbereichs',
  'fact.slug': 'Kurzname',
  'fact.slug_what': 'der Kurzname des Arbeitsbereichs',
  'fact.created': 'Erstellt',
  'field.zone': 'Zeitzone',
  'field.reopen': 'Wiederöffnungszeit',
  'field.name': 'Name',
  'field.slug': 'Kurzname',
  'form.saved': 'Der Arbeitsbereich ist gespeichert',
  'form.save': 'Änderungen speichern',
  'group.name': 'Name und Zeitzone',
  'hint.slug': 'Ein kurzer Name für Betreiber des Dienstes: Kleinbuchstaben, Ziffern und Bindestriche',
  'hint.zone': 'Für Dienstpläne, Übersichten und Erinnerungen von Personen, die keine Zeitzone gewählt haben',
  'group.reopen': 'Nachdem jemand einen Vorfall gelöst hat',
  'reopen.none': 'Besteht der Fehler noch, öffnet der nächste Fehlschlag einen neuen Vorfall.',
  'reopen.after':
    'Besteht der Fehler noch und wird nicht schlimmer, öffnet sich {time} lang kein neuer Vorfall. Dauert er länger, öffnet sich einer. Höchstens 7 d.',
  'reopen.unset':
    'Besteht der Fehler noch und wird nicht schlimmer, öffnet sich so lange kein neuer Vorfall. Dauert er länger, öffnet sich einer. Höchstens 7 d.'
}
