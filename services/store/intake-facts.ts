/**
 * Counts of deliveries that opened and changed nothing, as the doors report them, and the stretches
 * in which an integration ignored everything. These figures are only about health. A door reports
 * every few seconds. If a door dies, what it had not reported is lost; if the answer to a report is
 * lost, the report counts twice.
 */
import type { Owned } from '../../schemas/http/visibility.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

/** Longer reasons are cut. The table bounds their number. */
export const MAX_REASON = 120
/** Maximum number of reasons shown per integration. */
export const MAX_REASONS = 20
export const KEPT_DAYS = 31

/**
 * What a door counted for one integration since its last report. Times are epoch ms; null: none.
 */
export interface IntakeTold {
  tenant_id: string
  integration_id: string
  /** The last delivery that was processed. */
  processed_at: number | null
  /** The first ignored delivery after it, and the last ignored delivery of all. */
  ignoring_since: number | null
  last_ignored_at: number | null
  reasons: readonly { reason: string; deliveries: number; last_at: number }[]
}

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** Stores reports of doors, for any workspaces. For service_tenant. */
export async function noteIntake(pool: Pool, told: readonly IntakeTold[]): Promise<void> {
  const rows = told.map(({ processed_at, ignoring_since, last_ignored_at, reasons, ...named }) => ({
    ...named,
    processed_at: iso(processed_at),
    ignoring_since: iso(ignoring_since),
    last_ignored_at: iso(last_ignored_at),
    reasons: reasons.map((one) => ({ ...one, day: iso(one.last_at)?.slice(0, 10), last_at: iso(one.last_at) }))
  }))
  await pool.query({ name: 'note-intake', text: 'SELECT note_intake($1::jsonb)', values: [JSON.stringify(rows)] })
}

export interface Ignored {
  /** Epoch ms; null: the last delivery was processed, or none was ever ignored. */
  ignoring_since: number | null
  /** Reasons of the last 31 days, latest first. */
  reasons: { reason: string; deliveries: number; last_at: number }[]
}

/** Reads the ignored deliveries. Integrations that ignored nothing are missing. */
export async function readIgnored(tx: Tx, tenant_id: string, integration_ids: readonly string[]): Promise<Map<string, Ignored>> {
  const found = new Map<string, Ignored>()
  if (integration_ids.length === 0) return found
  const { rows: stretches } = await tx.query<{ integration_id: string; ignoring_since: number | null }>(
    'SELECT integration_id, ignoring_since FROM integration_stretches WHERE tenant_id = $1 AND integration_id = ANY ($2::uuid[])',
    [tenant_id, integration_ids]
  )
  for (const { integration_id, ignoring_since } of stretches) found.set(integration_id, { ignoring_since, reasons: [] })
  const { rows } = await tx.query<{ integration_id: string; reason: string; deliveries: number; last_at: number }>(
    `SELECT integration_id, reason, sum(deliveries)::bigint AS deliveries, max(last_at) AS last_at FROM integration_ignored
      WHERE tenant_id = $1 AND integration_id = ANY ($2::uuid[]) AND day > current_date - ${KEPT_DAYS}
      GROUP BY integration_id, reason ORDER BY integration_id, last_at DESC, reason`,
    [tenant_id, integration_ids]
  )
  for (const { integration_id, ...one } of rows) {
    const reasons = found.get(integration_id)?.reasons
    if (reasons && reasons.length < MAX_REASONS) reasons.push(one)
  }
  return found
}

/** A period of a day or more in which every delivery was ignored. */
export interface Stretch extends Owned {
  tenant_id: string
  integration_id: string
  name: string
  /** Epoch ms. */
  ignoring_since: number
  last_ignored_at: number
  /** The most frequent reason, if counts are kept. */
  reason: string | null
}

// A stretch lasts from its first to its last ignored delivery, so a single test followed by silence
// is none. A report covers its stretch: the next stretch to report begins after what had come by
// then.
const UNTOLD = `
  FROM integration_stretches s JOIN integrations i ON i.tenant_id = s.tenant_id AND i.integration_id = s.integration_id
 WHERE s.last_ignored_at - s.ignoring_since >= interval '1 day' AND (s.told_at IS NULL OR s.told_at < s.ignoring_since) AND i.enabled`

/** Returns `most` stretches, in any workspaces, that nobody was told about. For service_system. */
export async function untoldStretches(pool: Pool, most: number): Promise<Pick<Stretch, 'tenant_id' | 'integration_id'>[]> {
  const { rows } = await pool.query<Pick<Stretch, 'tenant_id' | 'integration_id'>>(
    `SELECT s.tenant_id, s.integration_id ${UNTOLD} ORDER BY 1, 2 LIMIT $1`,
    [most]
  )
  return rows
}

/** Marks a stretch as reported. Returns null if it has ended or was reported meanwhile. */
export async function claimStretch(tx: Tx, tenant_id: string, integration_id: string): Promise<Stretch | null> {
  const { rows } = await tx.query<Stretch>(
    `WITH due AS (SELECT s.tenant_id, s.integration_id, i.name, i.team_id, i.visibility ${UNTOLD} AND s.tenant_id = $1 AND s.integration_id = $2 FOR UPDATE OF s)
     UPDATE integration_stretches s SET told_at = s.last_ignored_at FROM due
      WHERE s.tenant_id = due.tenant_id AND s.integration_id = due.integration_id
     RETURNING s.tenant_id, s.integration_id, due.name, due.team_id, due.visibility, s.ignoring_since, s.last_ignored_at,
       (SELECT g.reason FROM integration_ignored g WHERE g.tenant_id = s.tenant_id AND g.integration_id = s.integration_id
           AND g.last_at >= s.ignoring_since GROUP BY g.reason ORDER BY sum(g.deliveries) DESC, g.reason LIMIT 1) AS reason`,
    [tenant_id, integration_id]
  )
  return rows[0] ?? null
}

/** Deletes counts of 31 days ago, in all workspaces. For service_system. */
export const forgetIgnored = (pool: Pool): Promise<number> =>
  forget(pool, 'integration_ignored', 'x.day <= current_date - $1::int', [KEPT_DAYS])
