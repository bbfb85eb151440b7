/**
 * API tokens of a workspace. Only the SHA-256 of a token is stored, never its value. Rows of
 * revoked tokens stay, but nobody is shown them.
 */

import type { Page } from '../../schemas/http/common.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import type { Tx } from './pool.ts'

export interface ApiToken {
  token_id: string
  tenant_id: string
  user_id: string
  name: string
  prefix: string
  scopes: string[]
  /** Epoch ms. */
  expires_at: number | null
  allowed_cidrs: string[]
  last_used_at: number | null
  last_used_ip: string | null
  ver: number
  created_at: number
  updated_at: number
}

export interface TokenSettings {
  name: string
  scopes: readonly string[]
  /** Epoch ms. */
  expires_at: number | null
  allowed_cidrs: readonly string[]
}

const COLUMNS =
  'token_id, tenant_id, user_id, name, prefix, scopes, expires_at, allowed_cidrs, last_used_at, last_used_ip, ver, created_at, updated_at'

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

const one = ({ rows }: { rows: ApiToken[] }): ApiToken | null => rows[0] ?? null

export async function countApiTokens(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM api_tokens WHERE tenant_id = $1 AND revoked_at IS NULL', [
    tenant_id
  ])
  return rows[0]?.count ?? 0
}

/** Newest first. */
export async function listApiTokens(tx: Tx, tenant_id: string, { page, per_page }: Page): Promise<{ items: ApiToken[]; total: number }> {
  const { rows } = await tx.query<ApiToken>(
    `SELECT ${COLUMNS} FROM api_tokens WHERE tenant_id = $1 AND revoked_at IS NULL ORDER BY created_at DESC, token_id DESC LIMIT $2 OFFSET $3`,
    [tenant_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: await countApiTokens(tx, tenant_id) }
}

/** Reads a token that is not revoked, or null. */
export async function readApiToken(tx: Tx, tenant_id: string, token_id: string): Promise<ApiToken | null> {
  return one(
    await tx.query<ApiToken>(`SELECT ${COLUMNS} FROM api_tokens WHERE tenant_id = $1 AND token_id = $2 AND revoked_at IS NULL`, [
      tenant_id,
      token_id
    ])
  )
}

/** Locks the row. Returns null when there is none or it is revoked. */
export async function lockApiToken(tx: Tx, tenant_id: string, token_id: string): Promise<ApiToken | null> {
  return one(
    await tx.query<ApiToken>(`SELECT ${COLUMNS} FROM api_tokens WHERE tenant_id = $1 AND token_id = $2 AND revoked_at IS NULL FOR UPDATE`, [
      tenant_id,
      token_id
    ])
  )
}

export async function insertApiToken(
  tx: Tx,
  tenant_id: string,
  token: TokenSettings & { user_id: string; sha256: Buffer; prefix: string }
): Promise<ApiToken> {
  const row = one(
    await tx.query<ApiToken>(
      `INSERT INTO api_tokens (tenant_id, token_id, user_id, name, prefix, token_sha256, scopes, expires_at, allowed_cidrs)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`,
      [
        tenant_id,
        uuidv7(),
        token.user_id,
        token.name,
        token.prefix,
        token.sha256,
        token.scopes,
        instant(token.expires_at),
        token.allowed_cidrs
      ]
    )
  )
  if (!row) throw new Error('INSERT INTO api_tokens returned no row')
  return row
}

/** Writes the settings of a locked token. Returns null when it is gone. */
export async function updateApiToken(tx: Tx, tenant_id: string, token_id: string, settings: TokenSettings): Promise<ApiToken | null> {
  return one(
    await tx.query<ApiToken>(
      `UPDATE api_tokens SET name = $3, scopes = $4, expires_at = $5, allowed_cidrs = $6, ver = ver + 1, updated_at = now()
        WHERE tenant_id = $1 AND token_id = $2 AND revoked_at IS NULL RETURNING ${COLUMNS}`,
      [tenant_id, token_id, settings.name, settings.scopes, instant(settings.expires_at), settings.allowed_cidrs]
    )
  )
}

/** Replaces the value of a token. The old value stops working. */
export async function replaceApiToken(
  tx: Tx,
  tenant_id: string,
  token_id: string,
  value: { sha256: Buffer; prefix: string }
): Promise<ApiToken | null> {
  return one(
    await tx.query<ApiToken>(
      `UPDATE api_tokens SET token_sha256 = $3, prefix = $4, ver = ver + 1, updated_at = now()
        WHERE tenant_id = $1 AND token_id = $2 AND revoked_at IS NULL RETURNING ${COLUMNS}`,
      [tenant_id, token_id, value.sha256, value.prefix]
    )
  )
}

/** Revokes a token. Returns the row after the change, or null when there was none to revoke. */
export async function revokeApiToken(tx: Tx, tenant_id: string, token_id: string): Promise<ApiToken | null> {
  return one(
    await tx.query<ApiToken>(
      `UPDATE api_tokens SET revoked_at = now(), ver = ver + 1, updated_at = now()
        WHERE tenant_id = $1 AND token_id = $2 AND revoked_at IS NULL RETURNING ${COLUMNS}`,
      [tenant_id, token_id]
    )
  )
}

/** Writes, by token id, when each token was last used (epoch ms) and from which address. */
export async function touchApiTokens(tx: Tx, tenant_id: string, uses: ReadonlyMap<string, { at: number; ip: string }>): Promise<void> {
  await tx.query(
    `UPDATE api_tokens t SET last_used_at = greatest(t.last_used_at, to_timestamp(u.at / 1000.0)), last_used_ip = u.ip
       FROM jsonb_to_recordset($2) AS u(token_id uuid, at bigint, ip text) WHERE t.tenant_id = $1 AND t.token_id = u.token_id`,
    [tenant_id, JSON.stringify([...uses].map(([token_id, { at, ip }]) => ({ token_id, at, ip })))]
  )
}
