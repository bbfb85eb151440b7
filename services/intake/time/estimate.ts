/**
 * Which time a door stamps with, and which clock is odd: pure. All times are ms.
 *
 * A door asks Postgres for its time, and sees when the broker appended what it produces. Each
 * answer says how far that clock is from the door's monotonic one (which never jumps), give or take
 * half the round trip. So a jump of the door's wall clock changes nothing of it.
 *
 *   Postgres and broker        the door's wall clock      stamps with     odd
 *   within 1 s of each other   within 1 s of both         Postgres's      none
 *   within 1 s of each other   more than 1 s off          Postgres's      door
 *   apart                      within 1 s of Postgres     its own         broker
 *   apart                      within 1 s of the broker   its own         postgres
 *   apart                      near neither               its own         unknown
 *   one is not known           any                        its own         none
 * Within: so the bounds of both errors say. Apart, off: so they say as well. In between nothing is
 * odd, and the door stamps with its own.
 * Source: docs/design/architecture.md#s6-time, docs/decisions/0049-doors-measure-their-clock.md.
 */

/** One clock, as last seen. */
export interface Sample {
  /** That clock minus the monotonic one. */
  offset: number
  /** Half the round trip: the offset is right to so much. */
  error: number
  /** Monotonic instant. */
  at: number
}

export type Odd = 'none' | 'door' | 'postgres' | 'broker' | 'unknown'

export interface Judged {
  /** To add to the monotonic clock; null: the door stamps with its own. */
  offset: number | null
  odd: Odd
}

/** Clocks that differ by no more agree. */
export const AGREE_MS = 1000
/** An answer that took twice as long says too little. */
const MAX_ERROR_MS = 400
/** A good sample stands for so long against a less exact one. */
const STANDS_MS = 30_000
/** Postgres is asked every 5 s; a sample of before an outage says nothing of now. */
export const POSTGRES_KNOWN_MS = 30_000
/** The broker is seen with every append: doors may have nothing to append for a while. */
export const BROKER_KNOWN_MS = 600_000

/** `theirs`: what that clock read between the two monotonic instants. */
export const sampleOf = (theirs: number, asked: number, answered: number): Sample => ({
  offset: theirs - (asked + answered) / 2,
  error: (answered - asked) / 2,
  at: answered
})

/** Which of the two is kept: the more exact one, unless it is old or that clock was set since. */
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

/** A jump of the wall clock against the monotonic one between two looks. */
export const STEP_MS = 250
export const isStep = (wallBefore: number, wall: number): boolean => Math.abs(wall - wallBefore) > STEP_MS
