/**
 * Decides which addresses the service may connect to for somebody else: the target of a monitor, a
 * webhook.
 *
 * Rules: only public unicast is allowed. Refused are loopback, link-local, private, shared (CGNAT),
 * multicast, broadcast, documentation, benchmarking, reserved and unspecified addresses; every IPv6
 * form that carries an IPv4 address (a mapped one counts as the IPv4 address; compatible, NAT64,
 * 6to4 and Teredo are refused whatever they carry); and the addresses at which clouds answer with
 * credentials. What the operator opens (`open`) is allowed nevertheless, with two exceptions: the
 * networks in `closed`, and the service's own listeners. Use: `resolve` asks for the addresses of a
 * name once, judges all of them, and returns exactly those. So a name gains nothing by changing its
 * answer between the question and the connection (DNS rebinding). `lookup` is the same for node's
 * net, http and tls. A name with one refused address is refused.
 * Source: docs/design/architecture.md#s6-probers, docs/design/performance.md#s6; IANA
 * special-purpose address registries (2025-10).
 */
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { networkSet } from './networks.ts'

export interface GuardRules {
  /** Networks that the operator opens. */
  open: readonly string[]
  /** Networks that stay closed even where they are opened. */
  closed: readonly string[]
  /**
   * The service's own listeners as `host:port`. The hosts 0.0.0.0, ::, * or a local address stand
   * for every address of this machine.
   */
  own: readonly string[]
  /** Addresses of this machine's interfaces. */
  localAddresses?: () => string[]
}

/**
 * Asks for the A or AAAA records of a name, for the families that are wanted (4, 6, or 0 for both).
 * Rejects when the name has no address of those families.
 */
export type Resolve = (name: string, family: 0 | 4 | 6) => Promise<string[]>

export interface Checked {
  /** Without brackets and without a zone. */
  address: string
  family: 4 | 6
}

export type Refusal = 'not_public' | 'closed' | 'own_listener' | 'not_an_address'

/**
 * The target is refused. The message is the same for every reason: it is shown to people who may
 * not know the network, and different words would let them map it. `refusal` is for the operator
 * only.
 */
export class BlockedTarget extends Error {
  override readonly name = 'BlockedTarget'
  readonly code = 'ERR_BLOCKED_TARGET'
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super('The address may not be checked: it is not public, or the operator of this service has closed it')
    this.refusal = refusal
  }
}

/**
 * Public unicast addresses that give out credentials of the machine or control it: Azure's wire
 * server. The other addresses of this kind are link-local, shared or unique-local.
 */
const METADATA = networkSet(['168.63.129.16'])

type Address = ReturnType<typeof ipaddr.process>

const isV6 = (address: Address): address is InstanceType<typeof ipaddr.IPv6> => address.kind() === 'ipv6'

const v4At = (bytes: number[], at: number, flip = 0): Address => ipaddr.fromByteArray(bytes.slice(at, at + 4).map((byte) => byte ^ flip))

/**
 * Returns the IPv4 address inside an IPv6 address, for the forms that translate or tunnel; null for
 * others.
 */
function carried(address: Address): Address | null {
  if (!isV6(address)) return null
  const bytes = address.toByteArray()
  const [first = 0, second = 0] = address.parts
  // ::a.b.c.d, compatible form. :: and ::1 carry no IPv4 address.
  if (address.parts.slice(0, 6).every((part) => part === 0)) return address.parts[6] === 0 ? null : v4At(bytes, 12)
  if (first === 0x2002) return v4At(bytes, 2) // 6to4
  // Teredo: the client's address, inverted
  if (first === 0x2001 && second === 0) return v4At(bytes, 12, 0xff)
  const range: string = address.range()
  // NAT64, stateless translation
  if (range === 'rfc6052' || range === 'rfc6145') return v4At(bytes, 12)
  return null
}

/**
 * Whether the address is public unicast. In IPv6 only 2000::/3 is public, even if other ranges have
 * no name yet.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || METADATA(address.toString())) return false
  return !isV6(address) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}

const WILDCARDS = new Set(['0.0.0.0', '::', '*', ''])
const LOCAL_NAMES = /^(?:.*\.)?localhost$|^(?:localhost\.localdomain|ip6-localhost|ip6-loopback)$/

/** Splits `host:port`, with IPv6 in brackets. Returns null when the text has another form. */
function parseListener(text: string): { host: string; port: number } | null {
  const [, host, port] = /^(.*):(\d{1,5})$/.exec(text.trim()) ?? []
  if (host === undefined || Number(port) > 65_535) return null
  return { host: host.replace(/^\[|\]$/g, '').toLowerCase(), port: Number(port) }
}

export const isListener = (text: string): boolean => parseListener(text) !== null

/**
 * Returns a host as the connection will see it: lower case, without brackets, zone or a name's
 * trailing dot. IPv4 is in its four decimal parts, however it was written (2130706433, 0x7f.1,
 * 0177.0.0.1, 127.1, %31%32%37.0.0.1, ①②⑦.0.0.1: the WHATWG rules fold them all). Null when the
 * text is no host.
 */
export function canonicalHost(text: string): string | null {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) === 6) return bare.split('%')[0]?.toLowerCase() ?? null
  if (/[/?#@\\:]/.test(bare) || !URL.canParse(`http://${bare}/`)) return null
  const { hostname } = new URL(`http://${bare}/`)
  return hostname.replace(/\.$/, '') || null
}

const addressesHere = (): string[] =>
  Object.values(networkInterfaces()).flatMap((list) => list?.map((one) => one.address.split('%')[0] ?? '') ?? [])

export interface AddressGuard {
  /**
   * Returns null when a connection to `address` and `port` may be opened, otherwise the refusal.
   * `ownAddresses`: the addresses of the own listeners that are given by name.
   */
  judge(address: string, port: number, ownAddresses?: readonly string[]): Refusal | null
  /**
   * Returns the addresses of `host` that may be connected to: at least one, all judged, in the
   * resolver's order. Rejects with BlockedTarget when any is refused, or with the resolver's error.
   */
  resolve(host: string, port: number, family: 0 | 4 | 6, ask: Resolve): Promise<Checked[]>
  /**
   * For the `lookup` option of net.connect and similar functions. They do not call it for a literal
   * address: use `resolve` or `judge` for those.
   */
  lookup(port: number, ask: Resolve): LookupFunction
}

export function createAddressGuard(rules: GuardRules): AddressGuard {
  const isOpen = networkSet(rules.open)
  const isClosed = networkSet(rules.closed)
  const listeners = rules.own.flatMap((text) => parseListener(text) ?? [])
  const localAddresses = rules.localAddresses ?? addressesHere

  const isHere = (address: Address): boolean => {
    const text = address.toString()
    const range = address.range()
    return range === 'loopback' || range === 'unspecified' || localAddresses().some((own) => isIP(own) !== 0 && canonical(own) === text)
  }

  function ownListener(address: Address, port: number, ownAddresses: readonly string[]): boolean {
    const atPort = listeners.filter((listener) => listener.port === port)
    if (atPort.length === 0) return false
    const text = address.toString()
    if (ownAddresses.some((own) => isIP(own) !== 0 && canonical(own) === text)) return true
    return atPort.some(({ host }) => {
      const literal = isIP(host) === 0 ? null : ipaddr.process(host)
      if (literal && literal.toString() === text) return true
      const local = WILDCARDS.has(host) || LOCAL_NAMES.test(host) || (literal !== null && isHere(literal))
      return local && isHere(address)
    })
  }

  function judge(text: string, port: number, ownAddresses: readonly string[] = []): Refusal | null {
    const bare = text.split('%')[0] ?? ''
    if (isIP(bare) === 0) return 'not_an_address'
    const address = ipaddr.process(bare)
    const inner = carried(address)
    for (const one of inner ? [address, inner] : [address]) {
      if (ownListener(one, port, ownAddresses)) return 'own_listener'
      if (isClosed(one.toString())) return 'closed'
    }
    const allowed = (one: Address): boolean => isOpen(one.toString()) || isPublic(one)
    // An address that carries another one is allowed only when both are: NAT64 of a private address
    // leads to that private address.
    return allowed(address) && (inner === null || allowed(inner)) ? null : 'not_public'
  }

  /**
   * Names of own listeners are resolved only when the port is theirs, which is seldom. A name that
   * does not resolve here leads nowhere.
   */
  async function ownAddressesAt(port: number, ask: Resolve): Promise<string[]> {
    const names = listeners.filter(({ host, port: own }) => own === port && isIP(host) === 0 && !WILDCARDS.has(host))
    const answers = await Promise.allSettled(names.map(({ host }) => ask(host, 0)))
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }

  async function resolve(host: string, port: number, family: 0 | 4 | 6, ask: Resolve): Promise<Checked[]> {
    const name = canonicalHost(host)
    if (name === null) throw new BlockedTarget('not_an_address')
    if (listeners.some((listener) => listener.port === port && listener.host === name)) throw new BlockedTarget('own_listener')
    const found = isIP(name) !== 0 ? [name] : LOCAL_NAMES.test(name) ? loopback(family) : await ask(name, family)
    const own = await ownAddressesAt(port, ask)
    for (const address of found) {
      const refusal = judge(address, port, own)
      if (refusal) throw new BlockedTarget(refusal)
    }
    return found.map((address) => {
      const plain = canonical(address)
      return { address: plain, family: isIP(plain) === 6 ? 6 : 4 }
    })
  }

  return {
    judge,
    resolve,
    lookup: (port, ask) => (hostname, options, callback) => {
      const family = options.family === 4 || options.family === 'IPv4' ? 4 : options.family === 6 || options.family === 'IPv6' ? 6 : 0
      resolve(hostname, port, family, ask).then(
        (checked) => {
          const [first] = checked
          if (!first) callback(Object.assign(new Error('The name has no address'), { code: 'ENOTFOUND' }), '', 0)
          else if (options.all) callback(null, checked)
          else callback(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => callback(error, '', 0)
      )
    }
  }
}

/** Returns the one text of an address: a mapped IPv4 address as IPv4, without a zone. */
const canonical = (address: string): string => ipaddr.process(address.split('%')[0] ?? '').toString()

/** Loopback addresses, for names that are never asked of a server (RFC 6761 6.3). */
const loopback = (family: 0 | 4 | 6): string[] => (family === 4 ? ['127.0.0.1'] : family === 6 ? ['::1'] : ['127.0.0.1', '::1'])
