/** Parts of a page that come from several answers are drawn at once: none pushes another down. */
import type { UseQueryResult } from '@tanstack/react-query'

/** Whether the first answer to any of these is on its way. What fails is not waited for. */
export const stillComes = (...asked: readonly Pick<UseQueryResult, 'isLoading' | 'failureCount'>[]): boolean =>
  asked.some(({ isLoading, failureCount }) => isLoading && failureCount === 0)
