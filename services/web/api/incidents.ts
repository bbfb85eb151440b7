/** Queries that the incident pages need beside the lists, and actions on an incident. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Done } from '../pages/incidents/undo-steps.ts'
import { tellRefused } from '../parts/tell.ts'
import { statesText } from '../texts/states.ts'
import { client, take } from './client.ts'
import { useSession } from './session.ts'
import type { BulkAction, BulkAnswer, Incident, IncidentChange, IncidentComment, NewIncident, TimelineItem } from './shapes.ts'
import { show, showAcknowledged, shownEarly } from './shown-early.ts'

const PER_PAGE = 200
/**
 * Most pages of changes or comments, 5,000 entries. An incident with more is caused by a fault in
 * its sender.
 */
const PAGES_MOST = 25

async function allOf<Item>(read: (cursor?: string) => Promise<{ items: Item[]; next_cursor: string | null }>): Promise<Item[]> {
  const found: Item[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MOST; page++) {
    const { items, next_cursor } = await read(cursor)
    found.push(...items)
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return found
}

/** The query of one page; the first page has no cursor. */
const after = (cursor: string | undefined) => ({ per_page: PER_PAGE, ...(cursor !== undefined && { cursor }) })

/** Oldest first. `id` is the incident's id, which frames use, not its key. */
export const timelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['incidents', 'one', id, 'timeline'],
    queryFn: ({ signal }) =>
      allOf<TimelineItem>((cursor) =>
        take(client.GET('/api/v1/incidents/{id}/timeline', { params: { path: { id }, query: after(cursor) }, signal }))
      )
  })

/** Oldest first. */
export const commentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['incidents', 'one', id, 'comments'],
    queryFn: ({ signal }) =>
      allOf<IncidentComment>((cursor) =>
        take(client.GET('/api/v1/incidents/{id}/comments', { params: { path: { id }, query: after(cursor) }, signal }))
      )
  })

type Body = Record<string, unknown>
const of = (id: string) => ({ params: { path: { id } } })

/** The request is sent even if the page closes a moment later. */
export const acknowledge = (id: string, body: { comment?: string | null }): Promise<Incident> =>
  take(client.POST('/api/v1/incidents/{id}/acknowledge', { ...of(id), body: body as Body, keepalive: true }))
export const unacknowledge = (id: string, body: { reason: string | null }): Promise<Incident> =>
  take(client.POST('/api/v1/incidents/{id}/unacknowledge', { ...of(id), body }))
export const edit = (id: string, body: IncidentChange): Promise<Incident> =>
  take(client.PATCH('/api/v1/incidents/{id}', { ...of(id), body }))
export const resolve = (id: string, body: { note: string | null; until_recovered: boolean }): Promise<Incident> =>
  take(client.POST('/api/v1/incidents/{id}/resolve', { ...of(id), body }))
export const silence = (id: string, body: { duration_minutes: number; reason: string | null }): Promise<Incident> =>
  take(client.POST('/api/v1/incidents/{id}/silence', { ...of(id), body }))
export const unsilence = (id: string): Promise<Incident> => take(client.DELETE('/api/v1/incidents/{id}/silence', of(id)))
export const close = (id: string, body: { note: string | null }): Promise<Incident> =>
  take(client.POST('/api/v1/incidents/{id}/close', { ...of(id), body }))
export const assign = (id: string, body: { user_id: string | null } | { schedule_id: string | null }): Promise<Incident> =>
  take(client.POST('/api/v1/incidents/{id}/assign', { ...of(id), body }))
export const openWarRoom = (id: string, body: { channel_id: string }) =>
  take(client.POST('/api/v1/incidents/{id}/war-room', { ...of(id), body }))
export const comment = (id: string, body: { body: string }): Promise<IncidentComment> =>
  take(client.POST('/api/v1/incidents/{id}/comments', { ...of(id), body }))
export const deleteComment = (id: string, cid: string) =>
  take(client.DELETE('/api/v1/incidents/{id}/comments/{cid}', { params: { path: { id, cid } } }))
/** Runs one action on many incidents. The answer lists successes and failures separately. */
export const actOnMany = (body: BulkAction): Promise<BulkAnswer> => take(client.POST('/api/v1/incidents/bulk', { body }))
export const declare = (body: NewIncident): Promise<Incident> => take(client.POST('/api/v1/incidents', { body }))

/**
 * Offers to undo an action for a while. The action itself is already done: if the offer's code does
 * not load, only the offer is missing, and the next action tries again.
 */
export function useOfferUndo(): (done: Done) => void {
  const queries = useQueryClient()
  return (done) =>
    void import('../pages/incidents/undo.tsx').then(
      ({ offerUndo }) => offerUndo(queries, done),
      () => undefined
    )
}

/**
 * Returns a function for the server's answer to an action: it shows the incident at once, then
 * reads everything about incidents and alerts again.
 */
export function useShow(): (incident: Incident) => void {
  const queries = useQueryClient()
  return (incident) => {
    show(queries, incident)
    void queries.invalidateQueries({ queryKey: ['incidents'] })
    void queries.invalidateQueries({ queryKey: ['alerts'] })
  }
}

interface Acknowledged {
  incident: Incident
  comment?: string | null
}

/**
 * Acknowledges at once in the shown data, and undoes it with the reason if the server refuses. The
 * server's answer then replaces the incident, and its timeline is read again. Lists and counts are
 * read again by the frame that follows (live/frames.ts).
 */
export function useAcknowledge() {
  const queries = useQueryClient()
  const { user } = useSession()
  const offerUndo = useOfferUndo()
  const again = useRef<(asked: Acknowledged) => void>(() => undefined)
  const acknowledging = useMutation({
    mutationFn: ({ incident, comment = null }: Acknowledged) => acknowledge(incident.id, { comment }),
    onMutate: async ({ incident }) => {
      // Running requests would bring back the incident as it was. They are cancelled and sent again
      // at the end.
      const asked = queries
        .getQueryCache()
        .findAll({ predicate: shownEarly, fetchStatus: 'fetching' })
        .map(({ queryKey }) => queryKey)
      await queries.cancelQueries({ predicate: shownEarly })
      // Without a network the request will fail: nobody should believe even for a moment that they
      // have taken the incident.
      const shows = incident.dashboard_state === 'Triggered' && navigator.onLine
      const takeBack = shows ? showAcknowledged(queries, incident, user ? `user:${user.id}` : null, Date.now()) : null
      return { takeBack, asked }
    },
    onError: (error, asked, context) => {
      context?.takeBack?.()
      // The request may have reached the service although its answer did not come.
      void queries.invalidateQueries({ queryKey: ['incidents'] })
      tellRefused(statesText('refused.acknowledge', { key: asked.incident.key }), error, () => again.current(asked))
    },
    onSuccess: (incident, { incident: before }) => {
      show(queries, incident)
      void queries.invalidateQueries({ queryKey: timelineQuery(incident.id).queryKey })
      offerUndo({ action: 'acknowledge', before: [before] })
    },
    onSettled: (_incident, _error, _asked, context) => {
      for (const queryKey of context?.asked ?? []) void queries.invalidateQueries({ queryKey, exact: true })
    }
  })
  again.current = acknowledging.mutate
  return acknowledging
}
