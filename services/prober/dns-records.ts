/**
 * Writes DNS records as a zone file does: in lower case where case does not matter, and without the
 * dot at the end of a name. Pure.
 */
import { isIP } from 'node:net'
import type { Answer } from 'dns-packet'
import ipaddr from 'ipaddr.js'

const nameOf = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** Returns null for a record type that checks do not ask for. */
function textOf(answer: Answer): string | null {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return ipaddr.parse(answer.data).toString()
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return nameOf(answer.data)
    case 'MX':
      return `${answer.data.preference ?? 0} ${nameOf(answer.data.exchange)}`
    case 'TXT':
      return [answer.data].flat().map(String).join('')
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = answer.data
      return [nameOf(mname), nameOf(rname), serial, refresh, retry, expire, minimum].join(' ')
    }
    case 'SRV': {
      const { priority, weight, port, target } = answer.data
      return [priority ?? 0, weight ?? 0, port, nameOf(target)].join(' ')
    }
    case 'CAA': {
      const { flags, tag, value } = answer.data
      return `${flags ?? 0} ${tag} "${value}"`
    }
    default:
      return null
  }
}

/** Returns the records of the requested type, sorted. Aliases on the way are left out. */
export function recordsOf(answers: readonly Answer[], type: string): { records: string[]; ttl: number | null } {
  const found = answers.filter((answer) => answer.type === type)
  const records = found.flatMap((answer) => textOf(answer) ?? []).sort()
  const ttls = found.flatMap((answer) => ('ttl' in answer && typeof answer.ttl === 'number' ? [answer.ttl] : []))
  return { records, ttl: ttls.length === 0 ? null : Math.min(...ttls) }
}

/** Returns the name under which the PTR record of an address is looked up. */
export function reverseName(address: string): string {
  const parsed = ipaddr.process(address)
  if (isIP(parsed.toString()) === 4) return `${parsed.toString().split('.').reverse().join('.')}.in-addr.arpa`
  const digits = parsed.toByteArray().flatMap((byte) => [byte >> 4, byte & 15])
  return `${digits
    .reverse()
    .map((digit) => digit.toString(16))
    .join('.')}.ip6.arpa`
}
