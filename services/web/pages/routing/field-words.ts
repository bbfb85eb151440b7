/** The fields that conditions look at, in words. */
import { type FixedField, isFixedField, labelOf } from '../../../../schemas/http/routing-words.ts'
import { rulesText } from '../../texts/rules.ts'

export const fieldWords: Readonly<Record<FixedField, string>> = {
  severity: rulesText('field.severity'),
  'source.kind': rulesText('field.source_kind'),
  'source.type': rulesText('field.source_type'),
  integration_id: rulesText('field.integration_id'),
  monitor_id: rulesText('field.monitor_id'),
  heartbeat_id: rulesText('field.heartbeat_id'),
  title: rulesText('field.title'),
  description: rulesText('field.description'),
  region: rulesText('field.region'),
  affected_region_count: rulesText('field.affected_region_count'),
  priority: rulesText('field.priority'),
  team_id: rulesText('field.team_id'),
  hour: rulesText('field.hour')
}

/**
 * A field as named within a sentence: `severity`, `label service`. An unknown field stays as it is
 * written.
 */
export function fieldInWords(field: string): string {
  if (isFixedField(field)) return fieldWords[field].toLowerCase()
  const name = labelOf(field)
  return name === null ? field : rulesText('match.label', { name })
}
