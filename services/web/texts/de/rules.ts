/** German translation of the texts in rules.ts. */
import type { rules } from '../rules.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof rules> = {
  'match.label': 'Label {name}',
  'field.severity': 'Schweregrad',
  'field.source_kind': 'Art der Quelle',
  'field.source_type': 'Typ der Quelle',
  'field.integration_id': 'Integration',
  'field.monitor_id': 'Monitor',
  'field.heartbeat_id': 'Heartbeat',
  'field.title': 'Titel',
  'field.description': 'Beschreibung',
  'field.region': 'Region',
  'field.affected_region_count': 'Zahl betroffener Regionen',
  'field.priority': 'Priorität',
  'field.team_id': 'Team',
  'field.hour': 'Stunde',
  'field.label': 'Label…',
  'fact.decided_by': 'Entschieden von',
  'fact.suppressed': 'Benachrichtigt niemanden',
  'fact.gone': 'einer Regel, die es nicht mehr gibt oder die Sie nicht sehen',
  'fact.gone_some': '{count} Regeln, die es nicht mehr gibt oder die Sie nicht sehen',
  'fact.try': 'Die Regeln an diesem Alarm ausprobieren'
}
