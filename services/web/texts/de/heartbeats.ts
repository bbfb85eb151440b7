/** German of heartbeats.ts. */
import type { heartbeats } from '../heartbeats.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof heartbeats> = {
  'do.edit': '{name} bearbeiten',
  'row.missed_for': 'fehlt seit',
  'fact.missed_since': 'Fehlt seit',
  'rules.kept': '{count} Zeichen eines Bodys werden gespeichert',
  'rules.excerpt': 'Zeichen eines Bodys, die gespeichert werden',
  'rules.excerpt_hint':
    'Das Ping-Protokoll speichert den Anfang jedes Bodys, ohne was nach einem Geheimnis aussieht: höchstens 512 Zeichen. Bei 0 nichts.',
  'fact.excerpt': 'Vom Body gespeichert',
  'fact.excerpt_none': 'Nichts',
  'fact.excerpt_value': '{count} Zeichen',
  'log.unstored': ', der nicht gespeichert ist',
  'history.title': 'Letzte 24 Stunden',
  'history.label': '{name} in den letzten 24 Stunden',
  'test.label': 'Test-Ping senden',
  'test.question': 'Jetzt einen Ping senden?',
  'test.verb': 'Ping senden',
  'test.hint':
    'Er zählt, als wäre der Job eben gelaufen. Ein ausgebliebener Heartbeat erholt sich, und der nächste Ping wird von jetzt an erwartet.',
  'test.done': 'Der Ping ist gesendet'
}
