/** Texts about the cause of an incident, how it ended, and similar incidents. */
import { textsOf } from './text.ts'

export const incidentCause = {
  'why.title': 'Why',
  'now.title': 'Now',
  'now.heartbeat': 'The heartbeat now',
  'now.monitor': 'The monitor now',
  'link.pings': 'All pings',
  'link.checks': 'All checks',
  'heartbeat.in_a_row': '{count} in a row',
  'heartbeat.no_ping': 'No ping has arrived yet',
  'heartbeat.last': 'Last ping {at}',
  'heartbeat.next': 'Next ping expected {at}',
  'monitor.down': 'Down in {down} of {all} regions.',
  'monitor.down_one': 'Down in {down} of 1 region.',
  'monitor.failure': 'Last failure {at}: {message}',
  'monitor.failure_in': 'Last failure {at} in {region}: {message}',
  'similar.title': 'Similar incidents',
  'similar.all': 'All {count}',
  'similar.none': 'This is the first of its kind.',
  'similar.open': 'still open',
  'similar.took': 'took {time}',
  'ended.recovered': 'Recovery',
  'ended.user': 'A person',
  'ended.api': 'The API',
  'ended.closed': 'Manual close',
  'ended.monitor_deleted': 'Deletion of the monitor or heartbeat',
  'ended.auto_timeout': 'Time limit of the integration',
  'ended.merged': 'Merge into another incident'
} as const

export const incidentCauseText = textsOf(incidentCause, 'incident-cause')
