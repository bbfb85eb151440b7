/** Texts that name who did something. */
import { textsOf } from './text.ts'

export const names = {
  'you.begin': 'You',
  'you.within': 'you',
  'somebody.left': 'Somebody who left',
  'somebody.unknown': 'Somebody',
  'integration.deleted': 'A deleted integration',
  'token.unknown': 'An API token',
  'token.named': 'The token {name}',
  'part.monitor': 'The monitor',
  'part.heartbeat': 'The heartbeat',
  'part.timer': 'The timer',
  'part.api': 'The API',
  'part.service': 'The service',
  'source.monitor': 'Monitor',
  'source.heartbeat': 'Heartbeat',
  'source.inbound': 'Integration',
  'source.manual': 'Declared manually',
  'source.mass_outage': 'Mass outage',
  'source.unknown': 'Unknown source',
  'person.you': '{name} (you)'
} as const

export const namesText = textsOf(names, 'names')
