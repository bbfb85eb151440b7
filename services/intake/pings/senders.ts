/**
 * What is stored about a sender: the class of its address and its user agent, never the address
 * itself. Few senders ping often, so both results are cached.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AddressClass } from '../../../schemas/generated/events.ts'
import { redact } from '../../credentials/redact.ts'
import { remembered } from '../../http/remembered.ts'
import { cut } from '../readers.ts'

const MAX_AGENT = 200
const PRIVATE = new Set(['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'])

/** An IPv4 address mapped into IPv6 counts as IPv4. */
export const classOf = remembered((address: string): AddressClass => {
  if (isIP(address) === 0) return 'unknown'
  const range = ipaddr.process(address).range()
  if (range === 'loopback') return 'loopback'
  if (PRIVATE.has(range)) return 'private'
  return range === 'unicast' ? 'public' : 'unknown'
})

/** null without one. */
export function agentOf(header: string): string | null {
  return header === '' ? null : agent(header.slice(0, MAX_AGENT * 2))
}
const agent = remembered((text: string): string => cut(redact(text), MAX_AGENT))
