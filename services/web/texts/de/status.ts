/** German translation of the texts in status.ts. */
import type { status } from '../status.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof status> = {
  'monitor.pending': 'Ausstehend',
  'monitor.ok': 'Läuft',
  'monitor.validating': 'Wird bestätigt',
  'monitor.degraded': 'Beeinträchtigt',
  'monitor.down': 'Ausgefallen',
  'monitor.flapping': 'Flattert',
  'monitor.maintenance': 'Wartung',
  'monitor.dependency_down': 'Abhängigkeit ausgefallen',
  'monitor.unconfirmed': 'Unbestätigt',
  'monitor.no_data': 'Keine Daten',
  'monitor.paused': 'Pausiert',
  'heartbeat.waiting': 'Wartet',
  'heartbeat.on_time': 'Pünktlich',
  'heartbeat.running': 'Läuft',
  'heartbeat.grace': 'Verspätet',
  'heartbeat.missed': 'Ausgeblieben',
  'heartbeat.failed': 'Gescheitert',
  'heartbeat.unknown': 'Unbekannt',
  'heartbeat.paused': 'Pausiert',
  'incident.triggered': 'Ausgelöst',
  'incident.acknowledged': 'Bestätigt',
  'incident.resolved': 'Gelöst',
  'incident.closed': 'Geschlossen',
  'severity.critical': 'Kritisch',
  'severity.warning': 'Warnung',
  'severity.info': 'Info'
}
