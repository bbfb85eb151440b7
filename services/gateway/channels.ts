/**
 * Decides which sockets hear which frame, only by the names of publish/subscribe topics: a frame is
 * never parsed.
 *
 * The topic of a frame follows from the headers of its record: `tenant_id`, `audience` (tenant,
 * team:<id>, org-team:<id> or user:<id>), and the channel, which the prefix of `event_type`
 * decides. A socket subscribes to the same names, for what it may see and wants to hear:
 *   t/<tenant>/<channel>           the whole workspace
 *   o/<tenant>/<channel>           what belongs to teams, for who sees all teams
 *   o/<tenant>/<team>/<channel>    what belongs to one team, for who sees it but not all
 *   m/<tenant>/<team>/<channel>    what is private to a team's members
 *   a/<tenant>/<channel>           the same, for owners and admins
 *   u/<tenant>/<user>/<channel>    one person
 *
 * The credential decides which teams a socket sees (schemas/http/visibility.ts). So when a team
 * turns private, fewer sockets hear its frames within 5 s, whatever the frames were when they were
 * made.
 *
 * The feed's channel is followed by the category of the item (header `category`):
 * `notifications.feed/billing`. An item without a category counts as one of incidents. A type
 * without a channel goes out under the channel `*`: every socket that may hear all channels hears
 * it, whatever it asked for (docs/design/specification.md#s6-2). What a socket may hear:
 * schemas/http/rights.ts.
 * Source: docs/design/architecture.md#s9, docs/design/api/realtime.md#s15, #rm-1.
 */
import { type Channel, channels, usualChannels } from '../../schemas/http/channels.ts'
import { channelsOf, feedCategoriesOf, type Rights } from '../../schemas/http/rights.ts'

const FEED: Channel = 'notifications.feed'
const WITHOUT_CHANNEL = '*'

/** The channel that every socket hears: hello, stale, resumed. */
export const SYSTEM = 'system'

const byPrefix: Readonly<Record<string, Channel>> = {
  incident: 'monitors.status',
  monitor: 'monitors.status',
  heartbeat: 'heartbeats.status',
  notification: 'notifications.feed',
  oncall: 'oncall'
}

export const isChannel = (name: string): name is Channel => channels.some((channel) => channel === name)

/** The owner of a socket, and what its credential may do. */
export interface Listener {
  tenant_id: string
  user_id: string
  /** What the credential may do. */
  rights: Rights
  /** True for owners and admins, who see what private teams see. */
  seesAllTeams: boolean
  /** Teams that the person is a member of. */
  own_teams: readonly string[]
  /** Teams that are open to everybody. Null when no team is hidden from the person. */
  open_teams: readonly string[] | null
}

/**
 * Returns the topics that a frame goes out under. Empty when this version does not know its
 * audience.
 */
export function topicsOfFrame(headers: Readonly<Record<string, string>>): string[] {
  const { tenant_id, audience = '', event_type = '', category = 'incident' } = headers
  if (!tenant_id) return []
  const dot = event_type.indexOf('.')
  const named = byPrefix[dot < 0 ? event_type : event_type.slice(0, dot)] ?? WITHOUT_CHANNEL
  const channel = named === FEED ? `${FEED}/${category}` : named
  if (audience === 'tenant') return [`t/${tenant_id}/${channel}`]
  const colon = audience.indexOf(':')
  const id = audience.slice(colon + 1)
  if (colon < 0 || id === '') return []
  if (audience.startsWith('org-team:')) return [`o/${tenant_id}/${channel}`, `o/${tenant_id}/${id}/${channel}`]
  if (audience.startsWith('team:')) return [`m/${tenant_id}/${id}/${channel}`, `a/${tenant_id}/${channel}`]
  if (audience.startsWith('user:')) return [`u/${tenant_id}/${id}/${channel}`]
  return []
}

/** Returns the channels that a socket asked for and may hear. */
export function heard({ rights }: Listener, wanted: ReadonlySet<Channel>): Channel[] {
  const allowed = channelsOf(rights)
  return [...wanted].filter((channel) => allowed.includes(channel))
}

/**
 * Returns the topics that a socket subscribes to. Each frame that it may hear goes out under
 * exactly one of them.
 */
export function topicsOfListener(listener: Listener, wanted: ReadonlySet<Channel>): string[] {
  const { tenant_id, user_id, rights, seesAllTeams, own_teams, open_teams } = listener
  const seen = seesAllTeams || open_teams === null ? null : [...own_teams, ...open_teams.filter((team) => !own_teams.includes(team))]
  const audiences = [
    `t/${tenant_id}`,
    `u/${tenant_id}/${user_id}`,
    ...(seen === null ? [`o/${tenant_id}`] : seen.map((team) => `o/${tenant_id}/${team}`)),
    ...(seesAllTeams ? [`a/${tenant_id}`] : own_teams.map((team) => `m/${tenant_id}/${team}`))
  ]
  const names = heard(listener, wanted).flatMap((channel) =>
    channel === FEED ? feedCategoriesOf(rights).map((category) => `${FEED}/${category}`) : [channel]
  )
  if (channelsOf(rights).length === channels.length) names.push(WITHOUT_CHANNEL)
  return [SYSTEM, ...audiences.flatMap((audience) => names.map((name) => `${audience}/${name}`))]
}

/**
 * Parses a list of channel names. An empty list means the usual channels. `unknown` is the first
 * name that does not exist.
 */
export function parseChannels(names: readonly string[]): { wanted: Set<Channel> } | { unknown: string } {
  const wanted = new Set<Channel>()
  for (const name of names) {
    if (!isChannel(name)) return { unknown: name }
    wanted.add(name)
  }
  return { wanted: wanted.size > 0 ? wanted : new Set(usualChannels) }
}
