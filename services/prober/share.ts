/**
 * Which of a region's probers checks a monitor: rendezvous hashing over the live list. Of those
 * that know the type, the one with the highest score of (instance, monitor) checks it, so a change
 * of the list moves only the shares of whoever came or went. Pure; siblings of any version must
 * agree, so the hash is part of the protocol: cyrb53 over `<instance_id>\n<monitor_id>`. Source:
 * docs/design/api/prober.md#s16, #pr-1.
 */
import { hash53 } from '../checks/slots.ts'

export interface Sibling {
  instance_id: string
  kinds: readonly string[]
}

/**
 * The instance that checks the monitor; null when none of the live knows its type. Equal scores:
 * the name that sorts last.
 */
export function ownerOf(monitorId: string, type: string, live: readonly Sibling[]): string | null {
  let owner: string | null = null
  let best = -1
  for (const { instance_id: instance, kinds } of live) {
    if (!kinds.includes(type)) continue
    const score = hash53(`${instance}\n${monitorId}`)
    if (score > best || (score === best && owner !== null && instance > owner)) {
      best = score
      owner = instance
    }
  }
  return owner
}

/**
 * Whether the instance checks the monitor. A type that nobody of the region knows is reported by
 * one of them, rather than kept silent about.
 */
export function isOwn(instance: string, monitorId: string, type: string, live: readonly Sibling[]): boolean {
  const owner =
    ownerOf(monitorId, type, live) ??
    ownerOf(
      monitorId,
      '',
      live.map((sibling) => ({ ...sibling, kinds: [''] }))
    )
  return owner === instance
}
