/** Queries and actions for silences by a pattern, with a preview of what one would match. */
import { queryOptions } from '@tanstack/react-query'
import type { SilenceState } from '../../../schemas/http/silence-words.ts'
import { client, take } from './client.ts'
import type { NewSilence, Silence, SilenceChange, SilencePreview } from './shapes.ts'

/** Polling interval: silences begin and end by themselves, without a frame. */
const AGAIN_MS = 30_000
export const SILENCES_PER_PAGE = 50

/** Silences that begin last come first. An empty `states` means all states. */
export const silencesQuery = (states: readonly SilenceState[], page = 1) =>
  queryOptions({
    queryKey: ['silences', 'list', states, page],
    queryFn: ({ signal }) => {
      const query = { page, per_page: SILENCES_PER_PAGE, ...(states.length > 0 && { state: [...states] }) }
      return take(client.GET('/api/v1/silences', { params: { query }, signal }))
    },
    refetchInterval: AGAIN_MS
  })

export const silenceQuery = (id: string) =>
  queryOptions({
    queryKey: ['silences', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/silences/{id}', { params: { path: { id } }, signal }))
  })

/** A change applies only if the version is still the one that its author saw. */
const ofSeen = ({ id, version }: Pick<Silence, 'id' | 'version'>) => ({
  params: { path: { id } },
  headers: { 'if-match': `"${version}"` }
})

export const createSilence = async (body: NewSilence): Promise<Silence> =>
  (await take(client.POST('/api/v1/silences', { body }))) as Silence
export const changeSilence = (silence: Pick<Silence, 'id' | 'version'>, body: SilenceChange): Promise<Silence> =>
  take(client.PATCH('/api/v1/silences/{id}', { ...ofSeen(silence), body }))
export const expireSilence = (silence: Pick<Silence, 'id' | 'version'>) => take(client.DELETE('/api/v1/silences/{id}', ofSeen(silence)))

/**
 * `asked`: the matchers as JSON; null: no preview was requested. The comment and the end do not
 * affect the preview.
 */
export const previewQuery = (asked: string | null) =>
  queryOptions({
    queryKey: ['silences', 'preview', asked],
    queryFn: async ({ signal }): Promise<SilencePreview> => {
      const ends_at = new Date(Date.now() + 3_600_000).toISOString()
      const body = { matchers: JSON.parse(asked ?? '[]') as NewSilence['matchers'], comment: 'preview', ends_at }
      return (await take(client.POST('/api/v1/silences', { params: { query: { preview: true } }, body, signal }))) as SilencePreview
    },
    enabled: asked !== null,
    retry: false
  })
