/** Texts of the page that lists the keyboard keys. */
import { textsOf } from './text.ts'

export const help = {
  'page.title': 'Keys',
  'group.everywhere': 'Everywhere',
  'group.list': 'In a list',
  'group.incident': 'On an incident, or its row in the list',
  'group.watched': 'On a monitor or heartbeat',
  'group.integration': 'On an integration',
  'does.search': 'Search',
  'does.search_typing': 'Search, also while typing. On a Mac: Command and K',
  'does.help': 'This page',
  'does.overview': 'Overview',
  'does.incidents': 'Incidents',
  'does.alerts': 'Alerts',
  'does.monitors': 'Monitors',
  'does.heartbeats': 'Heartbeats',
  'does.on_call': 'On-call',
  'does.integrations': 'Integrations',
  'does.feed': 'Feed',
  'does.settings': 'Settings',
  'does.next': 'Next row',
  'does.before': 'Previous row',
  'does.open': 'Open the row',
  'does.create': 'Create',
  'does.acknowledge': 'Acknowledge',
  'does.resolve': 'Resolve',
  'does.silence': 'Silence',
  'does.select': 'Select, in the list',
  'does.edit': 'Edit',
  'does.pause': 'Pause or resume'
} as const

export const helpText = textsOf(help, 'help')
