/**
 * Shows parts of a page that come from several answers all at once, so that none pushes another
 * down.
 */
import type { UseQueryResult } from '@tanstack/react-query'

/**
 * Whether the first answer of any of these queries is still on its way. A failed query is not
 * waited for.
 */
export const stillComes = (...asked: readonly Pick<UseQueryResult, 'isLoading' | 'failureCount'>[]): boolean =>
  asked.some(({ isLoading, failureCount }) => isLoading && failureCount === 0)
