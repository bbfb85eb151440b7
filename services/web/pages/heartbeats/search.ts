/**
 * Parses the addresses of the heartbeat pages. The router loads this file at the start, so it
 * imports nothing large.
 */
import type { Heartbeat, Ping } from '../../api/shapes.ts'
import { idOf, textOf, wordOf, wordsOf } from '../../search.ts'

/** The worst first. */
export const phases = [
  'missed',
  'failed',
  'grace',
  'unknown',
  'running',
  'on_time',
  'waiting',
  'paused'
] as const satisfies readonly Heartbeat['phase'][]
export const sorts = ['name', 'last_ping', 'next_due'] as const
export const kinds = ['success', 'fail', 'exit', 'start', 'log'] as const satisfies readonly Ping['kind'][]
export const ways = ['curl', 'crontab', 'script', 'systemd', 'kubernetes', 'python', 'powershell'] as const

/**
 * The filters and the order of the list: phases (any of them matches), a tag, a team, a part of the
 * name. The worst come first unless `sort` says otherwise.
 */
export interface HeartbeatsSearch {
  phase?: (typeof phases)[number][] | undefined
  tag?: string | undefined
  team_id?: string | undefined
  q?: string | undefined
  sort?: (typeof sorts)[number] | undefined
}

export function heartbeatsSearch(search: Record<string, unknown>): HeartbeatsSearch {
  const phase = wordsOf(search.phase, phases)
  const tag = textOf(search.tag)
  const team_id = idOf(search.team_id)
  const q = textOf(search.q)
  const sort = wordOf(search.sort, sorts)
  return { ...(phase.length > 0 && { phase }), ...(tag && { tag }), ...(team_id && { team_id }), ...(q && { q }), ...(sort && { sort }) }
}

/** The kinds of pings shown in the log, and the way to ping whose commands are shown. */
export interface HeartbeatSearch {
  kind?: (typeof kinds)[number][] | undefined
  how?: (typeof ways)[number] | undefined
}

export function heartbeatTabs(search: Record<string, unknown>): HeartbeatSearch {
  const kind = wordsOf(search.kind, kinds)
  const how = wordOf(search.how, ways)
  return { ...(kind.length > 0 && { kind }), ...(how && { how }) }
}
