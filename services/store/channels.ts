/**
 * Notification channels of a workspace. The row of a deleted channel stays, so that its last
 * deliveries can be read. A deleted channel sends nothing and is not listed.
 *
 * Source: docs/design/api/notifications.md#s8-1.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { ChannelHealth, TemplateOverrides } from '../../schemas/http/notification-channels.ts'
import type { ChannelEvent, ChannelKind } from '../../schemas/http/notification-words.ts'
import type { Tx } from './pool.ts'
import { inForceFromSql } from './schedules.ts'

/** Settings that people make. The secrets in `config` are sealed. */
export interface ChannelSettings {
  name: string
  enabled: boolean
  team_id: string | null
  is_default: boolean
  config: Record<string, unknown>
  events: ChannelEvent[]
  min_severity: 'critical' | 'warning' | 'info'
  allowed_team_ids: string[]
  /** Texts that replace all other texts, by event. */
  template_overrides: TemplateOverrides
}

/** Times are epoch ms. */
export interface StoredChannel extends ChannelSettings {
  tenant_id: string
  channel_id: string
  ver: number
  kind: ChannelKind
  verified_at: number | null
  health_state: ChannelHealth
  disabled_reason: string | null
  last_ok_at: number | null
  last_error: string | null
  consecutive_failures: number
  quota_exhausted_until: number | null
  created_by: string
  created_at: number
  updated_at: number
}

export interface ChannelFilter {
  kind?: readonly ChannelKind[]
  enabled?: boolean
  health?: readonly ChannelHealth[]
  q?: string
}

export const CHANNEL_COLUMNS = `tenant_id, channel_id, ver, name, kind, enabled, team_id, is_default, verified_at, config, events, min_severity,
  template_overrides, allowed_team_ids, health_state, disabled_reason, last_ok_at, last_error, consecutive_failures,
  quota_exhausted_until, created_by, created_at, updated_at`
/** SQL for a digest of the configuration of the channel `alias`. */
export const configDigest = (alias: string): string => `md5(${alias}.config::text)`
const HERE = 'tenant_id = $1 AND channel_id = $2 AND deleted_at IS NULL'
/** How long the link is valid that confirms an unverified channel. */
const CONFIRM_HOURS = 24

const one = ({ rows }: { rows: StoredChannel[] }): StoredChannel | null => rows[0] ?? null
const like = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export async function countChannels(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*) FROM notification_channels WHERE tenant_id = $1 AND deleted_at IS NULL',
    [tenant_id]
  )
  return rows[0]?.count ?? 0
}

/** Lists the channels, sorted by name. */
export async function listChannels(
  tx: Tx,
  tenant_id: string,
  { kind, enabled, health, q }: ChannelFilter,
  { page, per_page }: Page
): Promise<{ items: StoredChannel[]; total: number }> {
  const where = `tenant_id = $1 AND deleted_at IS NULL AND ($2::text[] IS NULL OR kind = ANY ($2)) AND ($3::boolean IS NULL OR enabled = $3)
    AND ($4::text[] IS NULL OR health_state = ANY ($4)) AND ($5::text IS NULL OR name ILIKE $5)`
  const values = [tenant_id, kind ?? null, enabled ?? null, health ?? null, q === undefined ? null : like(q)]
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM notification_channels WHERE ${where}`, values)
  const { rows } = await tx.query<StoredChannel>(
    `SELECT ${CHANNEL_COLUMNS} FROM notification_channels WHERE ${where} ORDER BY lower(name), channel_id LIMIT $6 OFFSET $7`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** Returns the kinds of those channels that exist and that the transaction sees. */
export async function kindsOfChannels(tx: Tx, tenant_id: string, channel_ids: readonly string[]): Promise<Map<string, ChannelKind>> {
  const { rows } = await tx.query<{ channel_id: string; kind: ChannelKind }>(
    'SELECT channel_id, kind FROM notification_channels WHERE tenant_id = $1 AND channel_id = ANY ($2::uuid[]) AND deleted_at IS NULL',
    [tenant_id, channel_ids]
  )
  return new Map(rows.map(({ channel_id, kind }) => [channel_id, kind]))
}

/** The channel, or null. */
export const readChannel = async (tx: Tx, tenant_id: string, channel_id: string): Promise<StoredChannel | null> =>
  one(await tx.query<StoredChannel>(`SELECT ${CHANNEL_COLUMNS} FROM notification_channels WHERE ${HERE}`, [tenant_id, channel_id]))

/** Reads a channel as readChannel does, and locks the row. */
export const lockChannel = async (tx: Tx, tenant_id: string, channel_id: string): Promise<StoredChannel | null> =>
  one(
    await tx.query<StoredChannel>(`SELECT ${CHANNEL_COLUMNS} FROM notification_channels WHERE ${HERE} FOR UPDATE`, [tenant_id, channel_id])
  )

const settingsIn = ({
  name,
  enabled,
  team_id,
  is_default,
  config,
  events,
  min_severity,
  allowed_team_ids,
  template_overrides
}: ChannelSettings): unknown[] => [
  name,
  enabled,
  team_id,
  is_default,
  JSON.stringify(config),
  events,
  min_severity,
  allowed_team_ids,
  JSON.stringify(template_overrides)
]

export async function insertChannel(
  tx: Tx,
  tenant_id: string,
  { channel_id, kind, created_by, verified }: { channel_id: string; kind: ChannelKind; created_by: string; verified: boolean },
  settings: ChannelSettings
): Promise<StoredChannel> {
  const row = one(
    await tx.query<StoredChannel>(
      `INSERT INTO notification_channels (tenant_id, channel_id, kind, created_by, verified_at, name, enabled, team_id, is_default, config, events,
                                          min_severity, allowed_team_ids, template_overrides)
       VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN now() END, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING ${CHANNEL_COLUMNS}`,
      [tenant_id, channel_id, kind, created_by, verified, ...settingsIn(settings)]
    )
  )
  if (!row) throw new Error('INSERT INTO notification_channels returned no row')
  return row
}

/**
 * Writes a locked channel. `verified` null: unchanged. A quota, failures and refusals are those of
 * a token, account or server, so they end when the configuration changes.
 */
export async function updateChannel(
  tx: Tx,
  tenant_id: string,
  channel_id: string,
  settings: ChannelSettings,
  verified: boolean | null
): Promise<StoredChannel | null> {
  return one(
    await tx.query<StoredChannel>(
      `UPDATE notification_channels
          SET quota_exhausted_until = CASE WHEN config = $8::jsonb THEN quota_exhausted_until END,
              consecutive_failures = CASE WHEN config = $8::jsonb THEN consecutive_failures ELSE 0 END,
              consecutive_refusals = CASE WHEN config = $8::jsonb THEN consecutive_refusals ELSE 0 END,
              dead_letters = CASE WHEN config = $8::jsonb THEN dead_letters ELSE 0 END,
              dead_since = CASE WHEN config = $8::jsonb THEN dead_since END,
              health_state = CASE WHEN config <> $8::jsonb AND health_state = 'failing' THEN 'ok' ELSE health_state END,
              verified_at = CASE WHEN $3::boolean IS NULL THEN verified_at WHEN $3 THEN now() END, name = $4, enabled = $5, team_id = $6,
              is_default = $7, config = $8, events = $9, min_severity = $10, allowed_team_ids = $11, template_overrides = $12, ver = ver + 1, updated_at = now()
        WHERE ${HERE} RETURNING ${CHANNEL_COLUMNS}`,
      [tenant_id, channel_id, verified, ...settingsIn(settings)]
    )
  )
}

/** Marks a channel as deleted and removes its secrets at once. */
export async function deleteChannel(tx: Tx, tenant_id: string, channel_id: string): Promise<StoredChannel | null> {
  await tx.query('DELETE FROM channel_confirmations WHERE tenant_id = $1 AND channel_id = $2', [tenant_id, channel_id])
  return one(
    await tx.query<StoredChannel>(
      `UPDATE notification_channels SET deleted_at = now(), enabled = false, is_default = false, config = '{}', ver = ver + 1, updated_at = now()
        WHERE ${HERE} RETURNING ${CHANNEL_COLUMNS}`,
      [tenant_id, channel_id]
    )
  )
}

/** Numbers of the objects that name a channel, by the word that people read. */
export interface ChannelUses {
  monitors: number
  heartbeats: number
  escalation_policies: number
  /** Those that tell it who is on call, now or by a later version. */
  schedules: number
  routing_rules: number
}

/** SQL: whether a definition of the schedule `s`, of now or later, tells the channel $2. */
const TELLS = `s.tenant_id = $1 AND s.deleted_at IS NULL AND EXISTS (
  SELECT FROM schedule_versions v WHERE v.tenant_id = s.tenant_id AND v.schedule_id = s.schedule_id
     AND v.definition -> 'notices' @> jsonb_build_array(jsonb_build_object('channel_id', $2::text))
     AND ${inForceFromSql('now()')})`

export async function usesOfChannel(tx: Tx, tenant_id: string, channel_id: string): Promise<ChannelUses> {
  const { rows } = await tx.query<ChannelUses>(
    `SELECT (SELECT count(*) FROM monitors WHERE tenant_id = $1 AND $2 = ANY (channel_ids) AND deleted_at IS NULL) AS monitors,
            (SELECT count(*) FROM heartbeats WHERE tenant_id = $1 AND $2 = ANY (channel_ids) AND deleted_at IS NULL) AS heartbeats,
            (SELECT count(*) FROM escalation_policies p WHERE p.tenant_id = $1 AND p.deleted_at IS NULL
                AND jsonb_path_exists(p.body, '$.steps[*].targets[*] ? (@.id == $id && (@.type == "channel" || @.type == "webhook"))',
                                      jsonb_build_object('id', $2::text))) AS escalation_policies,
            (SELECT count(*) FROM schedules s WHERE ${TELLS}) AS schedules,
            (SELECT count(*) FROM routing_heads h JOIN routing_rule_sets s USING (tenant_id, version)
              CROSS JOIN jsonb_array_elements(s.rules) AS r (rule)
              WHERE h.tenant_id = $1 AND rule -> 'actions' -> 'channel_ids' ? $2::text) AS routing_rules`,
    [tenant_id, channel_id]
  )
  return rows[0] ?? { monitors: 0, heartbeats: 0, escalation_policies: 0, schedules: 0, routing_rules: 0 }
}

export type NamedUse = Exclude<keyof ChannelUses, 'routing_rules'>

/**
 * Returns the names of the objects that use a channel and that the caller sees, by name, at most
 * `limit` of each kind. Row-level security does not decide which rules a caller sees
 * (services/api/routing/sight.ts).
 */
export async function namesOfUses(tx: Tx, tenant_id: string, channel_id: string, limit: number): Promise<Record<NamedUse, string[]>> {
  const { rows } = await tx.query<{ place: NamedUse; name: string }>(
    `SELECT place, name FROM (
       SELECT place, name, row_number() OVER (PARTITION BY place ORDER BY lower(name), name) AS nth FROM (
         SELECT 'monitors' AS place, name FROM monitors WHERE tenant_id = $1 AND $2 = ANY (channel_ids) AND deleted_at IS NULL
         UNION ALL SELECT 'heartbeats', name FROM heartbeats WHERE tenant_id = $1 AND $2 = ANY (channel_ids) AND deleted_at IS NULL
         UNION ALL SELECT 'escalation_policies', p.name FROM escalation_policies p WHERE p.tenant_id = $1 AND p.deleted_at IS NULL
           AND jsonb_path_exists(p.body, '$.steps[*].targets[*] ? (@.id == $id && (@.type == "channel" || @.type == "webhook"))',
                                 jsonb_build_object('id', $2::text))
         UNION ALL SELECT 'schedules', s.name FROM schedules s WHERE ${TELLS}
       ) AS used
     ) AS numbered WHERE nth <= $3 ORDER BY place, nth`,
    [tenant_id, channel_id, limit]
  )
  const names: Record<NamedUse, string[]> = { monitors: [], heartbeats: [], escalation_policies: [], schedules: [] }
  for (const { place, name } of rows) names[place].push(name)
  return names
}

/** Returns whether an e-mail channel for the address exists, however the address is spelled. */
export async function hasMailChannel(tx: Tx, tenant_id: string, recipient: string, except: string): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM notification_channels WHERE tenant_id = $1 AND kind = 'email' AND deleted_at IS NULL
                      AND lower(config ->> 'recipient') = lower($2) AND channel_id <> $3) AS found`,
    [tenant_id, recipient, except]
  )
  return rows[0]?.found ?? false
}

/** Stores a confirmation link. It replaces an earlier link of the channel. */
export async function insertConfirmation(tx: Tx, tenant_id: string, channel_id: string, recipient: string, sha256: Buffer): Promise<void> {
  await tx.query(
    `INSERT INTO channel_confirmations (tenant_id, channel_id, recipient, token_sha256, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(hours => $5))
     ON CONFLICT (tenant_id, channel_id) DO UPDATE
        SET recipient = excluded.recipient, token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at, created_at = now()`,
    [tenant_id, channel_id, recipient, sha256, CONFIRM_HOURS]
  )
}

/** Returns the seconds since the channel's link was made, or null when there is none. */
export async function ageOfConfirmation(tx: Tx, tenant_id: string, channel_id: string): Promise<number | null> {
  const { rows } = await tx.query<{ age: number }>(
    `SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 AS age FROM channel_confirmations WHERE tenant_id = $1 AND channel_id = $2`,
    [tenant_id, channel_id]
  )
  return rows[0]?.age ?? null
}

/** Uses a confirmation link of any workspace. Returns null when no valid link matches. */
export async function confirmChannel(tx: Tx, sha256: Buffer): Promise<{ tenant_id: string; channel_id: string } | null> {
  const { rows } = await tx.query<{ tenant_id: string; channel_id: string }>('SELECT tenant_id, channel_id FROM confirm_channel($1)', [
    sha256
  ])
  return rows[0] ?? null
}

/** Returns whether somebody of the workspace has verified this number or address. */
export async function isVerifiedAddress(tx: Tx, tenant_id: string, address: string): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT FROM verified_addresses WHERE tenant_id = $1 AND address = $2) AS found',
    [tenant_id, address]
  )
  return rows[0]?.found ?? false
}
