/** Words for a source without a name. Pure. */
import { analyticsText } from '../../texts/analytics.ts'
import { namesText } from '../../texts/names.ts'

/**
 * Returns what a source is: a deleted thing, or one that never had a name. The integration of the
 * API (`type`: api) has no row.
 */
export function namelessInWords(kind: string, type: string | null = null): string {
  switch (kind) {
    case 'monitor':
    case 'heartbeat':
    case 'mass_outage':
      return analyticsText(`source.${kind}`)
    case 'manual':
      return namesText('source.manual')
    case 'inbound':
      return namesText(type === 'api' ? 'part.api' : 'integration.deleted')
    default:
      return namesText('source.unknown')
  }
}
