/** Queries and actions for private locations. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { LocationChange, NewLocation } from './shapes.ts'

const PER_PAGE = 200
/** Polling interval: a person waits to see a prober that has just started. */
const AGAIN_MS = 5_000

export const locationsQuery = queryOptions({
  queryKey: ['locations', 'list'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/private-locations', { params: { query: { per_page: PER_PAGE } }, signal })),
  refetchInterval: AGAIN_MS
})

const of = (id: string) => ({ params: { path: { id } } })

export const createLocation = (body: NewLocation) => take(client.POST('/api/v1/private-locations', { body }))
export const changeLocation = (id: string, body: LocationChange) =>
  take(client.PATCH('/api/v1/private-locations/{id}', { ...of(id), body }))
export const deleteLocation = (id: string) => take(client.DELETE('/api/v1/private-locations/{id}', of(id)))
export const rotateLocationToken = (id: string) => take(client.POST('/api/v1/private-locations/{id}/rotate-token', of(id)))
export const revokeLocationToken = (id: string) => take(client.POST('/api/v1/private-locations/{id}/revoke-token', of(id)))

/** Private locations also appear as regions and count toward a limit. */
export const readLocationsAgain = async (queries: QueryClient): Promise<void> => {
  await Promise.all(['locations', 'regions', 'usage'].map((resource) => queries.invalidateQueries({ queryKey: [resource] })))
}
