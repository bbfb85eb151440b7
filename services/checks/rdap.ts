/** Where to ask about a domain, and when its registration ends by the answer. Pure. */
import { rdapServers } from './rdap-servers.ts'

/** The server of the longest ending of the name; null: nobody tells. */
export function rdapServerOf(name: string, servers: ReadonlyMap<string, string> = rdapServers): string | null {
  const labels = name.split('.')
  // A registered domain has at least one label before its ending.
  for (let at = 1; at < labels.length; at++) {
    const server = servers.get(labels.slice(at).join('.'))
    if (server !== undefined) return server.endsWith('/') ? server : `${server}/`
  }
  return null
}

/** Epoch ms; null where the answer tells none. Of several the earliest: that of the registry. */
export function expiryOf(answer: unknown): number | null {
  const { events } = (typeof answer === 'object' && answer !== null ? answer : {}) as { events?: unknown }
  const ends = (Array.isArray(events) ? events : []).flatMap((event: unknown) => {
    const { eventAction, eventDate } = (typeof event === 'object' && event !== null ? event : {}) as Record<string, unknown>
    const at = eventAction === 'expiration' && typeof eventDate === 'string' ? Date.parse(eventDate) : Number.NaN
    return Number.isNaN(at) ? [] : [at]
  })
  return ends.length === 0 ? null : Math.min(...ends)
}
