/**
 * Whom a request comes from. Limits per address and networks of tokens rest on it, so a sender
 * never chooses it: the peer's address counts, unless the peer is a proxy that the operator named
 * (SERVICE_TRUSTED_PROXIES). Then the last entry of its X-Forwarded-For does, and behind one that
 * is a named proxy itself the one before; what a sender wrote there itself stands further to the
 * left.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { networkSet } from './networks.ts'
import { remembered } from './remembered.ts'
import type { HttpResponse } from './uws.ts'

/**
 * `peer` as the server tells it, `forwarded` the whole of X-Forwarded-For, empty where there is
 * none. An address in its plain form, or what a proxy said instead.
 */
export type SenderAddress = (peer: string, forwarded: string) => string

/** Without zeros that say nothing, an IPv4 address inside an IPv6 one as IPv4. */
const plainForm = (address: string): string => (isIP(address) === 0 ? address : ipaddr.process(address).toString())

export function createSenderAddress(trustedProxies: readonly string[]): SenderAddress {
  const trusts = networkSet(trustedProxies)
  const known = remembered((text) => {
    const address = plainForm(text)
    return { address, isProxy: trusts(address) }
  })
  return (peer, forwarded) => {
    let sender = known(peer)
    if (forwarded === '' || !sender.isProxy) return sender.address
    const entries = forwarded.split(',')
    for (let at = entries.length - 1; at >= 0 && sender.isProxy; at--) sender = known(entries[at]?.trim() ?? '')
    return sender.address
  }
}

/** Of a request to intake or gateway; `forwarded` as above. */
export const addressOf = (senderAddress: SenderAddress, response: HttpResponse, forwarded: string): string =>
  senderAddress(Buffer.from(response.getRemoteAddressAsText()).toString('latin1'), forwarded)
