/**
 * Which sockets hear which frame, by names of publish/subscribe topics alone: a frame is never parsed.
 *
 * A frame's topic follows from its record's headers: `tenant_id`, `audience` (tenant, team:<id> or user:<id>) and the channel, which the prefix of
 * `event_type` decides. A socket subscribes to the same names for what it may see and wants to hear:
 *   t/<tenant>/<channel>           the whole workspace
 *   m/<tenant>/<team>/<channel>    a private team's members
 *   a/<tenant>/<channel>           its owners and admins, who see every private team
 *   u/<tenant>/<user>/<channel>    one person
 * A type without a channel goes out under the channel `*`, which every socket hears, whatever it asked for (specification.md 6.2).
 * Source: architecture.md section 9, api-design.md 15 RM-1.
 */
export const channels = ['monitors.status', 'heartbeats.status', 'notifications.feed'] as const
export type Channel = (typeof channels)[number]

const WITHOUT_CHANNEL = '*'

/** Every socket hears it: hello, stale, resumed. */
export const SYSTEM = 'system'

const byPrefix: Readonly<Record<string, Channel>> = {
  incident: 'monitors.status',
  monitor: 'monitors.status',
  heartbeat: 'heartbeats.status',
  notification: 'notifications.feed'
}

export const isChannel = (name: string): name is Channel => channels.some((channel) => channel === name)

/** Who listens. */
export interface Listener {
  tenant_id: string
  user_id: string
  /** Owners and admins see what private teams see. */
  seesAllTeams: boolean
  /** Private teams the person is a member of. */
  teams: readonly string[]
}

/** Names under which a frame goes out; none when its audience is nobody that this version knows. */
export function topicsOfFrame(headers: Readonly<Record<string, string>>): string[] {
  const { tenant_id, audience = '', event_type = '' } = headers
  if (!tenant_id) return []
  const dot = event_type.indexOf('.')
  const channel = byPrefix[dot < 0 ? event_type : event_type.slice(0, dot)] ?? WITHOUT_CHANNEL
  if (audience === 'tenant') return [`t/${tenant_id}/${channel}`]
  const colon = audience.indexOf(':')
  const id = audience.slice(colon + 1)
  if (colon < 0 || id === '') return []
  if (audience.startsWith('team:')) return [`m/${tenant_id}/${id}/${channel}`, `a/${tenant_id}/${channel}`]
  if (audience.startsWith('user:')) return [`u/${tenant_id}/${id}/${channel}`]
  return []
}

/** Names that a socket subscribes to: each frame it may hear goes out under exactly one of them. */
export function topicsOfListener({ tenant_id, user_id, seesAllTeams, teams }: Listener, wanted: ReadonlySet<Channel>): string[] {
  const audiences = [
    `t/${tenant_id}`,
    `u/${tenant_id}/${user_id}`,
    ...(seesAllTeams ? [`a/${tenant_id}`] : teams.map((team) => `m/${tenant_id}/${team}`))
  ]
  return [SYSTEM, ...audiences.flatMap((audience) => [...wanted, WITHOUT_CHANNEL].map((channel) => `${audience}/${channel}`))]
}

/** Channels of a comma list or an array; an empty list is all of them. `unknown` is the first that does not exist. */
export function parseChannels(names: readonly string[]): { wanted: Set<Channel> } | { unknown: string } {
  const wanted = new Set<Channel>()
  for (const name of names) {
    if (!isChannel(name)) return { unknown: name }
    wanted.add(name)
  }
  return { wanted: wanted.size > 0 ? wanted : new Set(channels) }
}
