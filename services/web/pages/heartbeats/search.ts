/**
 * What the addresses of these pages hold. Loaded with the router: it brings nothing heavy along.
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
 * Phases of which any fits, a tag, a team, a part of the name; the worst stand first unless `sort`
 * says otherwise.
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

/** Kinds of pings in the log; the way to ping whose commands are shown. */
export interface HeartbeatSearch {
  kind?: (typeof kinds)[number][] | undefined
  how?: (typeof ways)[number] | undefined
}

export function heartbeatTabs(search: Record<string, unknown>): HeartbeatSearch {
  const kind = wordsOf(search.kind, kinds)
  const how = wordOf(search.how, ways)
  return { ...(kind.length > 0 && { kind }), ...(how && { how }) }
}
