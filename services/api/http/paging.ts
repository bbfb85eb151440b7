/**
 * Reads which page of a list was asked for.
 * Source: docs/design/api.md#s1-2.
 */
import type { Page } from '../../../schemas/http/common.ts'
import { ApiError } from './errors.ts'

const DEEPEST = 10_000

/** Throws PAGE_TOO_DEEP beyond 10,000 rows. */
export function pageOf({ page = 1, per_page = 50 }: { page?: number; per_page?: number }): Page {
  if (page * per_page > DEEPEST) throw new ApiError('PAGE_TOO_DEEP', `Lists are paged down to row ${DEEPEST}. Use more filters`)
  return { page, per_page }
}
