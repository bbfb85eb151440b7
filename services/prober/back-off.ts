/**
 * How long to wait before the next request to a service that is away: doubles from 0.5 s to 15 s.
 * Jitter keeps the probers of a region from returning all at once.
 */
const FIRST_MS = 500
const MAX_MS = 15_000

/**
 * `failures`: failures in a row, from 1; `random`: from 0 to 1. Returns milliseconds between half
 * of the step and the whole step.
 */
export function backOff(failures: number, random: number): number {
  const step = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10))
  return step / 2 + (step / 2) * random
}
