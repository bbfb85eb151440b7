/** Puts the cause of an incident into words. Pure. */
import type { Monitor } from '../../api/shapes.ts'
import { incidentCauseText } from '../../texts/incident-cause.ts'
import { regionLabel } from '../monitors/region-label.ts'

type Named = Pick<Monitor, 'prober_region_labels' | 'last_failure'>

/** Returns the last failure of a monitor in words; empty if there is none. `at`: its time. */
export function failureInWords(monitor: Named, at: string): string {
  if (monitor.last_failure === null) return ''
  const { region, message, reason } = monitor.last_failure
  const said = { at, message: message ?? reason ?? '' }
  return region === null
    ? incidentCauseText('monitor.failure', said)
    : incidentCauseText('monitor.failure_in', { ...said, region: regionLabel(monitor, region) })
}

/** Returns the labels of regions: the code of a private location names no place. */
export const regionsInWords = (codes: readonly string[], monitor: Pick<Monitor, 'prober_region_labels'> | undefined): string =>
  codes.map((code) => (monitor ? regionLabel(monitor, code) : code)).join(', ')
