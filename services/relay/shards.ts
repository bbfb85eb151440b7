/**
 * Manages which shards this relay sends. It takes its fair share when shards are free, and releases
 * some when there are more relays than before.
 *
 * When the last holder did not release a shard cleanly, the shard is held but not read for
 * `handoverMs`. By then nothing that the last holder sent can still be on its way (an append is
 * given up after 5 s). Instants are of performance.now(): a step of the wall clock must neither
 * lengthen a wait nor end it. The locks belong to the session: when the session ends, this object
 * owns nothing any more.
 */

import type { HeldSession } from '../store/held-session.ts'
import { announceRelay, releaseShards, SHARDS, surveyRelays, takeShard } from '../store/relay-shards.ts'

export interface Shards {
  /**
   * Takes and releases shards. `clean`: nothing that this relay sent can still be on its way, so
   * the shards that it releases may be read at once.
   */
  balance(now: number, clean: boolean): Promise<void>
  /** Shards that are held and past their wait at `now`. */
  readable(now: number): number[]
  held(): number[]
  /** When the next shard becomes readable; null when none waits. */
  nextAt(now: number): number | null
  release(clean: boolean): Promise<void>
}

export async function createShards(session: HeldSession, options: { instance: string; handoverMs: number }): Promise<Shards> {
  const readableAt = new Map<number, number>()
  await session.ask(announceRelay)

  async function release(shards: number[], clean: boolean): Promise<void> {
    if (shards.length === 0) return
    for (const shard of shards) readableAt.delete(shard)
    await session.ask((tx) => releaseShards(tx, shards, clean))
  }

  return {
    async balance(now, clean) {
      const { relays, held } = await session.ask(surveyRelays)
      const share = Math.ceil(SHARDS / Math.max(relays, 1))
      if (readableAt.size > share) {
        // A shard that still waits because of its last holder must not be released as clean: it
        // stays unclean.
        const surplus = [...readableAt.keys()].slice(share)
        const waiting = surplus.filter((shard) => (readableAt.get(shard) ?? 0) > now)
        await release(waiting, false)
        await release(
          surplus.filter((shard) => !waiting.includes(shard)),
          clean
        )
        return
      }
      for (let shard = 0; shard < SHARDS && readableAt.size < share; shard++) {
        if (held.has(shard)) continue
        const taken = await session.ask((tx) => takeShard(tx, shard, options.instance))
        if (taken) readableAt.set(shard, taken.clean ? now : now + options.handoverMs)
      }
    },
    readable: (now) => [...readableAt].filter(([, at]) => at <= now).map(([shard]) => shard),
    held: () => [...readableAt.keys()],
    nextAt(now) {
      const waits = [...readableAt.values()].filter((at) => at > now)
      return waits.length > 0 ? Math.min(...waits) : null
    },
    async release(clean) {
      const now = performance.now()
      const waiting = [...readableAt].filter(([, at]) => at > now).map(([shard]) => shard)
      await release(waiting, false)
      await release([...readableAt.keys()], clean)
    }
  }
}
