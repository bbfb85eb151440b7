/**
 * Finds the server to ask about a domain, and reads from its answer when the registration ends.
 * Pure.
 */
import { rdapServers } from './rdap-servers.ts'

/** Returns the server for the longest known ending of the name; null if there is none. */
export function rdapServerOf(name: string, servers: ReadonlyMap<string, string> = rdapServers): string | null {
  const labels = name.split('.')
  // A registered domain has at least one label before its ending.
  for (let at = 1; at < labels.length; at++) {
    const server = servers.get(labels.slice(at).join('.'))
    if (server !== undefined) return server.endsWith('/') ? server : `${server}/`
  }
  return null
}

/**
 * Returns the end of the registration in epoch ms; null if the answer has none. Of several, the
 * earliest is that of the registry.
 */
export function expiryOf(answer: unknown): number | null {
  const { events } = (typeof answer === 'object' && answer !== null ? answer : {}) as { events?: unknown }
  const ends = (Array.isArray(events) ? events : []).flatMap((event: unknown) => {
    const { eventAction, eventDate } = (typeof event === 'object' && event !== null ? event : {}) as Record<string, unknown>
    const at = eventAction === 'expiration' && typeof eventDate === 'string' ? Date.parse(eventDate) : Number.NaN
    return Number.isNaN(at) ? [] : [at]
  })
  return ends.length === 0 ? null : Math.min(...ends)
}
