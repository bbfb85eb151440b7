/**
 * Decides which of a region's probers checks a monitor, by rendezvous hashing over the live list.
 * Among the probers that know the type, the one with the highest score of (instance, monitor)
 * checks it. So a change of the list moves only the shares of the probers that came or went. Pure.
 * Siblings of any version must agree, so the hash is part of the protocol: cyrb53 over
 * `<instance_id>\n<monitor_id>`.
 * Source: docs/design/api/prober.md#s16, #pr-1.
 */
import { hash53 } from '../checks/slots.ts'

export interface Sibling {
  instance_id: string
  kinds: readonly string[]
}

/**
 * Returns the instance that checks the monitor; null if no live prober knows its type. Among equal
 * scores, the name that sorts last wins.
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
 * Whether the instance checks the monitor. If no prober of the region knows the type, one of them
 * still owns the monitor and reports that.
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
