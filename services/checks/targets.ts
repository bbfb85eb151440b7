/**
 * Targets that are no addresses of the web, as people write them: what the api accepts and probers
 * connect to is read in one place. A host is taken as it will be connected to: lower case, without
 * brackets, IPv4 in its four decimal parts however it was written.
 */
import { isIP } from 'node:net'
import { canonicalHost } from '../http/address-guard.ts'

export interface HostPort {
  host: string
  port: number
}

const HOST_PORT = /^(\[[^\]]+\]|[^[\]:]+)(?::(\d{1,5}))?$/
/** Letters, digits, hyphens and, in names of services, underscores. */
const NAME = /^(?=.{1,253}\.?$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/

/** `host:port`, IPv6 in brackets; `fallback` where no port is named. Null when it is none. */
export function parseHostPort(text: string, fallback?: number): HostPort | null {
  const [, name, digits] = HOST_PORT.exec(text) ?? []
  const host = name === undefined ? null : parseHost(name)
  const port = digits === undefined ? fallback : Number(digits)
  return host === null || port === undefined || port < 1 || port > 65_535 ? null : { host, port }
}

/** A name or an address. Null when it is none. */
export function parseHost(text: string): string | null {
  if (/[\s\p{Cc}]/u.test(text)) return null
  const host = canonicalHost(text)
  // One text for an address, as an address of the web has it: `::1.2.3.4` is not `1.2.3.4`.
  if (host !== null && isIP(host) === 6) return new URL(`http://[${host}]/`).hostname.slice(1, -1)
  return host === null || (isIP(host) === 0 && !NAME.test(host)) ? null : host
}

/** A name of the DNS in lower case, without a dot at its end. Null when it is none. */
export function parseName(text: string): string | null {
  const host = /[\s\p{Cc}]/u.test(text) ? null : (canonicalHost(text) ?? text.toLowerCase())
  return host !== null && isIP(host) === 0 && NAME.test(host) ? host.replace(/\.$/, '') : null
}

/** Whom the certificate of a target is for, in words for people: `server_name`, else its host. */
export function certificateHost(target: string, { server_name }: { readonly [setting: string]: unknown }): string {
  if (typeof server_name === 'string' && server_name !== '') return server_name
  if (target.includes('://') && URL.canParse(target)) return new URL(target).hostname
  return parseHostPort(target, 1)?.host ?? target
}
