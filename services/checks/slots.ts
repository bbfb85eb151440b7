/**
 * Computes when a monitor is checked, and the id of a check. The api and the probers must agree on
 * both. Pure: instants are epoch ms that the caller reads.
 *
 * Slots of a monitor: every instant with `instant mod interval = hash53(monitor_id) mod interval`,
 * counted from the epoch. So load is even over the interval, and siblings, other regions and
 * replays agree on every slot without asking each other. After a change of the interval, the next
 * slot is that of the new rhythm. `seq` of a result is its slot. `check_id` is UUIDv5 with the
 * monitor's id as namespace and `<region>\n<scheduled_at in epoch ms>` as name.
 * Source: docs/design/api/prober.md#s16, #pr-2.
 */
import { uuidv5 } from '../../schemas/uuid.ts'

/**
 * cyrb53: 53 bits of two multiplicative lanes over UTF-16 units. No secret depends on it. It must
 * be evenly distributed and cheap (a change of the list hashes every monitor).
 */
export function hash53(text: string): number {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 2654435761)
    high = Math.imul(high ^ unit, 1597334677)
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return 4294967296 * (2097151 & high) + (low >>> 0)
}

export function slotOffset(monitorId: string, intervalMs: number): number {
  return hash53(monitorId) % intervalMs
}

/** Returns the first slot after `instant`. */
export function nextSlot(instant: number, intervalMs: number, offset: number): number {
  return Math.floor((instant - offset) / intervalMs + 1) * intervalMs + offset
}

export function checkId(monitorId: string, region: string, scheduledAt: number): string {
  return uuidv5(monitorId, `${region}\n${scheduledAt}`)
}
