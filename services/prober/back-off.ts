/**
 * How long to wait before asking again a service that is away: doubling from 0.5 s to 15 s, each
 * with jitter, so that a region does not return as one.
 */
const FIRST_MS = 500
const MAX_MS = 15_000

/**
 * `failures` in a row, from 1; `random` from 0 to 1. Milliseconds between half and the whole of the
 * step.
 */
export function backOff(failures: number, random: number): number {
  const step = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10))
  return step / 2 + (step / 2) * random
}
