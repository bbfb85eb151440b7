/**
 * Loads what must be known of claimed deliveries before they are sent: the target and the incident
 * as they are now, and whether the target was told of a failure before. One statement reads this
 * for many deliveries, and a second one for those that report no failure.
 */
import type { Platform } from '../../schemas/http/devices.ts'
import { configDigest } from './channels.ts'
import { type DeliveryRow, tellsOfFailure } from './deliveries.ts'
import { goneSql } from './merged-sources.ts'
import { isExhausted, type PhoneQuota, phoneQuota } from './phones.ts'
import type { Tx } from './pool.ts'

export interface ChannelTarget {
  channel_id: string
  kind: string
  /** Its secrets are sealed. */
  config: Record<string, unknown>
  /** Changes with the configuration. */
  config_digest: string
  enabled: boolean
  deleted: boolean
  health_state: 'ok' | 'failing' | 'disabled'
  verified: boolean
  team_id: string | null
  allowed_team_ids: string[]
  /** Epoch ms. */
  quota_until: number | null
}

export interface PersonTarget {
  kind: string
  address: string
  verified: boolean
  /** For the app on a phone. */
  device: {
    platform: Platform
    /** Sealed. */
    push_token: string
    /** Epoch ms. */
    registered_at: number
  } | null
  /** The app that writes to a person at a chat service: of the workspace's channel there. */
  app: {
    channel_id: string
    /** Sealed. */
    bot_token: string
  } | null
}

export interface Sending {
  delivery_id: string
  channel: ChannelTarget | null
  method: PersonTarget | null
  /** Null: the person is no longer a member. */
  role: string | null
  /** For a person: when the first attempt was due, epoch ms. Null: when it was decided. */
  due_at: number | null
  own_teams: string[]
  hidden_teams: string[]
  remote_ref: Record<string, string> | null
  /** Null: the delivery is about no incident. */
  incident: {
    status: 'ongoing' | 'resolved'
    /** Acknowledged since it was decided to notify them. */
    acknowledged: boolean
    /** Epoch ms. */
    silenced_until: number | null
    resolved_at: number | null
    team_id: string | null
    visibility: 'org' | 'private'
    merged: boolean
  } | null
  /** For delivery by phone: the workspace has used up the quota of its plan. */
  exhausted: boolean
  /** A failure of the incident was, or may have been, delivered to the target. */
  told: boolean
}

/**
 * SQL for the app that writes to a person. `m` is the row of their contact method. The app is in
 * the settings of a channel, but writes to people also while that channel is off: its room was
 * archived, or somebody turned it off. An app that was removed has no token.
 */
export const personApp = (m: string): string => `
  CASE WHEN ${m}.kind = 'slack_dm' THEN (
    SELECT jsonb_build_object('channel_id', n.channel_id, 'bot_token', n.config ->> 'bot_token') FROM notification_channels n
     WHERE n.tenant_id = ${m}.tenant_id AND n.kind = 'slack' AND n.config ->> 'mode' = 'oauth' AND n.config ->> 'bot_token' IS NOT NULL
       AND coalesce(n.config ->> 'team_id', n.config ->> 'guild_id') = split_part(${m}.address, ':', 1)
       AND n.deleted_at IS NULL ORDER BY n.enabled AND n.health_state <> 'disabled' DESC, n.channel_id LIMIT 1) END`

const SENDING = `
  SELECT r.delivery_id,
         CASE WHEN c.channel_id IS NOT NULL THEN jsonb_build_object('channel_id', c.channel_id, 'kind', c.kind, 'config', c.config, 'config_digest', ${configDigest('c')}, 'enabled', c.enabled,
           'deleted', c.deleted_at IS NOT NULL, 'health_state', c.health_state, 'verified', c.verified_at IS NOT NULL, 'team_id', c.team_id,
           'allowed_team_ids', to_jsonb(c.allowed_team_ids), 'quota_until', floor(extract(epoch FROM c.quota_exhausted_until) * 1000)) END AS channel,
         CASE WHEN m.method_id IS NOT NULL THEN jsonb_build_object('kind', m.kind, 'address', m.address, 'verified', m.verified_at IS NOT NULL,
           'device', CASE WHEN d.device_id IS NOT NULL THEN jsonb_build_object('platform', d.platform, 'push_token', d.push_token,
             'registered_at', floor(extract(epoch FROM d.last_seen_at) * 1000)) END, 'app', ${personApp('m')}) END AS method,
         CASE WHEN r.user_id IS NOT NULL THEN (SELECT n.due_at FROM intents n WHERE n.tenant_id = r.tenant_id AND n.intent_id = r.intent_id) END AS due_at,
         p.role, coalesce(l.own_teams, '{}') AS own_teams, coalesce(l.hidden_teams, '{}') AS hidden_teams, f.ref AS remote_ref,
         CASE WHEN i.incident_id IS NOT NULL THEN jsonb_build_object('status', i.status, 'acknowledged', coalesce(i.acknowledged_at >= r.queued_at, false),
           'silenced_until', floor(extract(epoch FROM i.silenced_until) * 1000), 'resolved_at', floor(extract(epoch FROM i.resolved_at) * 1000),
           'team_id', i.team_id, 'visibility', CASE WHEN g.visibility = 'private' THEN 'private' ELSE i.visibility END, 'merged', i.merged_into IS NOT NULL) END AS incident
    FROM json_to_recordset($1::json) AS r (tenant_id uuid, delivery_id uuid, intent_id uuid, incident_id uuid, channel_id uuid, user_id uuid, method_id uuid,
           target_id uuid, queued_at timestamptz)
    LEFT JOIN notification_channels c ON c.tenant_id = r.tenant_id AND c.channel_id = r.channel_id
    LEFT JOIN contact_methods m ON m.tenant_id = r.tenant_id AND m.method_id = r.method_id AND m.user_id = r.user_id
    LEFT JOIN push_devices d ON d.tenant_id = m.tenant_id AND d.device_id = m.method_id
    LEFT JOIN members p ON p.tenant_id = r.tenant_id AND p.user_id = r.user_id
    LEFT JOIN LATERAL (SELECT * FROM team_lists(r.tenant_id, r.user_id) WHERE r.user_id IS NOT NULL) l ON true
    LEFT JOIN delivery_refs f ON f.tenant_id = r.tenant_id AND f.target_id = r.target_id AND f.incident_id = r.incident_id
    LEFT JOIN incidents i ON i.tenant_id = r.tenant_id AND i.incident_id = r.incident_id
    LEFT JOIN teams g ON g.tenant_id = i.tenant_id AND g.team_id = i.team_id`

/** A failure is sent whatever was sent before, so it is not checked here. */
const TOLD = `
  SELECT r.delivery_id FROM json_to_recordset($1::json) AS r (tenant_id uuid, delivery_id uuid, incident_id uuid, user_id uuid, target_id uuid, kind text)
   WHERE EXISTS (SELECT FROM deliveries b WHERE b.tenant_id = r.tenant_id AND b.incident_id = r.incident_id AND b.event IN ('down', 'degraded')
                    AND (b.accepted OR b.ambiguous > 0) AND b.delivery_id <> r.delivery_id
                    AND (b.target_id = r.target_id OR (r.kind = 'sms' AND b.kind = 'voice' AND b.user_id = r.user_id)))`

/** The same for the end of an incident: was the target told of one that went on in it? */
const TOLD_OF_MERGED = `
  SELECT r.delivery_id FROM json_to_recordset($1::json) AS r (tenant_id uuid, delivery_id uuid, incident_id uuid, user_id uuid, target_id uuid, kind text)
   WHERE EXISTS (${goneSql('r.tenant_id', 'r.incident_id')}
     SELECT FROM gone g JOIN deliveries b ON b.tenant_id = g.tenant_id AND b.incident_id = g.incident_id AND b.event IN ('down', 'degraded')
                    AND (b.accepted OR b.ambiguous > 0)
                    AND (b.target_id = r.target_id OR (r.kind = 'sms' AND b.kind = 'voice' AND b.user_id = r.user_id)))`

const isPhone = ({ kind }: DeliveryRow): boolean => kind === 'sms' || kind === 'voice'

type Found = Omit<Sending, 'exhausted' | 'told'>

/**
 * Among the rows that report no failure, returns those whose target was, or may have been, told of
 * a failure.
 */
async function toldOf(tx: Tx, rows: readonly DeliveryRow[]): Promise<Set<string>> {
  const asking = rows.filter(({ event }) => !tellsOfFailure(event))
  if (asking.length === 0) return new Set()
  const asked = asking.map(({ tenant_id, delivery_id, incident_id, user_id, target_id, kind }) => ({
    ...{ tenant_id, delivery_id, incident_id, user_id, target_id, kind }
  }))
  const askedIn = async (text: string, some: typeof asked): Promise<string[]> =>
    (await tx.query<{ delivery_id: string }>(text, [JSON.stringify(some)])).rows.map(({ delivery_id }) => delivery_id)
  const told = new Set(await askedIn(TOLD, asked))
  const ends = new Set(asking.flatMap(({ event, delivery_id }) => (event === 'up' && !told.has(delivery_id) ? [delivery_id] : [])))
  const rest = asked.filter(({ delivery_id }) => ends.has(delivery_id))
  return rest.length === 0 ? told : new Set([...told, ...(await askedIn(TOLD_OF_MERGED, rest))])
}

/**
 * Loads by delivery_id, as service_system. The part that grows with the queue (`told`) is planned
 * at each read, as a claim is (see `claimDeliveries`). The rest is read by key. Planning its joins
 * takes longer than reading, so that plan is cached.
 */
export async function loadSending(tx: Tx, rows: readonly DeliveryRow[]): Promise<Map<string, Sending>> {
  const asked = rows.map(({ tenant_id, delivery_id, intent_id, incident_id, channel_id, user_id, method_id, target_id, queued_at }) => ({
    ...{ tenant_id, delivery_id, intent_id, incident_id, channel_id, user_id, method_id, target_id },
    queued_at: new Date(queued_at).toISOString()
  }))
  const { rows: found } = await tx.query<Found>({ name: 'deliveries-load-sending', text: SENDING, values: [JSON.stringify(asked)] })
  const told = await toldOf(tx, rows)
  const quotas = new Map<string, PhoneQuota>()
  for (const { tenant_id } of rows.filter(isPhone)) if (!quotas.has(tenant_id)) quotas.set(tenant_id, await phoneQuota(tx, tenant_id))
  const exhausted = new Set(
    rows.flatMap((row) => {
      const quota = isPhone(row) ? quotas.get(row.tenant_id) : undefined
      return quota && isExhausted(quota) ? [row.delivery_id] : []
    })
  )
  return new Map(
    found.map((one) => [one.delivery_id, { ...one, told: told.has(one.delivery_id), exhausted: exhausted.has(one.delivery_id) }])
  )
}
