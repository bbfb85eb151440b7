/** Texts of the pages of heartbeats. */
import { textsOf } from './text.ts'

export const heartbeats = {
  'do.edit': 'Edit {name}',
  'row.missed_for': 'missing for',
  'fact.missed_since': 'Missing since',
  'history.title': 'Last 24 hours',
  'history.label': '{name} in the last 24 hours',
  'test.label': 'Send a test ping',
  'test.question': 'Send a ping now?',
  'test.verb': 'Send the ping',
  'test.hint': 'It counts as if the job had just run. A missed heartbeat recovers, and the next ping is expected from now on.',
  'test.done': 'The ping is sent'
} as const

export const heartbeatsText = textsOf(heartbeats)
