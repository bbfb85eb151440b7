/**
 * Networks as text: `192.0.2.0/24`, `2001:db8::/32`, or a single address. They say where a token
 * may be used from, and what an operator opens or closes.
 */
import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

interface Network {
  address: string
  prefix: number
  family: 'ipv4' | 'ipv6'
}

/** Returns null when the text is no network. */
export function parseNetwork(text: string): Network | null {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return null
  const most = family === 4 ? 32 : 128
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  if (!(prefix <= most)) return null
  return { address, prefix, family: family === 4 ? 'ipv4' : 'ipv6' }
}

/**
 * Returns a function that tells whether an address is in one of the networks. Texts that are no
 * network are ignored. An IPv4 address that came over an IPv6 socket counts as IPv4.
 */
export function networkSet(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks.map(parseNetwork)) if (network) list.addSubnet(network.address, network.prefix, network.family)
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
    const family = isIP(plain)
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Without networks every address is allowed. */
export function isAllowed(address: string, networks: readonly string[]): boolean {
  return networks.length === 0 || networkSet(networks)(address)
}

/**
 * Whether `outer` allows every address that `inner` allows. An empty list allows every address.
 * Each network of `inner` must lie in a single network of `outer`: several networks are not joined.
 */
export function areWithin(inner: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true
  const around = outer.map(parseNetwork)
  return (
    inner.length > 0 && inner.map(parseNetwork).every((one) => one !== null && around.some((other) => other !== null && holds(other, one)))
  )
}

function holds(outer: Network, inner: Network): boolean {
  if (outer.family !== inner.family || outer.prefix > inner.prefix) return false
  const list = new BlockList()
  list.addSubnet(outer.address, outer.prefix, outer.family)
  return list.check(inner.address, inner.family)
}

/**
 * Returns the key for limits per address: an IPv4 address, or the /64 of an IPv6 address, because
 * one sender has all addresses of a /64.
 */
export function senderOf(address: string): string {
  const bare = address.split('%')[0] ?? ''
  if (isIP(bare) === 0) return address
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const bytes = parsed.toByteArray().fill(0, 8)
  return `${ipaddr.fromByteArray(bytes).toString()}/64`
}
