/**
 * The index of the dead letters, which processors write (streams/runtime/dead-letter.ts). The
 * letters themselves are on dlq.v1 for 30 days.
 */
import { forget } from './forget.ts'
import type { Pool } from './pool.ts'

const KEPT_DAYS = 90

/** Deletes the entries of 90 days ago. Returns how many. */
export const forgetDeadLetters = (pool: Pool): Promise<number> =>
  forget(pool, 'dead_letters', 'x.at < now() - make_interval(days => $1)', [KEPT_DAYS])
