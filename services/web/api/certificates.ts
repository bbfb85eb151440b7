/** Certificates that monitors see, those that expire first on top. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'

/** Polling interval: no frame tells about certificates, and they change slowly. */
const AGAIN_MS = 60_000
export const CERTIFICATES_PER_PAGE = 50
/**
 * A certificate is highlighted from the first number of days before its end on. From the second on
 * it counts as late.
 */
export const ENDS_SOON_DAYS = 30
export const ENDS_NOW_DAYS = 7

export interface CertificatesFilter {
  within_days?: number
  team_id?: string
  q?: string
  page?: number
}

const asked = ({ within_days, team_id, q, page = 1 }: CertificatesFilter, per_page: number) => ({
  page,
  per_page,
  ...(within_days !== undefined && { within_days }),
  ...(team_id !== undefined && { team_id: [team_id] }),
  // The api finds nothing for a single letter.
  ...(q !== undefined && q.length >= 2 && { q })
})

export const certificatesQuery = (filter: CertificatesFilter) =>
  queryOptions({
    queryKey: ['certificates', 'list', filter],
    queryFn: ({ signal }) => take(client.GET('/api/v1/certificates', { params: { query: asked(filter, CERTIFICATES_PER_PAGE) }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS
  })

/** The number of certificates, and how many of them end soon. */
export const certificateCountsQuery = queryOptions({
  queryKey: ['certificates', 'counts'],
  queryFn: async ({ signal }) => {
    const counted = (filter: CertificatesFilter) =>
      take(client.GET('/api/v1/certificates', { params: { query: asked(filter, 1) }, signal }))
    const [all, soon] = await Promise.all([counted({}), counted({ within_days: ENDS_SOON_DAYS })])
    return { all: all.total, soon: soon.total }
  },
  refetchInterval: AGAIN_MS
})
