/**
 * The certificates that the checks last saw. As service_system: what people were told about them.
 * For a workspace: its certificates, by expiry. Times are epoch ms.
 *
 * Source: docs/design/api/monitors.md#certificates.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { CheckConfig } from '../../schemas/http/check-config.ts'
import type { MonitorType } from '../../schemas/http/monitors.ts'
import { storable } from '../../streams/incident/rules.ts'
import type { CertificateChannel } from '../../streams/reach/certificate-intents.ts'
import { causeOf, type DeliveryRow, deliveryColumns, recordOf } from './deliveries.ts'
import { STATUS } from './monitors.ts'
import { insertOutgoing } from './outbox.ts'
import type { Pool, Tx } from './pool.ts'

export interface WatchedCertificate {
  tenant_id: string
  monitor_id: string
  name: string
  type: MonitorType
  target: string
  config: CheckConfig
  tags: string[]
  labels: Record<string, string>
  team_id: string | null
  visibility: 'org' | 'private'
  /** The monitor itself, or its team as it is now, is private. */
  is_private: boolean
  channel_ids: string[]
  tls_expiry_days: number[]
  watched: boolean
  paused: boolean
  not_after: number | null
  issuer: string | null
  /** Null: nobody was told about a certificate of the monitor. */
  told: { not_after: number; threshold: number; channel_ids: string[] } | null
  workspace: { name: string; slug: string }
}

/**
 * Returns `most` monitors after the id `after`, by id: those whose certificate ends within their
 * largest threshold at `now`, and those about whose certificate people were told.
 */
export async function endingCertificates(pool: Pool, after: string, most: number, now: number): Promise<WatchedCertificate[]> {
  const { rows } = await pool.query<WatchedCertificate>(
    `SELECT m.tenant_id, m.monitor_id, m.name, m.type, m.target, m.config, m.tags, m.labels, m.team_id, m.visibility, m.channel_ids, m.tls_expiry_days,
            m.visibility = 'private' OR coalesce(g.visibility = 'private', false) AS is_private,
            m.deleted_at IS NULL AS watched, m.paused_at IS NOT NULL AS paused,
            (s.state ->> 'certificate_not_after')::float8 AS not_after, s.state ->> 'certificate_issuer' AS issuer,
            CASE WHEN t.monitor_id IS NOT NULL THEN jsonb_build_object('not_after', round(extract(epoch FROM t.not_after) * 1000),
              'threshold', t.threshold_days, 'channel_ids', to_jsonb(t.channel_ids)) END AS told,
            jsonb_build_object('name', w.name, 'slug', w.slug) AS workspace
       FROM monitors m JOIN tenants w ON w.tenant_id = m.tenant_id
       LEFT JOIN partition_state s ON s.processor = 'status' AND s.key = m.monitor_id::text
       LEFT JOIN certificate_tellings t ON t.tenant_id = m.tenant_id AND t.monitor_id = m.monitor_id
       LEFT JOIN teams g ON g.tenant_id = m.tenant_id AND g.team_id = m.team_id
      WHERE m.monitor_id > $1 AND (t.monitor_id IS NOT NULL OR (m.deleted_at IS NULL AND m.paused_at IS NULL
        AND (s.state ->> 'certificate_not_after')::float8 <= $3::float8 + 86400000::float8 * (SELECT max(d) FROM unnest(m.tls_expiry_days) AS d)))
      ORDER BY m.monitor_id LIMIT $2`,
    [after, most, now]
  )
  return rows
}

/**
 * Returns the channels of these ids that exist; null: the default channels. `team_id`: team of a
 * monitor that not everybody sees, else null.
 */
export async function certificateChannels(
  tx: Tx,
  tenant_id: string,
  channel_ids: readonly string[] | null,
  team_id: string | null
): Promise<CertificateChannel[]> {
  const { rows } = await tx.query<CertificateChannel>(
    `SELECT c.channel_id, c.kind, to_jsonb(c.events) AS events, c.min_severity, c.enabled AND c.health_state <> 'disabled' AS works,
            ($3::uuid IS NULL OR coalesce(c.team_id = $3, false) OR $3 = ANY (c.allowed_team_ids)) AS may_hear
       FROM notification_channels c
      WHERE c.tenant_id = $1 AND c.deleted_at IS NULL AND CASE WHEN $2::uuid[] IS NULL THEN c.is_default ELSE c.channel_id = ANY ($2) END
      ORDER BY c.channel_id`,
    [tenant_id, channel_ids, team_id]
  )
  return rows
}

export interface ToldNow {
  monitor_id: string
  not_after: number
  threshold: number
  channel_ids: readonly string[]
}

/**
 * Saves who was told. Whoever was notified about the previous certificate is also notified when
 * this one ends.
 */
export async function saveToldCertificate(
  tx: Tx,
  tenant_id: string,
  { monitor_id, not_after, threshold, channel_ids }: ToldNow
): Promise<void> {
  await tx.query(
    `INSERT INTO certificate_tellings AS t (tenant_id, monitor_id, not_after, threshold_days, channel_ids) VALUES ($1, $2, $3, $4, $5::uuid[])
     ON CONFLICT (tenant_id, monitor_id) DO UPDATE SET not_after = excluded.not_after, threshold_days = excluded.threshold_days, told_at = now(),
       channel_ids = ARRAY(SELECT DISTINCT unnest(t.channel_ids || excluded.channel_ids))`,
    [tenant_id, monitor_id, new Date(not_after), threshold, channel_ids]
  )
}

/** Deletes the record of what people were told about this certificate. */
export async function endToldCertificate(tx: Tx, tenant_id: string, monitor_id: string, not_after: number): Promise<void> {
  await tx.query('DELETE FROM certificate_tellings WHERE tenant_id = $1 AND monitor_id = $2 AND not_after = $3', [
    tenant_id,
    monitor_id,
    new Date(not_after)
  ])
}

/**
 * Ends the queued warnings about a monitor's certificate. They are out of date, and a paging
 * service would open an alert that nothing closes. Returns whether one is being sent; nobody can be
 * told of the end before its outcome is known.
 */
export async function endWarnings(
  tx: Tx,
  tenant_id: string,
  { monitor_id, channel_ids }: Pick<ToldNow, 'monitor_id' | 'channel_ids'>,
  codec: Codec
): Promise<{ on_the_way: boolean }> {
  const warnings = `d.tenant_id = $1 AND d.target_id = ANY ($2::uuid[]) AND d.open AND d.event = 'ssl_expiry'
              AND d.said #>> '{certificate,monitor,id}' = $3::uuid::text`
  const values = [tenant_id, channel_ids, monitor_id]
  const { rows } = await tx.query<DeliveryRow & { now: number }>(
    `UPDATE deliveries d SET state = 'suppressed', suppressed_by = 'stale', suppressed_cause = 'resolved', ver = ver + 1, finished_at = now()
      WHERE ${warnings} AND d.state <> 'sending' RETURNING ${deliveryColumns}, now() AS now`,
    values
  )
  const cause = causeOf('notifier:certificates')
  const records = rows.map((row) =>
    recordOf(row, { state: 'suppressed', suppressed_by: 'stale', at: row.now, attempt: row.attempts, cause })
  )
  await insertOutgoing(tx, records, codec)
  const { rowCount } = await tx.query(`SELECT FROM deliveries d WHERE ${warnings} LIMIT 1`, values)
  return { on_the_way: (rowCount ?? 0) > 0 }
}

export interface ListedCertificate {
  monitor_id: string
  name: string
  type: MonitorType
  target: string
  config: CheckConfig
  status: 'up' | 'down' | 'paused'
  team_id: string | null
  tls_expiry_days: number[]
  not_after: number
  issuer: string | null
  chain_ok: boolean | null
  last_checked_at: number | null
  told_days: number | null
  told_at: number | null
  /** The expiry of the certificate that people were told about. */
  told_of: number | null
}

export interface CertificateFilter {
  team_id?: readonly string[] | undefined
  /** The certificate ends within this many days from `now`, or has ended. */
  within_days?: number | undefined
  /** Part of the name or target of the monitor, ignoring case. */
  q?: string | undefined
}

const NOT_AFTER = "(p.state ->> 'certificate_not_after')::float8"
/**
 * The expression is not strict, so that the join from monitor to state by key stays an outer join.
 */
const ENDS = `coalesce(${NOT_AFTER}, 'infinity')`

/**
 * Returns one page of the certificates that the transaction sees, by expiry, and the total number.
 */
export async function listCertificates(
  tx: Tx,
  tenant_id: string,
  { team_id, within_days, q }: CertificateFilter,
  { page, per_page, now }: { page: number; per_page: number; now: number }
): Promise<{ items: ListedCertificate[]; total: number }> {
  const values: unknown[] = [tenant_id]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const conditions = ['m.tenant_id = $1', 'm.deleted_at IS NULL', `${ENDS} < 'infinity'`]
  if (team_id) conditions.push(`m.team_id = ANY (${bind(team_id)}::uuid[])`)
  if (within_days !== undefined) conditions.push(`${ENDS} <= ${bind(now + within_days * 86_400_000)}::float8`)
  if (q !== undefined) {
    const part = bind(`%${storable(q).replace(/[\\%_]/g, '\\$&')}%`)
    conditions.push(`(m.name ILIKE ${part} OR m.target ILIKE ${part})`)
  }
  const from = `FROM monitors m LEFT JOIN partition_state p ON p.processor = 'status' AND p.key = m.state_key AND p.tenant_id = m.tenant_id
     LEFT JOIN certificate_tellings c ON c.tenant_id = m.tenant_id AND c.monitor_id = m.monitor_id
    WHERE ${conditions.join(' AND ')}`
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total ${from}`, values)
  const { rows } = await tx.query<ListedCertificate>(
    `SELECT m.monitor_id, m.name, m.type, m.target, m.config, ${STATUS} AS status, m.team_id, m.tls_expiry_days, ${NOT_AFTER} AS not_after,
            p.state ->> 'certificate_issuer' AS issuer, (p.state ->> 'certificate_chain_ok')::boolean AS chain_ok,
            (p.state ->> 'last_checked_at')::float8 AS last_checked_at, c.threshold_days AS told_days, c.told_at, c.not_after AS told_of
       ${from} ORDER BY ${NOT_AFTER}, lower(m.name), m.monitor_id LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}
