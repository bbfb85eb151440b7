/**
 * Finds frames that were already published: the relay sends records again when it could not delete
 * their rows in time, with the same aggregate and `ver`.
 *
 * It remembers the highest `ver` for each aggregate and audience (one change may tell two audiences
 * two things). A frame whose `ver` is not higher is a repeat. An aggregate is remembered for at
 * least `spanMs` after it was last seen, or until `max` others were seen since. There are two
 * generations: when the younger one is full or old enough, it becomes the older one, and entries of
 * the older one move to the younger one when they are asked for.
 */
export interface Repeats {
  /**
   * Returns true for a repeat; otherwise remembers the frame. `now` in ms, from a clock that does
   * not jump.
   */
  seen(headers: Readonly<Record<string, string>>, now: number): boolean
}

export function createRepeats({ spanMs = 300_000, max = 100_000 }: { spanMs?: number; max?: number } = {}): Repeats {
  let young = new Map<string, number>()
  let old = new Map<string, number>()
  let turnedAt = Number.NEGATIVE_INFINITY
  return {
    seen({ aggregate, ver, audience = '' }, now) {
      const version = Number(ver)
      // A hint (the frame of a ping) belongs to no aggregate, so it is never a repeat.
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
