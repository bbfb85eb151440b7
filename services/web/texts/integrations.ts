/** Texts of the pages about integrations. */
import { textsOf } from './text.ts'

export const integrations = {
  'do.settings': 'Settings of {name}',
  'do.incidents': 'Incidents of {name}',
  'list.find': 'Find by name or tool',
  'list.incidents': 'Incidents of {name}',
  'test.label': 'Send a test alert',
  'test.question': 'Send a test alert?',
  'test.verb': 'Send the alert',
  'test.hint':
    'An alert with severity info arrives as if {name} had sent it. Routing rules, silences and notifications apply to it. Resolve its incident afterwards.',
  'test.done': 'The test alert was sent',
  'ignored.title': 'Ignored',
  'ignored.hint': 'These were understood but opened or changed nothing. They are counted for 31 days, even when capture is off.',
  'ignored.times': '{count} ×',
  'ignored.look': 'Ignoring',
  'ignored.answer': 'Ignoring everything since'
} as const

export const integrationsText = textsOf(integrations, 'integrations')
