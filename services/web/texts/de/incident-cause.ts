/** German translation of the texts in incident-cause.ts. */
import type { incidentCause } from '../incident-cause.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof incidentCause> = {
  'why.title': 'Warum',
  'now.title': 'Jetzt',
  'now.heartbeat': 'Der Heartbeat jetzt',
  'now.monitor': 'Der Monitor jetzt',
  'link.pings': 'Alle Pings',
  'link.checks': 'Alle Prüfungen',
  'heartbeat.in_a_row': '{count} in Folge',
  'heartbeat.no_ping': 'Noch ist kein Ping angekommen',
  'heartbeat.last': 'Letzter Ping {at}',
  'heartbeat.next': 'Nächster Ping erwartet {at}',
  'monitor.down': 'In {down} von {all} Regionen ausgefallen.',
  'monitor.down_one': 'In {down} von 1 Region ausgefallen.',
  'monitor.failure': 'Letzter Fehler {at}: {message}',
  'monitor.failure_in': 'Letzter Fehler {at} in {region}: {message}',
  'similar.title': 'Ähnliche Vorfälle',
  'similar.all': 'Alle {count}',
  'similar.none': 'Das ist der erste seiner Art.',
  'similar.open': 'noch offen',
  'similar.took': 'dauerte {time}',
  'ended.recovered': 'Erholung',
  'ended.user': 'Eine Person',
  'ended.api': 'Die API',
  'ended.closed': 'Schließen von Hand',
  'ended.monitor_deleted': 'Löschen des Monitors oder Heartbeats',
  'ended.auto_timeout': 'Zeitgrenze der Integration',
  'ended.merged': 'Zusammenführen mit einem anderen Vorfall'
}
