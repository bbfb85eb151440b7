/**
 * Decides which time a door stamps with, and which clock is odd. Pure. All times are ms.
 *
 * A door asks Postgres for its time, and sees when the broker appended the door's records. Each
 * answer gives the difference between that clock and the door's monotonic clock (which never
 * jumps), to within half the round trip. So a jump of the door's wall clock does not affect it.
 *
 *   Postgres and broker        the door's wall clock      stamps with     odd
 *   within 1 s of each other   within 1 s of both         Postgres's      none
 *   within 1 s of each other   more than 1 s off          Postgres's      door
 *   apart                      within 1 s of Postgres     its own         broker
 *   apart                      within 1 s of the broker   its own         postgres
 *   apart                      near neither               its own         unknown
 *   one is not known           any                        its own         none
 *
 * Postgres and the broker are within 1 s, or apart, only if that holds for every value inside both
 * error bounds. In between, no clock is odd, and the door stamps with its own. The wall clock is
 * off, too, only if that holds for every value inside the error bound.
 *
 * Source: docs/design/architecture.md#s6-time, docs/decisions/0049-doors-measure-their-clock.md.
 */

/** The last measurement of one clock. */
export interface Sample {
  /** That clock minus the monotonic one. */
  offset: number
  /** Half the round trip: the offset is exact to within this. */
  error: number
  /** Monotonic instant. */
  at: number
}

export type Odd = 'none' | 'door' | 'postgres' | 'broker' | 'unknown'

export interface Judged {
  /** Added to the monotonic clock; null: the door stamps with its own wall clock. */
  offset: number | null
  odd: Odd
}

/** Clocks that differ by at most this agree. */
export const AGREE_MS = 1000
/** A sample with a larger error (a round trip of twice this) is too inexact to use. */
const MAX_ERROR_MS = 400
/** For this long, a good sample is kept when a less exact one arrives. */
const STANDS_MS = 30_000
/** Postgres is asked every 5 s. A sample from before an outage does not show the current time. */
export const POSTGRES_KNOWN_MS = 30_000
/** The broker is measured with every append, and a door may have nothing to append for a while. */
export const BROKER_KNOWN_MS = 600_000

/** `theirs`: the value of that clock between the two monotonic times. */
export const sampleOf = (theirs: number, asked: number, answered: number): Sample => ({
  offset: theirs - (asked + answered) / 2,
  error: (answered - asked) / 2,
  at: answered
})

/**
 * Returns the sample to keep: the more exact one, unless it is old or that clock was changed since.
 */
export function better(kept: Sample | null, next: Sample): Sample | null {
  if (next.error > MAX_ERROR_MS || next.error < 0) return kept
  if (kept === null || next.error <= kept.error || next.at - kept.at > STANDS_MS) return next
  return Math.abs(next.offset - kept.offset) > next.error + kept.error ? next : kept
}

const known = (sample: Sample | null, now: number, ms: number): Sample | null => (sample !== null && now - sample.at <= ms ? sample : null)

/** `wall`: the door's wall clock minus its monotonic one; `now`: monotonic. */
export function judge(postgres: Sample | null, broker: Sample | null, wall: number, now: number): Judged {
  const one = known(postgres, now, POSTGRES_KNOWN_MS)
  const other = known(broker, now, BROKER_KNOWN_MS)
  if (!one || !other) return { offset: null, odd: 'none' }
  const apart = Math.abs(one.offset - other.offset)
  const errors = one.error + other.error
  const isNear = ({ offset, error }: Sample): boolean => Math.abs(wall - offset) - error <= AGREE_MS
  if (apart + errors <= AGREE_MS) return { offset: one.offset, odd: isNear(one) && isNear(other) ? 'none' : 'door' }
  if (apart - errors <= AGREE_MS) return { offset: null, odd: 'none' }
  const [nearPostgres, nearBroker] = [isNear(one), isNear(other)]
  if (nearPostgres === nearBroker) return { offset: null, odd: nearPostgres ? 'none' : 'unknown' }
  return { offset: null, odd: nearPostgres ? 'broker' : 'postgres' }
}

/** Larger changes of the wall clock against the monotonic one between two checks are jumps. */
export const STEP_MS = 250
export const isStep = (wallBefore: number, wall: number): boolean => Math.abs(wall - wallBefore) > STEP_MS
