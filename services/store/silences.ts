/**
 * Silences by a pattern. Whoever makes or changes one holds the workspace's lock (tenants.ts), so
 * that their number and cost stay bounded. A silence stays for FORGET_AFTER_DAYS after its end, so
 * that people can find why they were not told; then a daily chore of the clock deletes it.
 * Source: docs/design/api/alerts-and-routing.md#s6-4.
 */
import type { Page } from '../../schemas/http/common.ts'
import type { Condition } from '../../schemas/http/routing-words.ts'
import type { SilenceState } from '../../schemas/http/silence-words.ts'
import { MAX_SILENCES } from '../../schemas/http/silences.ts'
import { compileSilences, noSilences, type Silence, type SilenceSet } from '../../streams/routing/silences.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

/** What people set. Times are epoch ms. */
export interface SilenceSettings {
  matchers: readonly Condition[]
  comment: string
  starts_at: number
  ends_at: number
}

export interface StoredSilence extends Silence, SilenceSettings {
  tenant_id: string
  matchers: readonly Condition[]
  ver: number
  /** kind:id. */
  created_by: string
  /** Epoch ms. */
  created_at: number
  updated_at: number
}

const FORGET_AFTER_DAYS = 90

const COLUMNS = 'tenant_id, silence_id, ver, matchers, comment, starts_at, ends_at, expired_at, created_by, created_at, updated_at'
/** The state as silenceStateAt (streams/routing/silences.ts) computes it, at $2. */
const STATE = "CASE WHEN expired_at IS NOT NULL OR ends_at <= $2 THEN 'expired' WHEN starts_at > $2 THEN 'pending' ELSE 'active' END"

/**
 * Lists silences, the latest begin first. `states`: only those in one of these states; `at` in
 * epoch ms.
 */
export async function listSilences(
  tx: Tx,
  tenant_id: string,
  { states, at }: { states: readonly SilenceState[] | null; at: number },
  { page, per_page }: Page
): Promise<{ items: StoredSilence[]; total: number }> {
  const values = [tenant_id, new Date(at), states]
  const where = `tenant_id = $1 AND ($3::text[] IS NULL OR ${STATE} = ANY ($3))`
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM silences WHERE ${where}`, values)
  const { rows } = await tx.query<StoredSilence>(
    `SELECT ${COLUMNS} FROM silences WHERE ${where} ORDER BY starts_at DESC, silence_id DESC LIMIT $4 OFFSET $5`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** The silence, or null. */
export async function readSilence(tx: Tx, tenant_id: string, silence_id: string): Promise<StoredSilence | null> {
  const { rows } = await tx.query<StoredSilence>(`SELECT ${COLUMNS} FROM silences WHERE tenant_id = $1 AND silence_id = $2`, [
    tenant_id,
    silence_id
  ])
  return rows[0] ?? null
}

/** Returns the pending and active silences, in no order; at most one more than the limit. */
export async function silencesNotEnded(tx: Tx, tenant_id: string, at: number): Promise<Pick<StoredSilence, 'silence_id' | 'matchers'>[]> {
  const { rows } = await tx.query<Pick<StoredSilence, 'silence_id' | 'matchers'>>(
    'SELECT silence_id, matchers FROM silences WHERE tenant_id = $1 AND expired_at IS NULL AND ends_at > $2 LIMIT $3',
    [tenant_id, new Date(at), MAX_SILENCES + 1]
  )
  return rows
}

/** Counts the silences that are pending or active. */
export async function countSilences(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*) FROM silences WHERE tenant_id = $1 AND expired_at IS NULL AND ends_at > now()',
    [tenant_id]
  )
  return rows[0]?.count ?? 0
}

/** Returns the ids of the private teams that the transaction sees, including deleted ones. */
export async function privateTeams(tx: Tx, tenant_id: string): Promise<string[]> {
  const { rows } = await tx.query<{ team_id: string }>("SELECT team_id FROM teams WHERE tenant_id = $1 AND visibility = 'private'", [
    tenant_id
  ])
  return rows.map(({ team_id }) => team_id)
}

/** SQL: whether a silence with alias `s` is active at the time `at`. */
export const activeSql = (at: string): string => `s.expired_at IS NULL AND s.starts_at <= ${at} AND s.ends_at > ${at}`

/**
 * Loads and compiles the active silences that the transaction sees, at most as many as are allowed.
 * Whoever sees what a private team owns also sees that the team is private.
 */
export async function loadSilences(tx: Tx, tenant_id: string, at: number): Promise<SilenceSet> {
  const { rows } = await tx.query<Silence>({
    name: 'silences-active',
    text: `SELECT silence_id, matchers, starts_at, ends_at, expired_at FROM silences s
      WHERE tenant_id = $1 AND ${activeSql('$2')}
      ORDER BY starts_at, silence_id LIMIT $3`,
    values: [tenant_id, new Date(at), MAX_SILENCES]
  })
  return rows.length === 0 ? noSilences : compileSilences(rows, await privateTeams(tx, tenant_id))
}

/** `team_ids`: teams that the matchers name. */
export async function insertSilence(
  tx: Tx,
  tenant_id: string,
  silence_id: string,
  { matchers, comment, starts_at, ends_at }: SilenceSettings,
  { team_ids, created_by }: { team_ids: readonly string[]; created_by: string }
): Promise<void> {
  await tx.query(
    `INSERT INTO silences (tenant_id, silence_id, matchers, comment, starts_at, ends_at, team_ids, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [tenant_id, silence_id, JSON.stringify(matchers), comment, new Date(starts_at), new Date(ends_at), team_ids, created_by]
  )
}

/** As insertSilence. */
export async function updateSilence(
  tx: Tx,
  tenant_id: string,
  silence_id: string,
  { matchers, comment, starts_at, ends_at }: SilenceSettings,
  team_ids: readonly string[]
): Promise<void> {
  await tx.query(
    `UPDATE silences SET matchers = $3, comment = $4, starts_at = $5, ends_at = $6, team_ids = $7, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND silence_id = $2`,
    [tenant_id, silence_id, JSON.stringify(matchers), comment, new Date(starts_at), new Date(ends_at), team_ids]
  )
}

/** Ends it now. */
export async function expireSilence(tx: Tx, tenant_id: string, silence_id: string, at: number): Promise<void> {
  await tx.query(
    `UPDATE silences SET expired_at = $3, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND silence_id = $2 AND expired_at IS NULL`,
    [tenant_id, silence_id, new Date(at)]
  )
}

/** Deletes silences that ended FORGET_AFTER_DAYS ago. Returns how many. For service_system. */
export const forgetSilences = (pool: Pool): Promise<number> =>
  forget(pool, 'silences', 'coalesce(x.expired_at, x.ends_at) < now() - make_interval(days => $1)', [FORGET_AFTER_DAYS])
