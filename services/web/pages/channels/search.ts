/** Parses the addresses of the channel pages. */
import { type InstallProblem, installProblems } from '../../../../schemas/http/chat-words.ts'
import { channelEvents } from '../../../../schemas/http/notification-words.ts'
import type { ChannelQuery, NotificationChannel } from '../../api/shapes.ts'
import { pageOf, textOf, wordOf, wordsOf } from '../../search.ts'

export const PER_PAGE = 50
export const healths = ['failing', 'disabled'] as const

type Kind = NotificationChannel['kind']

export interface ChannelsSearch {
  q?: string | undefined
  kind?: string | undefined
  health?: (typeof healths)[number][] | undefined
  off?: 'yes' | undefined
  page?: number | undefined
}

export function channelsSearch(search: Record<string, unknown>): ChannelsSearch {
  const health = wordsOf(search.health, healths)
  return {
    q: textOf(search.q)?.slice(0, 100),
    kind: textOf(search.kind)?.slice(0, 40),
    health: health.length > 0 ? health : undefined,
    off: wordOf(search.off, ['yes'] as const),
    page: pageOf(search.page)
  }
}

/**
 * Returns the query to the api. A kind that is not in `known` is ignored, so that an old address
 * still opens.
 */
export function toQuery({ q, kind, health, off, page = 1 }: ChannelsSearch, known: readonly Kind[]): ChannelQuery {
  const of = known.find((one) => one === kind)
  return {
    page,
    per_page: PER_PAGE,
    ...(q !== undefined && { q }),
    ...(of && { kind: [of] }),
    ...(health && { health }),
    ...(off && { enabled: false })
  }
}

export const isNarrowed = ({ q, kind, health, off }: ChannelsSearch): boolean =>
  q !== undefined || kind !== undefined || health !== undefined || off !== undefined

export interface NewChannelSearch {
  kind?: string
  q?: string
  /** Why the app of this kind could not be added. */
  problem?: InstallProblem
}

export const newChannelSearch = (search: Record<string, unknown>): NewChannelSearch => {
  const kind = textOf(search.kind)
  const q = textOf(search.q)
  const problem = wordOf(search.problem, installProblems)
  return { ...(kind && { kind }), ...(q && { q }), ...(problem && { problem }) }
}

export interface ChannelWordsSearch {
  event?: (typeof channelEvents)[number]
}

export const channelWordsSearch = (search: Record<string, unknown>): ChannelWordsSearch => {
  const event = wordOf(search.event, channelEvents)
  return event ? { event } : {}
}
