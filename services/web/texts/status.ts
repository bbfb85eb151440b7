/** Texts of the states of monitors and other watched things, and of severities. */
import { textsOf } from './text.ts'

export const status = {
  'monitor.pending': 'Pending',
  'monitor.ok': 'Up',
  'monitor.validating': 'Confirming',
  'monitor.degraded': 'Degraded',
  'monitor.down': 'Down',
  'monitor.flapping': 'Flapping',
  'monitor.maintenance': 'Maintenance',
  'monitor.dependency_down': 'Dependency down',
  'monitor.unconfirmed': 'Unconfirmed',
  'monitor.no_data': 'No data',
  'monitor.paused': 'Paused',
  'heartbeat.waiting': 'Waiting',
  'heartbeat.on_time': 'On time',
  'heartbeat.running': 'Running',
  'heartbeat.grace': 'Late',
  'heartbeat.missed': 'Missed',
  'heartbeat.failed': 'Failed',
  'heartbeat.unknown': 'Unknown',
  'heartbeat.paused': 'Paused',
  'incident.triggered': 'Triggered',
  'incident.acknowledged': 'Acknowledged',
  'incident.resolved': 'Resolved',
  'incident.closed': 'Closed',
  'severity.critical': 'Critical',
  'severity.warning': 'Warning',
  'severity.info': 'Info'
} as const

export const statusText = textsOf(status, 'status')
