/** The alert that the rules are tried on: from an existing alert, or from typed text. Pure. */
import type { Alert } from '../../api/shapes.ts'
import { routingText } from '../../texts/routing.ts'

/**
 * Returns what the API takes of an alert. Empty values are left out, so that there is little to
 * read.
 */
export function sampleOf(alert: Alert): Record<string, unknown> {
  const { title, severity, description, labels, source, monitor_id, heartbeat_id, region, affected_regions, priority, team_id } = alert
  const given = {
    title,
    severity,
    description,
    labels,
    source_kind: source.kind,
    source_type: source.type,
    integration_id: source.integration_id,
    monitor_id,
    heartbeat_id,
    region,
    affected_regions,
    priority,
    team_id,
    visibility: alert.visibility
  }
  const isEmpty = (value: unknown): boolean =>
    value === null || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !isEmpty(value) && !(name === 'visibility' && value === 'org')))
}

export const written = (sample: Record<string, unknown>): string => JSON.stringify(sample, null, 2)

/** The alert that the form starts with. */
export const example = written({ title: 'Disk full on db-1', severity: 'critical', labels: { service: 'db', env: 'prod' } })

/** Returns the object in a typed text, or what is wrong with the text. */
export function parsed(typed: string): { alert: object; fault: null } | { alert: null; fault: string } {
  let alert: unknown
  try {
    alert = JSON.parse(typed)
  } catch (error) {
    return { alert: null, fault: routingText('try.no_json', { why: error instanceof Error ? error.message : String(error) }) }
  }
  if (typeof alert !== 'object' || alert === null || Array.isArray(alert)) return { alert: null, fault: routingText('try.no_object') }
  return { alert, fault: null }
}
