/** Parses the address of the list and turns it into the query to the api. */
import { channelEvents, deliveryStates, noticeEvents } from '../../../../schemas/http/notification-words.ts'
import type { LedgerQuery } from '../../api/shapes.ts'
import { idOf, textOf, wordOf, wordsOf } from '../../search.ts'

export const events = [...channelEvents, ...noticeEvents, 'test'] as const
export const spans = ['day', 'week', 'month'] as const
export type Span = (typeof spans)[number]

/**
 * The states offered in the filter. The remaining ones only mean that a delivery is in progress.
 */
export const shownStates = ['delivered', 'sent', 'retrying', 'failed', 'expired', 'suppressed'] as const

const DAY_MS = 86_400_000
const days: Readonly<Record<Span, number>> = { day: 1, week: 7, month: 30 }

export interface DeliveriesSearch {
  state?: (typeof deliveryStates)[number][] | undefined
  event?: (typeof events)[number] | undefined
  kind?: string | undefined
  channel_id?: string | undefined
  incident_id?: string | undefined
  user_id?: string | undefined
  span?: Span | undefined
}

export function deliveriesSearch(search: Record<string, unknown>): DeliveriesSearch {
  const state = wordsOf(search.state, deliveryStates)
  return {
    state: state.length > 0 ? state : undefined,
    event: wordOf(search.event, events),
    kind: textOf(search.kind)?.slice(0, 40),
    channel_id: idOf(search.channel_id),
    incident_id: idOf(search.incident_id),
    user_id: idOf(search.user_id),
    span: wordOf(search.span, spans)
  }
}

/**
 * Returns the query to the api. `now` is in epoch ms and is rounded down to whole minutes, so that
 * the same list keeps the same query.
 */
export function toQuery(search: DeliveriesSearch, kinds: readonly string[], now: number): LedgerQuery {
  const { state, event, kind, channel_id, incident_id, user_id, span } = search
  const minute = Math.floor(now / 60_000) * 60_000
  return {
    ...(state && { state }),
    ...(event && { event: [event] }),
    ...(kind !== undefined && kinds.includes(kind) && { kind: [kind] as NonNullable<LedgerQuery['kind']> }),
    ...(channel_id && { channel_id }),
    ...(incident_id && { incident_id }),
    ...(user_id && { user_id }),
    ...(span && { from: new Date(minute - days[span] * DAY_MS).toISOString() })
  }
}

export const isNarrowed = (search: DeliveriesSearch): boolean => Object.values(search).some((value) => value !== undefined)
