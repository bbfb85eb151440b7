/**
 * Finds the address that a request comes from. Limits per address and the networks of tokens depend
 * on it, so a sender must never be able to choose it. It is the peer's address, unless the peer is
 * a proxy that the operator named (SERVICE_TRUSTED_PROXIES). Then it is the last entry of
 * X-Forwarded-For, and if that is a named proxy too, the entry before it, and so on. What a sender
 * wrote there itself stands further to the left.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { networkSet } from './networks.ts'
import { remembered } from './remembered.ts'
import type { HttpResponse } from './uws.ts'

/**
 * `peer` is the address that the server reports. `forwarded` is the whole of X-Forwarded-For, empty
 * when there is none. Returns an address in its plain form, or the text that a proxy wrote instead
 * of one.
 */
export type SenderAddress = (peer: string, forwarded: string) => string

/** Returns an address without needless zeros; an IPv4 address inside an IPv6 one becomes IPv4. */
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

/** The sender's address for a request to intake or gateway; `forwarded` as above. */
export const addressOf = (senderAddress: SenderAddress, response: HttpResponse, forwarded: string): string =>
  senderAddress(Buffer.from(response.getRemoteAddressAsText()).toString('latin1'), forwarded)
