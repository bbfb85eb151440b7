/** What came of one action on many things, in words. Pure. */
import { bulkText } from '../texts/bulk.ts'

/** So many reasons are told; more would push the list off the screen. */
const MAX_REASONS = 5

export interface BulkOutcome {
  changed: readonly string[]
  failed: readonly { id: string; error: string }[]
}

/**
 * `3 changed, 1 not: INC-4 (is resolved)`. `nameOf` names a thing by what was sent for it.
 */
export function outcomeInWords({ changed, failed }: BulkOutcome, nameOf: (id: string) => string): string {
  if (failed.length === 0) return bulkText('bulk.changed', { count: changed.length })
  const told = failed.slice(0, MAX_REASONS).map(({ id, error }) => `${nameOf(id)} (${error})`)
  const reasons = [...told, ...(failed.length > MAX_REASONS ? ['…'] : [])].join(', ')
  return changed.length === 0
    ? bulkText('bulk.failed', { reasons })
    : bulkText('bulk.partly', { count: changed.length, failed: failed.length, reasons })
}
