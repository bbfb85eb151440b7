/** Texts that name who did something. */
import { textsOf } from './text.ts'

export const names = {
  'you.begin': 'You',
  'you.within': 'you',
  'somebody.left': 'Somebody who left',
  'somebody.unknown': 'Somebody',
  'integration.deleted': 'A deleted integration',
  'integration.unknown': 'An integration',
  'token.unknown': 'An API token',
  'token.named': 'The token {name}',
  'token.unknown.within': 'an API token',
  'token.named.within': 'the token {name}',
  'integration.unknown.within': 'an integration',
  'integration.deleted.within': 'a deleted integration',
  'somebody.left.within': 'somebody who left',
  'somebody.unknown.within': 'somebody',
  'part.monitor': 'The monitor',
  'part.heartbeat': 'The heartbeat',
  'part.timer': 'The timer',
  'part.api': 'The API',
  'part.service': 'The service',
  'part.monitor.within': 'the monitor',
  'part.heartbeat.within': 'the heartbeat',
  'part.timer.within': 'the timer',
  'part.api.within': 'the API',
  'part.service.within': 'the service',
  'source.monitor': 'Monitor',
  'source.heartbeat': 'Heartbeat',
  'source.inbound': 'Integration',
  'source.manual': 'Declared manually',
  'source.mass_outage': 'Mass outage',
  'source.unknown': 'Unknown source',
  'person.you': '{name} (you)'
} as const

export const namesText = textsOf(names, 'names')
