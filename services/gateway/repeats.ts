/**
 * Frames that were published already: the relay sends again what it could not delete in time, with
 * the same aggregate and `ver`.
 *
 * Per aggregate and audience the highest `ver` seen counts (one change may tell two audiences two
 * things); what is not higher is a repeat. An aggregate is remembered for at least `spanMs` after
 * it was last heard of, or until `max` others were heard of since. Two generations do that: when
 * the younger is full or old enough it becomes the older, whose entries move over again when they
 * are asked for.
 */
export interface Repeats {
  /** True for a repeat; else it is remembered. `now` in ms, from a clock that does not jump. */
  seen(headers: Readonly<Record<string, string>>, now: number): boolean
}

export function createRepeats({ spanMs = 300_000, max = 100_000 }: { spanMs?: number; max?: number } = {}): Repeats {
  let young = new Map<string, number>()
  let old = new Map<string, number>()
  let turnedAt = Number.NEGATIVE_INFINITY
  return {
    seen({ aggregate, ver, audience = '' }, now) {
      const version = Number(ver)
      // A hint (a ping's frame) belongs to no aggregate: each counts.
      if (!aggregate || ver === undefined || !Number.isFinite(version)) return false
      if (young.size >= max || now - turnedAt >= spanMs) {
        old = young
        young = new Map()
        turnedAt = now
      }
      const key = `${aggregate} ${audience}`
      const last = young.get(key) ?? old.get(key)
      young.set(key, Math.max(last ?? version, version))
      return last !== undefined && version <= last
    }
  }
}
