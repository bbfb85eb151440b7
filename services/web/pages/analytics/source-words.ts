/** Words for a source without a name. Pure. */
import { analyticsText } from '../../texts/analytics.ts'
import { namesText } from '../../texts/names.ts'

/**
 * Returns what a source is: a deleted thing, or one that never had a name. The integration of the
 * API (`type`: api) has no row. Without the list of names (`isListed`) nothing is called deleted.
 */
export function namelessInWords(kind: string, type: string | null = null, isListed = true): string {
  switch (kind) {
    case 'monitor':
    case 'heartbeat':
      return isListed ? analyticsText(`source.${kind}`) : namesText(`source.${kind}`)
    case 'mass_outage':
      return analyticsText(`source.${kind}`)
    case 'manual':
      return namesText('source.manual')
    case 'inbound':
      return namesText(type === 'api' ? 'part.api' : isListed ? 'integration.deleted' : 'integration.unknown')
    default:
      return namesText('source.unknown')
  }
}
