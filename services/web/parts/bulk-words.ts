/** Describes the outcome of one action on many things in words. Pure. */
import { bulkText } from '../texts/bulk.ts'

/** Most reasons that are listed. More would push the list off the screen. */
const MAX_REASONS = 5

export interface BulkOutcome {
  changed: readonly string[]
  failed: readonly { id: string; error: string }[]
}

/**
 * Returns for example `3 changed, 1 not: INC-4 (is resolved)`. `nameOf` turns the id that was sent
 * into a name.
 */
export function outcomeInWords({ changed, failed }: BulkOutcome, nameOf: (id: string) => string): string {
  if (failed.length === 0) return bulkText('bulk.changed', { count: changed.length })
  const told = failed.slice(0, MAX_REASONS).map(({ id, error }) => `${nameOf(id)} (${error})`)
  const reasons = [...told, ...(failed.length > MAX_REASONS ? ['…'] : [])].join(', ')
  return changed.length === 0
    ? bulkText('bulk.failed', { reasons })
    : bulkText('bulk.partly', { count: changed.length, failed: failed.length, reasons })
}
