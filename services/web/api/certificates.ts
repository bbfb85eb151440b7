/** Certificates that monitors see, the one that ends first on top. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'

/** No frame tells of them, and they change slowly. */
const AGAIN_MS = 60_000
export const CERTIFICATES_PER_PAGE = 50
/** Days before its end from which on a certificate stands out; from the second on it is late. */
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
  // Of one letter the api finds nothing.
  ...(q !== undefined && q.length >= 2 && { q })
})

export const certificatesQuery = (filter: CertificatesFilter) =>
  queryOptions({
    queryKey: ['certificates', 'list', filter],
    queryFn: ({ signal }) => take(client.GET('/api/v1/certificates', { params: { query: asked(filter, CERTIFICATES_PER_PAGE) }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS
  })

/** How many there are, and how many of them end soon. */
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
