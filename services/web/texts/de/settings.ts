/** German translation of the texts in settings.ts. */
import type { settings } from '../settings.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof settings> = {
  'nav.label': 'Einstellungen',
  'place.workspace': 'Arbeitsbereich',
  'place.members': 'Mitglieder',
  'place.teams': 'Teams',
  'place.routing': 'Regeln',
  'place.channels': 'Benachrichtigungskanäle',
  'place.templates': 'Nachrichtenvorlagen',
  'place.mailbox': 'Postfach',
  'place.locations': 'Standorte',
  'place.audit': 'Änderungsprotokoll',
  'place.deliveries': 'Zustellungen',
  'place.tokens': 'API-Tokens',
  'place.usage': 'Nutzung und Grenzen',
  'place.notifications': 'Ihre Benachrichtigungen',
  'place.account': 'Ihr Konto',
  'storms.title': 'Wenn sich viele Vorfälle zugleich öffnen',
  'storms.threshold': 'Schwelle für einen Sturm',
  'storms.a_minute': '{count} Vorfälle je Minute',
  'storms.hint':
    'Öffnen sich in einer Minute mehr Vorfälle, warten Nachrichten und Eskalationen der weiteren eine Minute. Danach wird über jeden benachrichtigt, der noch offen ist.',
  'outages.setting': 'Massenausfall',
  'outages.from': 'Ab {count} Monitoren',
  'outages.off': 'Jeder Monitor für sich',
  'outages.enabled': 'Über einen Massenausfall benachrichtigen statt über jeden Monitor',
  'outages.hint':
    'Zählt Monitore, die aus zwei oder mehr Regionen geprüft werden. Über die ersten wird wie sonst benachrichtigt. Fallen so viele binnen fünf Minuten aus, kommt eine Nachricht für alle, und eine weitere, wenn alle wieder laufen.',
  'outages.min': 'Anzahl der Monitore',
  'outages.min_hint': 'Auch die Hälfte aller Monitore gilt als Massenausfall, wenn es mindestens zwei sind'
}
