/** Texts that all settings pages share, such as their navigation. */
import { textsOf } from './text.ts'

export const settings = {
  'nav.label': 'Settings',
  'place.workspace': 'Workspace',
  'place.members': 'Members',
  'place.teams': 'Teams',
  'place.routing': 'Routing',
  'place.channels': 'Notification channels',
  'place.templates': 'Message templates',
  'place.mailbox': 'Mailbox',
  'place.locations': 'Locations',
  'place.audit': 'Audit log',
  'place.deliveries': 'Deliveries',
  'place.tokens': 'API tokens',
  'place.usage': 'Usage and limits',
  'place.notifications': 'Your notifications',
  'place.account': 'Your account',
  'storms.title': 'When many incidents open at once',
  'storms.threshold': 'Storm threshold',
  'storms.a_minute': '{count} incidents a minute',
  'storms.hint':
    'When more incidents than this open within one minute, messages and escalations of the further ones wait for a minute. Then people are notified of each one that is still ongoing.',
  'outages.setting': 'Mass outage',
  'outages.from': '{count} monitors or more',
  'outages.off': 'Each monitor separately',
  'outages.enabled': 'Notify of a mass outage instead of each monitor',
  'outages.hint':
    'Counts monitors that are checked from two or more regions. People are notified of the first ones as usual. When this many are down within five minutes, they get one message for all, and one more when all are up again.',
  'outages.min': 'Number of monitors',
  'outages.min_hint': 'Half of all monitors also count as a mass outage, if there are at least two'
} as const

export const settingsText = textsOf(settings, 'settings')
