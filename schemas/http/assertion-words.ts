/** Words for assertions, used in the message of a failed check and in forms. */
import type { AssertionOp } from './check-config.ts'

/** The words for each operator, as they stand between a source and a value. */
export const opWords: Readonly<Record<AssertionOp, string>> = {
  eq: 'equals',
  ne: 'differs from',
  gt: 'is above',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
  in: 'is one of',
  not_in: 'is none of',
  contains: 'contains',
  not_contains: 'does not contain',
  matches: 'matches',
  not_matches: 'does not match',
  exists: 'exists',
  not_exists: 'does not exist',
  empty: 'is empty',
  not_empty: 'is not empty',
  len_eq: 'has the length',
  len_gt: 'is longer than',
  len_lt: 'is shorter than'
}
