/** Texts of the pages of heartbeats. */
import { textsOf } from './text.ts'

export const heartbeats = {
  'do.edit': 'Edit {name}',
  'row.missed_for': 'missing for',
  'fact.missed_since': 'Missing since',
  'rules.title': 'What counts as a ping',
  'rules.usual': 'Every method; the first failure alerts, the first good ping recovers',
  'rules.tolerates': '{count} failures in a row are accepted',
  'rules.recovers': 'up after {count} good pings in a row',
  'rules.methods': 'by {methods} alone',
  'rules.words': 'words of a body count',
  'rules.tolerance': 'Failures that are accepted',
  'rules.tolerance_hint':
    'So many failures in a row, as the job itself reports them, open no incident. A ping that does not come is not among them.',
  'rules.recovery': 'Good pings until it is up again',
  'rules.recovery_hint': 'So many in a row end its incident.',
  'rules.allowed': 'Methods',
  'rules.allowed_hint': 'Scanners of mails and chats open addresses that they find, by GET and HEAD. With POST alone they are refused.',
  'rules.success': 'Words of a success',
  'rules.success_hint': 'A POST whose body has none of them is a note and no ping.',
  'rules.failure': 'Words of a failure',
  'rules.failure_hint': 'A POST whose body has one of them is a failure, whatever else it says.',
  'rules.start': 'Words of a start',
  'rules.start_hint': 'A POST whose body has one of them, and none of the others, begins a run.',
  'rules.kept': '{count} characters of a body are stored',
  'rules.excerpt': 'Characters of a body to store',
  'rules.excerpt_hint':
    'The ping log stores the beginning of each body, without what looks like a secret: at most 512 characters. 0 stores nothing.',
  'fact.excerpt': 'Stored of a body',
  'fact.excerpt_none': 'Nothing',
  'fact.excerpt_value': '{count} characters',
  'fact.tolerance': 'Failures accepted',
  'fact.recovery': 'Up again after',
  'fact.recovery_value': '{count} good pings in a row',
  'fact.methods': 'Takes pings by',
  'fact.success': 'Words of a success',
  'fact.failure': 'Words of a failure',
  'fact.start': 'Words of a start',
  'log.unstored': ', which is not stored',
  'history.title': 'Last 24 hours',
  'history.label': '{name} in the last 24 hours',
  'test.label': 'Send a test ping',
  'test.question': 'Send a ping now?',
  'test.verb': 'Send the ping',
  'test.hint': 'This counts as if the job had just run. A missed heartbeat recovers, and the next ping is expected counting from now.',
  'test.done': 'The ping was sent'
} as const

export const heartbeatsText = textsOf(heartbeats, 'heartbeats')
