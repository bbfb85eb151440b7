/** The values shown in the settings of an integration, and the body that is sent for them. */
import { severities } from '../../../../schemas/http/severity-words.ts'
import type { Integration, IntegrationChange, Severity, Source } from '../../api/shapes.ts'
import { type Pair, pairsOf, recordOf } from '../../forms/pair-values.ts'
import type { Settings } from './SettingFields.tsx'

export interface Values {
  name: string
  enabled: boolean
  /** Empty: none. */
  team_id: string
  /** Empty: the default of the source. */
  default_severity: Severity | ''
  severity_map: readonly Pair<Severity>[]
  labels_add: readonly Pair[]
  capture: boolean
  options: Settings
  verify: Settings
  /** One a line. */
  allowed_cidrs: string
  dedup_template: string
  auto_resolve_minutes: number | ''
}

export const valuesOf = (integration: Integration): Values => ({
  name: integration.name,
  enabled: integration.enabled,
  team_id: integration.team_id ?? '',
  default_severity: integration.default_severity ?? '',
  severity_map: pairsOf(integration.severity_map),
  labels_add: pairsOf(integration.labels_add),
  capture: integration.capture,
  options: {},
  verify: {},
  allowed_cidrs: integration.allowed_cidrs.join('\n'),
  dedup_template: integration.dedup_template ?? '',
  auto_resolve_minutes: integration.auto_resolve_minutes ?? ''
})

export const bodyOf = (values: Values): IntegrationChange => ({
  name: values.name.trim(),
  enabled: values.enabled,
  team_id: values.team_id === '' ? null : values.team_id,
  default_severity: values.default_severity === '' ? null : values.default_severity,
  severity_map: recordOf(values.severity_map),
  labels_add: recordOf(values.labels_add),
  capture: values.capture,
  options: values.options,
  verify: values.verify,
  allowed_cidrs: values.allowed_cidrs.split(/[\s,]+/).filter((network) => network !== ''),
  dedup_template: values.dedup_template.trim() === '' ? null : values.dedup_template.trim(),
  auto_resolve_minutes: values.auto_resolve_minutes === '' ? null : values.auto_resolve_minutes
})

/**
 * Returns how the source maps its sender's words: `critical: fatal, P1; warning: P3`. A word that
 * maps to itself is left out.
 */
export const wordsBySeverity = ({ severity_map }: Source): string =>
  severities
    .map(
      (severity) => [severity, Object.keys(severity_map).filter((word) => severity_map[word] === severity && word !== severity)] as const
    )
    .filter(([, words]) => words.length > 0)
    .map(([severity, words]) => `${severity}: ${words.join(', ')}`)
    .join('; ')
