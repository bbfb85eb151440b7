/** Checks addresses that a workspace names and that the service then sends requests to. */
import { type AddressGuard, BlockedTarget, canonicalHost } from '../../http/address-guard.ts'
import { invalid } from './errors.ts'

export interface TargetRules {
  guard: AddressGuard
  /** Whether plain http is allowed: the operator has opened networks of their own. */
  allowHttp: boolean
}

/**
 * Throws VALIDATION_FAILED for `path` if no request may be sent to the address. No name is resolved
 * here: a name is judged by its addresses at each request.
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
    throw invalid(path, 'blocked_target', 'may not be sent to: it is not public, or the operator of this service has closed it')
  }
}
