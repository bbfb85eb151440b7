/** German translation of the texts in names.ts. */
import type { names } from '../names.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof names> = {
  'you.begin': 'Sie',
  'you.within': 'Sie',
  'somebody.left': 'Jemand, der nicht mehr dabei ist',
  'somebody.unknown': 'Jemand',
  'integration.deleted': 'Eine gelöschte Integration',
  'integration.unknown': 'Eine Integration',
  'token.unknown': 'Ein API-Token',
  'token.named': 'Das Token {name}',
  'token.unknown.within': 'API-Token',
  'token.named.within': 'Token {name}',
  'integration.unknown.within': 'Integration',
  'integration.deleted.within': 'gelöschte Integration',
  'somebody.left.within': 'jemand, der nicht mehr dabei ist',
  'somebody.unknown.within': 'jemand',
  'part.monitor': 'Der Monitor',
  'part.heartbeat': 'Der Heartbeat',
  'part.timer': 'Der Zeitgeber',
  'part.api': 'Die API',
  'part.service': 'Der Dienst',
  'part.monitor.within': 'Monitor',
  'part.heartbeat.within': 'Heartbeat',
  'part.timer.within': 'Zeitgeber',
  'part.api.within': 'API',
  'part.service.within': 'Dienst',
  'source.monitor': 'Monitor',
  'source.heartbeat': 'Heartbeat',
  'source.inbound': 'Integration',
  'source.manual': 'Von Hand gemeldet',
  'source.mass_outage': 'Massenausfall',
  'source.unknown': 'Unbekannte Quelle',
  'person.you': '{name} (Sie)'
}
