/** The person's saved views of lists. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { NewView, SavedView } from './shapes.ts'

/** All of them on one page: a person has at most 50. */
export const viewsQuery = queryOptions({
  queryKey: ['views', 'list'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/account/views', { params: { query: { per_page: 200 } }, signal }))
})

export const saveView = (body: NewView): Promise<SavedView> => take(client.POST('/api/v1/account/views', { body }))

export const deleteView = (id: string) => take(client.DELETE('/api/v1/account/views/{id}', { params: { path: { id } } }))
