/**
 * Finds how people and channels are reached, and whether they may hear of an incident. Read when an
 * escalation step is due.
 * Source: docs/design/api/notifications.md#s8-4, docs/design/api/on-call.md#s7-3.
 */
import type { SuppressionKind } from '../../schemas/generated/events.ts'
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import type { Urgency } from '../../schemas/http/escalation-words.ts'
import type { QuietHours } from '../../schemas/http/notification-preferences.ts'
import type { MethodKind } from '../../schemas/http/notification-words.ts'
import { isVisible, type Owned, sightOf, type TeamLists } from '../../schemas/http/visibility.ts'
import { personApp } from './delivery-targets.ts'
import { isExhausted, PHONE_LIMIT, phoneQuota } from './phones.ts'
import type { Tx } from './pool.ts'

export interface Method {
  method_id: string
  kind: MethodKind
  verified: boolean
  /** It is a phone method, and the workspace has used up the phone quota of its plan. */
  exhausted?: boolean
  /** The workspace has no app any more that writes there. */
  without_app?: boolean
}

interface MethodRule {
  method_id: string
  delay_seconds: number
}

/** A member of the workspace, with what is needed to reach them. */
export interface Person extends TeamLists {
  user_id: string
  role: MemberRole
  /** False: the account is disabled. */
  enabled: boolean
  /** In their order. */
  methods: Method[]
  /** Rules of their preferences; null: they have set none. */
  rules: Partial<Record<Urgency, MethodRule[]>> | null
  quiet_hours: QuietHours | null
}

/** One way to ask somebody, or why it cannot be used. */
export interface Way {
  method_id: string | null
  kind: MethodKind | null
  delay_seconds: number
  suppressed_by: SuppressionKind | null
  cause: string | null
}

/**
 * Returns the members among `user_ids`, by id. People who are not members are missing. The
 * transaction must see all teams: the app that writes to a person may be in a channel of any.
 */
export async function readPeople(tx: Tx, tenant_id: string, user_ids: readonly string[]): Promise<Map<string, Person>> {
  if (user_ids.length === 0) return new Map()
  const { rows } = await tx.query<Person>({
    name: 'reach-people',
    text: `SELECT m.user_id, m.role, u.disabled_at IS NULL AS enabled, l.own_teams, l.hidden_teams, p.body -> 'rules' AS rules,
                  nullif(p.body -> 'quiet_hours', 'null') AS quiet_hours,
                  coalesce((SELECT json_agg(json_build_object('method_id', c.method_id, 'kind', c.kind, 'verified', c.verified_at IS NOT NULL,
                                                              'without_app', c.kind = 'slack_dm' AND ${personApp('c')} IS NULL)
                                            ORDER BY c.position, c.created_at, c.method_id)
                              FROM contact_methods c WHERE c.tenant_id = m.tenant_id AND c.user_id = m.user_id), '[]') AS methods
             FROM members m JOIN users u USING (user_id) CROSS JOIN LATERAL team_lists(m.tenant_id, m.user_id) l
             LEFT JOIN notification_preferences p ON p.tenant_id = m.tenant_id AND p.user_id = m.user_id
            WHERE m.tenant_id = $1 AND m.user_id = ANY ($2::uuid[])`,
    values: [tenant_id, user_ids]
  })
  const hasPhone = rows.some(({ methods }) => methods.some(isPhone))
  const exhausted = hasPhone && isExhausted(await phoneQuota(tx, tenant_id))
  const asItIs = (one: Method): Method => (exhausted && isPhone(one) ? { ...one, exhausted } : one)
  return new Map(rows.map((row) => [row.user_id, { ...row, methods: row.methods.map(asItIs) }]))
}

const isPhone = ({ kind }: { kind: string }): boolean => kind === 'sms' || kind === 'voice'

/** Returns the owners and admins, who see everything. */
export async function readManagers(tx: Tx, tenant_id: string): Promise<string[]> {
  const { rows } = await tx.query<{ user_id: string }>(
    "SELECT user_id FROM members WHERE tenant_id = $1 AND role IN ('owner', 'admin') ORDER BY user_id",
    [tenant_id]
  )
  return rows.map(({ user_id }) => user_id)
}

/** Returns the members of teams, by team; ordered by id within a team. */
export async function readTeamPeople(tx: Tx, tenant_id: string, team_ids: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await tx.query<{ team_id: string; user_ids: string[] }>(
    `SELECT team_id, array_agg(user_id ORDER BY user_id) AS user_ids FROM team_members
      WHERE tenant_id = $1 AND team_id = ANY ($2::uuid[]) GROUP BY team_id`,
    [tenant_id, team_ids]
  )
  return new Map(rows.map(({ team_id, user_ids }) => [team_id, user_ids]))
}

const none = (suppressed_by: SuppressionKind, cause: string | null = null): Way[] => [
  { method_id: null, kind: null, delay_seconds: 0, suppressed_by, cause }
]

function refusalOf({ verified, exhausted, without_app }: Method): Pick<Way, 'suppressed_by' | 'cause'> {
  if (!verified) return { suppressed_by: 'unverified', cause: null }
  if (without_app) return { suppressed_by: 'no_method', cause: null }
  if (exhausted) return { suppressed_by: 'quota', cause: PHONE_LIMIT }
  return { suppressed_by: null, cause: null }
}

/** Whether a method can be used as things are now. */
export const worksNow = (method: Method): boolean => refusalOf(method).suppressed_by === null

/**
 * Returns the methods that the person's rules name, otherwise the first verified method, at once.
 */
function wanted({ methods, rules }: Person, urgency: Urgency): MethodRule[] {
  const own = urgency === 'high' && rules?.high?.length ? rules.high : rules?.default
  return own && own.length > 0
    ? own
    : methods
        .filter(({ verified }) => verified)
        .slice(0, 1)
        .map(({ method_id }) => ({ method_id, delay_seconds: 0 }))
}

/**
 * Returns the ways to ask a person about something. Never empty: when no way can be used, it says
 * why. When the first method of the rules cannot be used, the first usable one takes its place and
 * its time, and is not used a second time.
 */
export function waysTo(person: Person | undefined, urgency: Urgency, about: Owned): Way[] {
  if (!person) return none('disabled', 'not_a_member')
  if (!person.enabled) return none('disabled', 'account')
  if (!isVisible(sightOf(person.role, person), about)) return none('not_visible')
  if (person.methods.length === 0) return none('no_method')
  const methods = new Map(person.methods.map((method) => [method.method_id, method]))
  const rules = wanted(person, urgency)
  const ways = rules.flatMap(({ method_id, delay_seconds }): Way[] => {
    const method = methods.get(method_id)
    if (!method) return []
    return [{ method_id, kind: method.kind, delay_seconds, ...refusalOf(method) }]
  })
  // A method that was deleted cannot be used either.
  const delay_seconds = ways.length === 0 ? 0 : Math.min(...rules.map((rule) => rule.delay_seconds))
  if (ways.some((way) => canBeUsed(way) && way.delay_seconds === delay_seconds)) return ways
  const first = person.methods.find(worksNow)
  if (first) {
    const { method_id, kind } = first
    const others = ways.filter((way) => way.method_id !== method_id)
    return [...others, { method_id, kind, delay_seconds, suppressed_by: null, cause: null }]
  }
  if (ways.length > 0) return ways
  const [refused] = person.methods
  return refused ? [{ method_id: refused.method_id, kind: refused.kind, delay_seconds: 0, ...refusalOf(refused) }] : none('no_method')
}

export const canBeUsed = ({ suppressed_by }: Way): boolean => suppressed_by === null

/** A channel, with what a step that names it must know. */
export interface Reached {
  channel_id: string
  /** Null: there is no such channel. */
  kind: string | null
  suppressed_by: SuppressionKind | null
  cause: string | null
}

interface ChannelRow {
  channel_id: string
  kind: string
  enabled: boolean
  deleted: boolean
  team_id: string | null
  allowed_team_ids: string[]
  verified: boolean
  /** The quota of the vendor ends only after a message of now is too old. */
  over_quota: boolean
}

/** Channels of these kinds send only to an address that its owner has confirmed. */
const CONFIRMED: readonly string[] = ['email', 'sms', 'voice']

/** Returns why the channel cannot send as things are now, as it is judged before sending. */
function inability({ kind, verified, over_quota }: ChannelRow, exhausted: boolean): Pick<Reached, 'suppressed_by' | 'cause'> {
  if (CONFIRMED.includes(kind) && !verified) return { suppressed_by: 'unverified', cause: null }
  if (over_quota) return { suppressed_by: 'quota', cause: null }
  if (exhausted && isPhone({ kind })) return { suppressed_by: 'quota', cause: PHONE_LIMIT }
  return { suppressed_by: null, cause: null }
}

/**
 * Returns channels in the order of their ids, and whether each may be told of what belongs to
 * `about`, and can send as things are now. Something private goes only to channels of its team, and
 * to channels that name the team.
 */
export async function readChannels(tx: Tx, tenant_id: string, channel_ids: readonly string[], about: Owned): Promise<Reached[]> {
  if (channel_ids.length === 0) return []
  const [{ rows }, { rows: teams }] = await Promise.all([
    tx.query<ChannelRow>(
      `SELECT channel_id, kind, enabled AND health_state <> 'disabled' AS enabled, deleted_at IS NOT NULL AS deleted, team_id, allowed_team_ids,
              verified_at IS NOT NULL AS verified, coalesce(quota_exhausted_until >= now() + interval '24 hours', false) AS over_quota
         FROM notification_channels WHERE tenant_id = $1 AND channel_id = ANY ($2::uuid[])`,
      [tenant_id, channel_ids]
    ),
    tx.query<{ visibility: Owned['visibility'] }>('SELECT visibility FROM teams WHERE tenant_id = $1 AND team_id = $2', [
      tenant_id,
      about.team_id
    ])
  ])
  const isPrivate = about.visibility === 'private' || teams[0]?.visibility === 'private'
  const known = new Map(rows.map((row) => [row.channel_id, row]))
  const exhausted = rows.some(isPhone) && isExhausted(await phoneQuota(tx, tenant_id))
  return channel_ids.map((channel_id): Reached => {
    const row = known.get(channel_id)
    if (!row) return { channel_id, kind: null, suppressed_by: 'disabled', cause: 'deleted' }
    const { kind, team_id, allowed_team_ids } = row
    if (row.deleted || !row.enabled) return { channel_id, kind, suppressed_by: 'disabled', cause: row.deleted ? 'deleted' : 'disabled' }
    const isTold = !isPrivate || (about.team_id !== null && (team_id === about.team_id || allowed_team_ids.includes(about.team_id)))
    return { channel_id, kind, ...(isTold ? inability(row, exhausted) : { suppressed_by: 'not_visible', cause: null }) }
  })
}
