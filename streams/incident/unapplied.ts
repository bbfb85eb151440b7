/**
 * Remembers which signals changed nothing, and why. From the first signal that was not applied, the
 * row of an inbound key keeps how each signal since then was accepted. A page that lists alerts
 * looks their offsets up in it.
 *
 * Consecutive signals that were accepted in the same way are one entry (a run), so a storm of
 * repeats costs one. The newest 16 runs are kept. A key whose signals were all applied has none.
 */
import type { Signal } from './rules.ts'

export type Accepted = Signal['accepted_as']

/**
 * The signals of the key from one offset of its partition to another, all accepted in the same way.
 */
export type Run = readonly [accepted_as: Accepted, from: number, to: number]

export const MAX_RUNS = 16

/**
 * Returns the runs after a signal at `offset`; null: none yet. If offsets go back, the log is new,
 * and the old runs are dropped.
 */
export function runsAfter(before: readonly Run[] | null, accepted_as: Accepted, offset: number): readonly Run[] | null {
  const last = before?.at(-1)
  const runs = last && last[2] >= offset ? null : before
  if (!runs) return accepted_as === 'applied' ? null : [[accepted_as, offset, offset]]
  if (last?.[0] === accepted_as) return [...runs.slice(0, -1), [accepted_as, last[1], offset]]
  return [...runs, [accepted_as, offset, offset] as const].slice(-MAX_RUNS)
}

/**
 * Returns how the signal at `offset` was accepted; null: not decided yet, or no longer known.
 * `isSeen`: the key has seen a signal that is at least as late.
 */
export function acceptedAt(runs: readonly Run[] | null, offset: number, isSeen: boolean): Accepted | null {
  const [first] = runs ?? []
  if (!runs || !first) return isSeen ? 'applied' : null
  if (offset < first[1]) return runs.length < MAX_RUNS ? 'applied' : null
  return runs.find(([, from, to]) => from <= offset && offset <= to)?.[0] ?? null
}
