/**
 * Which sockets hear which frame, by names of publish/subscribe topics alone: a frame is never
 * parsed.
 *
 * A frame's topic follows from its record's headers: `tenant_id`, `audience` (tenant, team:<id>,
 * org-team:<id> or user:<id>) and the channel, which the prefix of `event_type` decides. A socket
 * subscribes to the same names for what it may see and wants to hear:
 *   t/<tenant>/<channel>           the whole workspace
 *   o/<tenant>/<channel>           what belongs to teams, for who sees all teams
 *   o/<tenant>/<team>/<channel>    what belongs to one team, for who sees it but not all
 *   m/<tenant>/<team>/<channel>    what is private to a team's members
 *   a/<tenant>/<channel>           the same, for owners and admins
 *   u/<tenant>/<user>/<channel>    one person
 *
 * Who sees a team is the credential's business (schemas/http/visibility.ts), so a team that turns
 * private narrows what its frames reach within 5 s, whatever they were when they were made.
 *
 * The channel of the feed has the item's category behind it (header `category`):
 * `notifications.feed/billing`. An item without one counts as one of incidents. A type without a
 * channel goes out under the channel `*`: every socket hears it that may hear all channels,
 * whatever it asked for (docs/design/specification.md#s6-2).
 * What a socket may hear: schemas/http/rights.ts.
 * Source: docs/design/architecture.md#s9, docs/design/api/realtime.md#s15, #rm-1.
 */
import { type Channel, channels, usualChannels } from '../../schemas/http/channels.ts'
import { channelsOf, feedCategoriesOf, type Rights } from '../../schemas/http/rights.ts'

const FEED: Channel = 'notifications.feed'
const WITHOUT_CHANNEL = '*'

/** Every socket hears it: hello, stale, resumed. */
export const SYSTEM = 'system'

const byPrefix: Readonly<Record<string, Channel>> = {
  incident: 'monitors.status',
  monitor: 'monitors.status',
  heartbeat: 'heartbeats.status',
  notification: 'notifications.feed',
  oncall: 'oncall'
}

export const isChannel = (name: string): name is Channel => channels.some((channel) => channel === name)

/** Who listens. */
export interface Listener {
  tenant_id: string
  user_id: string
  /** What the credential may do. */
  rights: Rights
  /** Owners and admins see what private teams see. */
  seesAllTeams: boolean
  /** Teams that the person is a member of. */
  own_teams: readonly string[]
  /** Teams that are open to everybody; null where no team is hidden from the person. */
  open_teams: readonly string[] | null
}

/** Names under which a frame goes out; none when its audience is nobody that this version knows. */
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

/** What a socket hears of the channels that it asked for. */
export function heard({ rights }: Listener, wanted: ReadonlySet<Channel>): Channel[] {
  const allowed = channelsOf(rights)
  return [...wanted].filter((channel) => allowed.includes(channel))
}

/** Names that a socket subscribes to: each frame it may hear goes out under exactly one of them. */
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
 * Channels of a comma list or an array; an empty list is the usual ones. `unknown` is the first
 * that does not exist.
 */
export function parseChannels(names: readonly string[]): { wanted: Set<Channel> } | { unknown: string } {
  const wanted = new Set<Channel>()
  for (const name of names) {
    if (!isChannel(name)) return { unknown: name }
    wanted.add(name)
  }
  return { wanted: wanted.size > 0 ? wanted : new Set(usualChannels) }
}
