/** Addresses that a workspace names and the service then asks or sends to. */
import { type AddressGuard, BlockedTarget, canonicalHost } from '../../http/address-guard.ts'
import { invalid } from './errors.ts'

export interface TargetRules {
  guard: AddressGuard
  /** Plain http: whoever runs the service has opened networks of their own. */
  allowHttp: boolean
}

/**
 * Throws VALIDATION_FAILED for `path` where the address may not be asked. Nobody is asked here: a
 * name is judged by its addresses each time.
 */
export async function checkTarget(path: string, address: string, { guard, allowHttp }: TargetRules): Promise<void> {
  const { hostname, port, protocol } = new URL(address)
  if (protocol !== 'https:' && !allowHttp) throw invalid(path, 'format', 'must begin with https://')
  const host = canonicalHost(hostname)
  if (host === null) throw invalid(path, 'format', 'has no host that can be asked for')
  try {
    await guard.resolve(host, Number(port) || (protocol === 'https:' ? 443 : 80), 0, async () => [])
  } catch (error) {
    if (!(error instanceof BlockedTarget)) throw error
    throw invalid(path, 'blocked_target', 'may not be sent to: it is not public, or whoever runs the service has closed it')
  }
}
