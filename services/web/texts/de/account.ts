/** German translation of the texts in account.ts. */
import type { account } from '../account.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof account> = {
  'page.title': 'Ihr Konto',
  'page.answer': 'Sie sind {name}. Ihre Rolle in {workspace}: {role}',
  'profile.title': 'Sie',
  'profile.hint': 'In allen Ihren Arbeitsbereichen gleich',
  'profile.name': 'Name',
  'profile.zone': 'Zeitzone',
  'profile.zone_hint': 'Tage und Uhrzeiten erscheinen in dieser Zone. Auch Übersichten und Erinnerungen richten sich danach.',
  'profile.zone_browser': 'Die Zone dieses Browsers: {zone}',
  'profile.language': 'Sprache',
  'profile.language_hint': 'Für Texte, Daten und Zahlen. Meldungen des Servers sind auf Englisch.',
  'profile.save': 'Änderungen speichern',
  'profile.saved': 'Ihr Konto ist gespeichert',
  'password.title': 'Passwort',
  'password.hint': 'Sie werden überall sonst abgemeldet, in allen Arbeitsbereichen. API-Tokens gelten weiter.',
  'password.current': 'Jetziges Passwort',
  'password.new': 'Neues Passwort',
  'password.new_hint': '{count} Zeichen oder mehr',
  'password.save': 'Passwort ändern',
  'password.saved': 'Ihr Passwort ist geändert. Überall sonst sind Sie abgemeldet',
  'look.title': 'Aussehen',
  'look.where': 'Auf diesem Gerät'
}
