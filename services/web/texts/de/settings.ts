/** German of settings.ts. */
import type { settings } from '../settings.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof settings> = {
  'nav.label': 'Einstellungen',
  'place.workspace': 'Arbeitsbereich',
  'place.members': 'Mitglieder',
  'place.teams': 'Teams',
  'place.routing': 'Regeln',
  'place.channels': 'Benachrichtigungskanäle',
  'place.deliveries': 'Zustellungen',
  'place.tokens': 'API-Tokens',
  'place.usage': 'Nutzung und Grenzen',
  'place.notifications': 'Ihre Benachrichtigungen',
  'place.templates': 'Nachrichtenvorlagen',
  'place.mailbox': 'Postfach',
  'place.locations': 'Standorte',
  'place.audit': 'Änderungsprotokoll',
  'place.account': 'Ihr Konto',
  'storms.title': 'Wenn viel zugleich ausfällt',
  'storms.threshold': 'Schwelle für einen Sturm',
  'storms.a_minute': '{count} Vorfälle je Minute',
  'storms.hint':
    'Öffnen sich in einer Minute mehr Vorfälle als so viele, wird nicht mehr über jeden einzeln benachrichtigt. Eine Minute später kommen die noch offenen in einer Nachricht.',
  'outages.setting': 'Massenausfall',
  'outages.from': 'Ab {count} Monitoren',
  'outages.off': 'Jeder Monitor für sich',
  'outages.enabled': 'Einen Massenausfall melden statt jeden Monitor',
  'outages.hint':
    'Fallen binnen fünf Minuten Monitore mehrerer Regionen aus, kommt eine Nachricht für alle, und eine weitere, wenn alle wieder laufen.',
  'outages.min': 'Monitore, die einen ausmachen',
  'outages.min_hint': 'Auch die Hälfte aller Monitore macht einen aus, ab zweien'
}
