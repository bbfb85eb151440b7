/** What a monitor opens, in words. */
import type { Monitor } from '../../api/shapes.ts'
import { severityLook } from '../../parts/Status.tsx'

type Severities = Pick<Monitor, 'severity_down' | 'severity_degraded' | 'open_on_degraded'>

/** `Critical when down, warning when degraded`. */
export function severitiesInWords({ severity_down, severity_degraded, open_on_degraded }: Severities): string {
  const degraded = open_on_degraded ? severityLook(severity_degraded).word.toLowerCase() : 'nothing'
  return `${severityLook(severity_down).word} when down, ${degraded} when degraded`
}
