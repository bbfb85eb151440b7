/**
 * Reads targets that are not web addresses, as people write them. The api that accepts them and the
 * probers that connect to them use this one file. A host is put in the form that is connected to:
 * lower case, without brackets, IPv4 as four decimal parts however it was written.
 */
import { isIP } from 'node:net'
import { canonicalHost } from '../http/address-guard.ts'

export interface HostPort {
  host: string
  port: number
}

const HOST_PORT = /^(\[[^\]]+\]|[^[\]:]+)(?::(\d{1,5}))?$/
/** Letters, digits, hyphens and, for service names, underscores. */
const NAME = /^(?=.{1,253}\.?$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/

/**
 * Reads `host:port`, IPv6 in brackets. `fallback`: the port if none is named. Returns null for
 * other text.
 */
export function parseHostPort(text: string, fallback?: number): HostPort | null {
  const [, name, digits] = HOST_PORT.exec(text) ?? []
  const host = name === undefined ? null : parseHost(name)
  const port = digits === undefined ? fallback : Number(digits)
  return host === null || port === undefined || port < 1 || port > 65_535 ? null : { host, port }
}

/** Reads a name or an address. Returns null if the text is neither. */
export function parseHost(text: string): string | null {
  if (/[\s\p{Cc}]/u.test(text)) return null
  const host = canonicalHost(text)
  // Each address has one spelling, as in a web address: `::1.2.3.4` is not `1.2.3.4`.
  if (host !== null && isIP(host) === 6) return new URL(`http://[${host}]/`).hostname.slice(1, -1)
  return host === null || (isIP(host) === 0 && !NAME.test(host)) ? null : host
}

/**
 * Reads a DNS name; returns it in lower case, without a dot at its end. Null if it is not a name.
 */
export function parseName(text: string): string | null {
  const host = /[\s\p{Cc}]/u.test(text) ? null : (canonicalHost(text) ?? text.toLowerCase())
  return host !== null && isIP(host) === 0 && NAME.test(host) ? host.replace(/\.$/, '') : null
}

/**
 * Returns the name that the target's certificate must be for, in words for people: `server_name`,
 * else the host.
 */
export function certificateHost(target: string, { server_name }: { readonly [setting: string]: unknown }): string {
  if (typeof server_name === 'string' && server_name !== '') return server_name
  if (target.includes('://') && URL.canParse(target)) return new URL(target).hostname
  return parseHostPort(target, 1)?.host ?? target
}
