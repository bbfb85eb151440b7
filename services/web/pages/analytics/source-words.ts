/** Words for a source without a name. Pure. */
import { analyticsText } from '../../texts/analytics.ts'

/**
 * Returns what a source is: a deleted thing, or one that never had a name. The integration of the
 * API (`type`: api) has no row.
 */
export function namelessInWords(kind: string, type: string | null = null): string {
  switch (kind) {
    case 'monitor':
    case 'heartbeat':
    case 'manual':
    case 'mass_outage':
      return analyticsText(`source.${kind}`)
    case 'inbound':
      return analyticsText(type === 'api' ? 'source.api' : 'source.inbound')
    default:
      return analyticsText('source.unknown')
  }
}
