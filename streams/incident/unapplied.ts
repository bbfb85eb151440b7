/**
 * Why a signal changed nothing, kept beside its key: the row of an inbound key remembers, from the
 * first signal that was not applied on, how the signals since then were accepted. A page that lists
 * alerts looks their offsets up in it.
 *
 * Runs of one word are one entry, so a storm of repeats costs one; the newest 16 are kept. A key
 * whose signals were all applied has none.
 */
import type { Signal } from './rules.ts'

export type Accepted = Signal['accepted_as']

/** Accepted so: the signals of the key from this offset of its partition to that one. */
export type Run = readonly [accepted_as: Accepted, from: number, to: number]

export const MAX_RUNS = 16

/**
 * The runs after a signal at `offset`; null: none yet. Offsets that go back are those of a new log.
 */
export function runsAfter(before: readonly Run[] | null, accepted_as: Accepted, offset: number): readonly Run[] | null {
  const last = before?.at(-1)
  const runs = last && last[2] >= offset ? null : before
  if (!runs) return accepted_as === 'applied' ? null : [[accepted_as, offset, offset]]
  if (last?.[0] === accepted_as) return [...runs.slice(0, -1), [accepted_as, last[1], offset]]
  return [...runs, [accepted_as, offset, offset] as const].slice(-MAX_RUNS)
}

/**
 * How the signal at `offset` was accepted; null: not decided yet, or no longer known.
 * `isSeen`: the key has seen a signal as late as it.
 */
export function acceptedAt(runs: readonly Run[] | null, offset: number, isSeen: boolean): Accepted | null {
  const [first] = runs ?? []
  if (!runs || !first) return isSeen ? 'applied' : null
  if (offset < first[1]) return runs.length < MAX_RUNS ? 'applied' : null
  return runs.find(([, from, to]) => from <= offset && offset <= to)?.[0] ?? null
}
