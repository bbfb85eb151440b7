/**
 * War rooms, which people open for incidents at a chat service; and the messages about an incident
 * that stand in chats.
 * Source: docs/design/api/incidents.md#in-21.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import type { Template } from '../../schemas/http/template-words.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import type { JobChange } from '../../streams/define.ts'
import { type ChannelTarget, type PersonTarget, personApp } from './delivery-targets.ts'
import type { Tx } from './pool.ts'

export interface WarRoom {
  tenant_id: string
  incident_id: string
  channel_id: string
  state: 'opening' | 'open' | 'failed'
  name: string
  private: boolean
  /** The private team that the room was opened for. */
  team_id: string | null
  room: string | null
  url: string | null
  error: string | null
  told_ver: number
  posts: string[]
  neutral: boolean
  created_by: string
  /** Epoch ms. */
  created_at: number
}

const COLUMNS =
  'tenant_id, incident_id, channel_id, state, name, private, team_id, room, url, error, told_ver, posts, neutral, created_by, created_at'

const one = ({ rows }: { rows: WarRoom[] }): WarRoom | null => rows[0] ?? null

export const readWarRoom = async (tx: Tx, tenant_id: string, incident_id: string): Promise<WarRoom | null> =>
  one(await tx.query<WarRoom>(`SELECT ${COLUMNS} FROM war_rooms WHERE tenant_id = $1 AND incident_id = $2`, [tenant_id, incident_id]))

export type NewWarRoom = Pick<WarRoom, 'incident_id' | 'channel_id' | 'name' | 'private' | 'team_id' | 'created_by'>

/** Returns null when there is a room already, or one is being opened. */
export async function insertWarRoom(tx: Tx, tenant_id: string, wanted: NewWarRoom): Promise<WarRoom | null> {
  const { incident_id, channel_id, name, private: isPrivate, team_id, created_by } = wanted
  return one(
    await tx.query<WarRoom>(
      `INSERT INTO war_rooms (tenant_id, incident_id, channel_id, state, name, private, team_id, created_by)
       VALUES ($1, $2, $3, 'opening', $4, $5, $6, $7)
       ON CONFLICT (tenant_id, incident_id) DO UPDATE
          SET channel_id = excluded.channel_id, state = 'opening', name = excluded.name, private = excluded.private, team_id = excluded.team_id,
              room = NULL, url = NULL, error = NULL, told_ver = 0, posts = '{}', neutral = false, created_by = excluded.created_by,
              busy_until = '-infinity', created_at = now(), updated_at = now()
        WHERE war_rooms.state = 'failed'
       RETURNING ${COLUMNS}`,
      [tenant_id, incident_id, channel_id, name, isPrivate, team_id, created_by]
    )
  )
}

/** A job asks the vendor to open the room. There is one job for each opening. */
export const openRoomJob = ({ tenant_id, incident_id, created_at }: WarRoom): JobChange => ({
  start: 'war_room_open',
  idem_key: `war_room:${incident_id}:${created_at}`,
  tenant_id,
  run_at: created_at,
  payload: { incident_id }
})

export async function saveOpened(
  tx: Tx,
  tenant_id: string,
  incident_id: string,
  { room, name, url, error }: { room: string; name: string; url: string; error: string | null }
): Promise<void> {
  await tx.query(
    `UPDATE war_rooms SET state = 'open', room = $3, name = $4, url = $5, error = $6, updated_at = now()
      WHERE tenant_id = $1 AND incident_id = $2 AND state = 'opening'`,
    [tenant_id, incident_id, room, name, url, error]
  )
}

/** Marks the room as failed: it could not be opened, or can no longer be written to. */
export async function saveFailed(tx: Tx, tenant_id: string, incident_id: string, error: string): Promise<void> {
  await tx.query("UPDATE war_rooms SET state = 'failed', error = $3, updated_at = now() WHERE tenant_id = $1 AND incident_id = $2", [
    tenant_id,
    incident_id,
    error
  ])
}

/**
 * Takes the room of an incident for one teller at a time. Null: no room is open, or another teller
 * has it. That teller sees what is new when it ends.
 */
export const takeRoom = async (tx: Tx, tenant_id: string, incident_id: string, seconds: number): Promise<WarRoom | null> =>
  one(
    await tx.query<WarRoom>(
      `UPDATE war_rooms SET busy_until = now() + make_interval(secs => $3)
        WHERE tenant_id = $1 AND incident_id = $2 AND state = 'open' AND busy_until <= now() RETURNING ${COLUMNS}`,
      [tenant_id, incident_id, seconds]
    )
  )

/** Saves what was told, and lets others tell in the room again. */
export async function saveTold(
  tx: Tx,
  { tenant_id, incident_id, room }: WarRoom,
  { told_ver, posts, neutral, name }: Pick<WarRoom, 'told_ver' | 'posts' | 'neutral' | 'name'>
): Promise<void> {
  await tx.query(
    `UPDATE war_rooms SET told_ver = $4, posts = $5, neutral = $6, name = $7, busy_until = '-infinity', updated_at = now()
      WHERE tenant_id = $1 AND incident_id = $2 AND room = $3`,
    [tenant_id, incident_id, room, told_ver, posts, neutral, name]
  )
}

/**
 * Starts jobs that check the messages of these incidents in chats; nothing happens for incidents
 * without any. `cause`: names a cause that is not a change of the incident.
 */
export async function startIncidentChat(tx: Tx, changed: readonly { incident_id: string; ver: number }[], cause?: string): Promise<void> {
  const last = new Map(changed.map(({ incident_id, ver }) => [incident_id, ver]))
  if (last.size === 0) return
  await tx.query({
    name: 'incident-chats-start',
    text: `SELECT start_incident_chat(incident_id, cause, job_id)
             FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS k (incident_id, cause, job_id)`,
    values: [[...last.keys()], [...last.values()].map((ver) => cause ?? String(ver)), [...last].map(() => uuidv7())]
  })
}

/** Like startIncidentChat, for service_system in a transaction of several workspaces. */
export async function startIncidentChatsOf(tx: Tx, changed: readonly Pick<Incident, 'tenant_id' | 'incident_id' | 'ver'>[]): Promise<void> {
  if (changed.length === 0) return
  await tx.query({
    name: 'incident-chats-start-of',
    text: `SELECT start_incident_chat_of(tenant_id, incident_id, ver, job_id)
             FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[]) AS k (tenant_id, incident_id, ver, job_id)`,
    values: [
      changed.map(({ tenant_id }) => tenant_id),
      changed.map(({ incident_id }) => incident_id),
      changed.map(({ ver }) => String(ver)),
      changed.map(() => uuidv7())
    ]
  })
}

/** A message about an incident that stands in a chat: in a room, or with a person. */
export interface Standing {
  target_id: string
  kind: string
  ref: Record<string, string>
  channel: ChannelTarget | null
  person: { method: PersonTarget; role: MemberRole; own_teams: string[]; hidden_teams: string[] } | null
  /** The template of the last message there. */
  template: Template | null
  /** A delivery about it is on its way there. */
  waits: boolean
  /** It is not decided yet who hears of the incident's present version. */
  undecided: boolean
  /** The incident's present version was told there. */
  told: boolean
}

const OF_DELIVERIES = 'd.tenant_id = f.tenant_id AND d.incident_id = f.incident_id AND d.target_id = f.target_id'
const LAST = `
    JOIN incidents i ON i.tenant_id = f.tenant_id AND i.incident_id = f.incident_id
    LEFT JOIN LATERAL (SELECT d.template, d.incident_ver, d.state FROM deliveries d WHERE ${OF_DELIVERIES} AND d.state <> 'suppressed'
                        ORDER BY d.seq DESC LIMIT 1) l ON true
    LEFT JOIN LATERAL (SELECT true AS waits FROM deliveries d WHERE ${OF_DELIVERIES} AND d.open LIMIT 1) o ON true
    LEFT JOIN jobs j ON j.idem_key = format('notify:%s:%s', i.incident_id, i.ver)`
const SO_FAR = `l.template, coalesce(o.waits, false) AS waits, j.job_id IS NOT NULL AS undecided, coalesce(l.incident_ver >= i.ver AND l.state IN ('sent', 'delivered'), false) AS told`

const IN_ROOMS = `
  SELECT f.target_id, f.ref, c.kind, jsonb_build_object('channel_id', c.channel_id, 'kind', c.kind, 'config', c.config, 'enabled', c.enabled,
           'deleted', c.deleted_at IS NOT NULL, 'health_state', c.health_state, 'verified', c.verified_at IS NOT NULL, 'team_id', c.team_id,
           'allowed_team_ids', to_jsonb(c.allowed_team_ids), 'quota_until', floor(extract(epoch FROM c.quota_exhausted_until) * 1000)) AS channel,
         NULL AS person, ${SO_FAR}
    FROM delivery_refs f JOIN notification_channels c ON c.tenant_id = f.tenant_id AND c.channel_id = f.target_id ${LAST}
   WHERE f.tenant_id = $1 AND f.incident_id = $2 AND c.deleted_at IS NULL AND c.enabled AND c.health_state <> 'disabled'
   ORDER BY f.target_id LIMIT 100`

const WITH_PEOPLE = `
  SELECT f.target_id, f.ref, m.kind, NULL AS channel,
         jsonb_build_object('method', jsonb_build_object('kind', m.kind, 'address', m.address, 'verified', m.verified_at IS NOT NULL, 'device', NULL,
           'app', ${personApp('m')}), 'role', p.role, 'own_teams', to_jsonb(t.own_teams), 'hidden_teams', to_jsonb(t.hidden_teams)) AS person, ${SO_FAR}
    FROM delivery_refs f
    JOIN contact_methods m ON m.tenant_id = f.tenant_id AND m.method_id = f.target_id AND m.kind IN ('slack_dm', 'telegram')
    JOIN members p ON p.tenant_id = m.tenant_id AND p.user_id = m.user_id
    CROSS JOIN LATERAL team_lists(m.tenant_id, m.user_id) t ${LAST}
   WHERE f.tenant_id = $1 AND f.incident_id = $2 ORDER BY f.target_id LIMIT 100`

/**
 * Returns the messages about an incident that channels and people still have. As service_system.
 */
export async function readStanding(tx: Tx, tenant_id: string, incident_id: string): Promise<Standing[]> {
  const values = [tenant_id, incident_id]
  const rooms = await tx.query<Standing>({ name: 'incident-standing', text: IN_ROOMS, values })
  const people = await tx.query<Standing>({ name: 'incident-standing-people', text: WITH_PEOPLE, values })
  return [...rooms.rows, ...people.rows]
}

/**
 * Records whether the message there is `neutral`: it says nothing about the incident; null: as
 * before. `over`: keys of answers that are neutral for good, and need not be known any more.
 */
export async function saveNeutral(
  tx: Tx,
  { tenant_id, incident_id, target_id }: { tenant_id: string; incident_id: string; target_id: string },
  { neutral, over }: { neutral: boolean | null; over: readonly string[] }
): Promise<void> {
  await tx.query(
    `UPDATE delivery_refs SET updated_at = now(),
            ref = (CASE WHEN $4 THEN ref || '{"neutral": "yes"}' WHEN NOT $4 THEN ref - 'neutral' ELSE ref END) - $5::text[]
      WHERE tenant_id = $1 AND incident_id = $2 AND target_id = $3`,
    [tenant_id, incident_id, target_id, neutral, over]
  )
}

export interface RoomChannel {
  channel_id: string
  kind: string
  /** Secrets in it are sealed. */
  config: Record<string, unknown>
  works: boolean
}

/** Returns the channel whose app makes the room; null when it is gone. */
export async function readRoomChannel(tx: Tx, tenant_id: string, channel_id: string): Promise<RoomChannel | null> {
  const { rows } = await tx.query<RoomChannel>(
    `SELECT channel_id, kind, config, enabled AND health_state <> 'disabled' AS works FROM notification_channels
      WHERE tenant_id = $1 AND channel_id = $2 AND deleted_at IS NULL`,
    [tenant_id, channel_id]
  )
  return rows[0] ?? null
}

/** Whether an incident is private, or its team is private now. */
export async function isPrivateNow(tx: Tx, tenant_id: string, incident_id: string): Promise<boolean> {
  const { rows } = await tx.query<{ is_private: boolean }>(
    `SELECT i.visibility = 'private' OR coalesce(g.visibility = 'private', false) AS is_private
       FROM incidents i LEFT JOIN teams g ON g.tenant_id = i.tenant_id AND g.team_id = i.team_id
      WHERE i.tenant_id = $1 AND i.incident_id = $2`,
    [tenant_id, incident_id]
  )
  return rows[0]?.is_private ?? true
}

/** The job that checks the messages of a team's incidents in chats again. */
export const teamChatJob = ({ tenant_id, team_id, ver }: { tenant_id: string; team_id: string; ver: number }): JobChange => ({
  start: 'chat_team',
  idem_key: `chat_team:${team_id}:${ver}`,
  tenant_id,
  run_at: Date.now(),
  payload: { team_id, after: '00000000-0000-0000-0000-000000000000' }
})

/** Returns incidents of a team that have something in chats, by id, after `after`. */
export async function standingOfTeam(
  tx: Tx,
  tenant_id: string,
  team_id: string,
  after: string,
  most: number
): Promise<{ incident_id: string; ver: number }[]> {
  const { rows } = await tx.query<{ incident_id: string; ver: number }>(
    `SELECT i.incident_id, i.ver FROM incidents i
      WHERE i.tenant_id = $1 AND i.team_id = $2 AND i.incident_id > $3
        AND (EXISTS (SELECT FROM delivery_refs r WHERE r.tenant_id = i.tenant_id AND r.incident_id = i.incident_id)
             OR EXISTS (SELECT FROM war_rooms w WHERE w.tenant_id = i.tenant_id AND w.incident_id = i.incident_id))
      ORDER BY i.incident_id LIMIT $4`,
    [tenant_id, team_id, after, most]
  )
  return rows
}
