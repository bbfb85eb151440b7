/**
 * Sessions of people. A session ends `idle_seconds` after its last use, and at `expires_at` at the
 * latest. Deleting its row tells every cache of credentials at once.
 */
import type { Tx } from './pool.ts'

/** 7 days without a request. */
const IDLE_SECONDS = 7 * 24 * 3600
/** 30 days in all. */
const MAX_SECONDS = 30 * 24 * 3600

export interface NewSession {
  sha256: Buffer
  user_id: string
  ip: string
  user_agent: string | null
  /** The session outlives the browser's window. */
  remembered: boolean
  /** It ends at this time at the latest, in epoch ms, and after 30 days in any case. */
  until?: number
}

/**
 * Adds a session and returns when it ends at the latest, in epoch ms. Deletes the person's sessions
 * that have ended.
 */
export async function insertSession(tx: Tx, tenant_id: string, session: NewSession): Promise<number> {
  await tx.query(
    'DELETE FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND least(expires_at, last_seen_at + make_interval(secs => idle_seconds)) < now()',
    [tenant_id, session.user_id]
  )
  const { rows } = await tx.query<{ expires_at: number }>(
    `INSERT INTO sessions (session_sha256, tenant_id, user_id, idle_seconds, expires_at, ip, user_agent, remembered)
     VALUES ($1, $2, $3, $4, least(now() + make_interval(secs => $5), to_timestamp($9 / 1000.0)), $6, $7, $8) RETURNING expires_at`,
    [
      session.sha256,
      tenant_id,
      session.user_id,
      IDLE_SECONDS,
      MAX_SECONDS,
      session.ip,
      session.user_agent?.slice(0, 512) ?? null,
      session.remembered,
      session.until ?? null
    ]
  )
  if (!rows[0]) throw new Error('INSERT INTO sessions returned no row')
  return rows[0].expires_at
}

/** What a session hands on to the one that takes its place in another workspace. */
export interface Beginning {
  password_hash: string
  remembered: boolean
  /** When the session ends at the latest, in epoch ms. */
  until: number
}

/** Null when the session is gone. */
export async function beginningOf(tx: Tx, tenant_id: string, sha256: Buffer): Promise<Beginning | null> {
  const { rows } = await tx.query<Beginning>(
    `SELECT u.password_hash, s.remembered, s.expires_at AS until
       FROM sessions s JOIN users u USING (user_id) WHERE s.tenant_id = $1 AND s.session_sha256 = $2`,
    [tenant_id, sha256]
  )
  return rows[0] ?? null
}

/** Returns false when there was no such session. */
export async function deleteSession(tx: Tx, tenant_id: string, sha256: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM sessions WHERE tenant_id = $1 AND session_sha256 = $2', [tenant_id, sha256])
  return rowCount === 1
}

/** `uses`: by the hex SHA-256 of a session, when it was last used, in epoch ms. */
export async function touchSessions(tx: Tx, tenant_id: string, uses: ReadonlyMap<string, { at: number }>): Promise<void> {
  await tx.query(
    `UPDATE sessions s SET last_seen_at = greatest(s.last_seen_at, to_timestamp(u.at / 1000.0))
       FROM jsonb_to_recordset($2) AS u(sha256 text, at bigint) WHERE s.tenant_id = $1 AND s.session_sha256 = decode(u.sha256, 'hex')`,
    [tenant_id, JSON.stringify([...uses].map(([sha256, { at }]) => ({ sha256, at })))]
  )
}
