/**
 * Texts that name the rules and fields of a decision. The incident and alert pages use them, too.
 */
import { textsOf } from './text.ts'

export const rules = {
  'match.label': 'label {name}',
  'field.severity': 'Severity',
  'field.source_kind': 'Kind of source',
  'field.source_type': 'Source type',
  'field.integration_id': 'Integration',
  'field.monitor_id': 'Monitor',
  'field.heartbeat_id': 'Heartbeat',
  'field.title': 'Title',
  'field.description': 'Description',
  'field.region': 'Region',
  'field.affected_region_count': 'Number of affected regions',
  'field.priority': 'Priority',
  'field.team_id': 'Team',
  'field.hour': 'Hour',
  'field.label': 'Label…',
  'fact.decided_by': 'Decided by',
  'fact.suppressed': 'Notifies nobody',
  'fact.gone': 'a rule that was deleted, or that you cannot see',
  'fact.gone_some': '{count} rules that were deleted, or that you cannot see',
  'fact.try': 'Try the rules on this alert'
} as const

export const rulesText = textsOf(rules, 'rules')
