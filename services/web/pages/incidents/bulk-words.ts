/** What came of one action on many incidents, in words. Pure. */
import type { BulkAnswer } from '../../api/shapes.ts'
import { incidentBulkText } from '../../texts/incident-bulk.ts'

/** So many reasons are told; more would push the list off the screen. */
const MAX_REASONS = 5

/**
 * `3 changed, 1 not: INC-4 is resolved`. `keyOf` names an incident by what was sent for it.
 */
export function outcomeInWords({ changed, failed }: BulkAnswer, keyOf: (id: string) => string): string {
  if (failed.length === 0) return incidentBulkText('bulk.changed', { count: changed.length })
  const told = failed.slice(0, MAX_REASONS).map(({ id, error }) => `${keyOf(id)} (${error})`)
  const reasons = [...told, ...(failed.length > MAX_REASONS ? ['…'] : [])].join(', ')
  return changed.length === 0
    ? incidentBulkText('bulk.failed', { reasons })
    : incidentBulkText('bulk.partly', { count: changed.length, failed: failed.length, reasons })
}
