/** German translation of the texts in help.ts. */
import type { help } from '../help.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof help> = {
  'page.title': 'Tasten',
  'group.everywhere': 'Überall',
  'group.list': 'In einer Liste',
  'group.incident': 'Auf einem Vorfall oder seiner Zeile in der Liste',
  'group.watched': 'Auf einem Monitor oder Heartbeat',
  'group.integration': 'Auf einer Integration',
  'does.search': 'Suche',
  'does.search_typing': 'Suche, auch beim Schreiben. Auf dem Mac: Command und K',
  'does.help': 'Diese Seite',
  'does.overview': 'Überblick',
  'does.incidents': 'Vorfälle',
  'does.alerts': 'Alarme',
  'does.monitors': 'Monitore',
  'does.heartbeats': 'Heartbeats',
  'does.on_call': 'Bereitschaft',
  'does.integrations': 'Integrationen',
  'does.feed': 'Neuigkeiten',
  'does.settings': 'Einstellungen',
  'does.next': 'Nächste Zeile',
  'does.before': 'Vorige Zeile',
  'does.open': 'Zeile öffnen',
  'does.create': 'Erstellen',
  'does.acknowledge': 'Bestätigen',
  'does.resolve': 'Lösen',
  'does.silence': 'Stummschalten',
  'does.select': 'Auswählen, in der Liste',
  'does.edit': 'Bearbeiten',
  'does.pause': 'Pausieren oder fortsetzen'
}
