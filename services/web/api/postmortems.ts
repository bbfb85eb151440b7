/** The postmortem of an incident. Whoever writes names the version that they have seen. */
import { queryOptions } from '@tanstack/react-query'
import { client, take } from './client.ts'
import type { Incident, Postmortem, PostmortemChange } from './shapes.ts'

/** Without `format` the answer is no text. */
export const readPostmortem = async (id: string, signal: AbortSignal | null = null): Promise<Postmortem> =>
  (await take(client.GET('/api/v1/incidents/{id}/postmortem', { params: { path: { id } }, signal }))) as Postmortem

/** `id` is the incident's own. */
export const postmortemQuery = (id: string) =>
  queryOptions({
    queryKey: ['postmortems', 'one', id],
    queryFn: ({ signal }) => readPostmortem(id, signal),
    retry: false
  })

/** `version` 0: there is none yet. */
export const writePostmortem = (id: string, version: number, body: PostmortemChange): Promise<Postmortem> =>
  take(client.PUT('/api/v1/incidents/{id}/postmortem', { params: { path: { id } }, headers: { 'if-match': `"${version}"` }, body }))

export const merge = (id: string, body: { into_id: string }): Promise<Incident> =>
  take(client.POST('/api/v1/incidents/{id}/merge', { params: { path: { id } }, body }))

export const markdownAddress = (id: string): string => `/api/v1/incidents/${id}/postmortem?format=md`
