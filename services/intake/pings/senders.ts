/** Where a sender is, and what is kept of it: the class of its address and its user agent, never the address. Few senders ping often, so both are remembered for a while. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AddressClass } from '../../../schemas/generated/events.ts'
import { cut } from '../readers.ts'
import { redact } from './redact.ts'

const MOST_AGENT = 200
const MOST_KEPT = 5000

function remembered<T>(make: (text: string) => T): (text: string) => T {
  let kept = new Map<string, T>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    if (kept.size >= MOST_KEPT) kept = new Map()
    const made = make(text)
    kept.set(text, made)
    return made
  }
}

const PRIVATE = new Set(['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat'])

/** An IPv4 address inside an IPv6 one counts as IPv4. */
export const classOf = remembered((address: string): AddressClass => {
  if (isIP(address) === 0) return 'unknown'
  const range = ipaddr.process(address).range()
  if (range === 'loopback') return 'loopback'
  if (PRIVATE.has(range)) return 'private'
  return range === 'unicast' ? 'public' : 'unknown'
})

/** In one form: without zeros that say nothing, an IPv4 address inside an IPv6 one as IPv4. */
const plainForm = remembered((address: string): string => (isIP(address) === 0 ? address : ipaddr.process(address).toString()))

/** A proxy of ours stands on this machine or network and says whom it speaks for, last in X-Forwarded-For. Both as they came. */
export function senderAddress(peer: string, forwarded: string): string {
  const near = forwarded === '' ? 'unknown' : classOf(peer)
  const behind = near === 'loopback' || near === 'private'
  return plainForm(behind ? forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() : peer)
}

export const senderClass = (peer: string, forwarded: string): AddressClass => classOf(senderAddress(peer, forwarded))

/** null without one. */
export function agentOf(header: string): string | null {
  return header === '' ? null : agent(header.slice(0, MOST_AGENT * 2))
}
const agent = remembered((text: string): string => cut(redact(text), MOST_AGENT))
