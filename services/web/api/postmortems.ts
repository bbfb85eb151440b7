/** The postmortem of an incident. A write names the version that its author saw. */
import { queryOptions } from '@tanstack/react-query'
import { client, isGone, take } from './client.ts'
import type { Incident, Postmortem, PostmortemChange } from './shapes.ts'

/** Without `format` the answer is JSON, not text. */
export const readPostmortem = async (id: string, signal: AbortSignal | null = null): Promise<Postmortem> =>
  (await take(client.GET('/api/v1/incidents/{id}/postmortem', { params: { path: { id } }, signal }))) as Postmortem

/**
 * `id` is the incident's id, not its key. null: nobody has written one. As an error, that would
 * vanish with each new reading, and the form with it.
 */
export const postmortemQuery = (id: string) =>
  queryOptions({
    queryKey: ['postmortems', 'one', id],
    queryFn: async ({ signal }): Promise<Postmortem | null> => {
      try {
        return await readPostmortem(id, signal)
      } catch (error) {
        if (isGone(error)) return null
        throw error
      }
    },
    retry: false
  })

/**
 * `version` 0: no postmortem exists yet. With `keepalive` the request is sent even if the page
 * closes a moment later; browsers take at most 64 KB of text for that.
 */
export const writePostmortem = (id: string, version: number, body: PostmortemChange, keepalive = false): Promise<Postmortem> =>
  take(
    client.PUT('/api/v1/incidents/{id}/postmortem', {
      params: { path: { id } },
      headers: { 'if-match': `"${version}"` },
      body,
      keepalive
    })
  )

export const merge = (id: string, body: { into_id: string }): Promise<Incident> =>
  take(client.POST('/api/v1/incidents/{id}/merge', { params: { path: { id } }, body }))

export const markdownAddress = (id: string): string => `/api/v1/incidents/${id}/postmortem?format=md`
