/**
 * Codes that prove a number or an address: which were sent, how often one was tried, and what is
 * proven.
 * Source: docs/design/api/notifications.md#no-8.
 */
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

export type CodeWay = 'email' | 'sms' | 'voice'

export interface SentCodes {
  /** Codes sent to the address within the hour, from any workspace. */
  to_address: number
  /** Epoch ms of the last one; null: none within the hour. */
  last_at: number | null
  /** Codes of the workspace within the hour. */
  of_workspace: number
  /** Epoch ms by the database's clock. */
  now: number
}

const lock = (tx: Tx, key: string) => tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 62))', [key])

/**
 * Lets transactions that send something for the workspace take turns until each of them ends. Then
 * each counts what the others sent.
 */
export const takeTurn = (tx: Tx, tenant_id: string): Promise<unknown> => lock(tx, `workspace ${tenant_id}`)

/** Like takeTurn, and also lets all transactions that send something to this address take turns. */
export async function takeTurns(tx: Tx, tenant_id: string, address: string): Promise<void> {
  await takeTurn(tx, tenant_id)
  await lock(tx, `address ${address}`)
}

/** Returns what was sent, after `takeTurns`. */
export async function lockSentCodes(tx: Tx, tenant_id: string, address: string): Promise<SentCodes> {
  await takeTurns(tx, tenant_id, address)
  const { rows } = await tx.query<SentCodes>(
    `SELECT s.sent AS to_address, s.last_at, clock_timestamp() AS now,
            (SELECT count(*) FROM verification_codes v WHERE v.tenant_id = $1 AND v.created_at > now() - interval '1 hour')::integer AS of_workspace
       FROM codes_sent_to($2) s`,
    [tenant_id, address]
  )
  const [row] = rows
  if (!row) throw new Error('codes_sent_to returned no row')
  return row
}

export interface NewCode {
  verification_id: string
  user_id: string
  way: CodeWay
  address: string
  code_hmac: Buffer
  /** Epoch ms. */
  expires_at: number
}

export async function insertCode(tx: Tx, tenant_id: string, code: NewCode): Promise<void> {
  const { verification_id, user_id, way, address, code_hmac, expires_at } = code
  await tx.query(
    `INSERT INTO verification_codes (tenant_id, verification_id, user_id, method_kind, address, code_hmac, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [tenant_id, verification_id, user_id, way, address, code_hmac, new Date(expires_at)]
  )
}

export interface OpenCode {
  verification_id: string
  code_hmac: Buffer
  tries: number
}

/** Returns and locks the newest valid code that was sent to a person; null when there is none. */
export async function lockCode(tx: Tx, tenant_id: string, user_id: string, address: string): Promise<OpenCode | null> {
  const { rows } = await tx.query<OpenCode>(
    `SELECT verification_id, code_hmac, tries FROM verification_codes
      WHERE tenant_id = $1 AND user_id = $2 AND address = $3 AND used_at IS NULL AND expires_at > now()
      ORDER BY created_at DESC LIMIT 1 FOR UPDATE`,
    [tenant_id, user_id, address]
  )
  return rows[0] ?? null
}

export async function countTry(tx: Tx, tenant_id: string, verification_id: string): Promise<void> {
  await tx.query('UPDATE verification_codes SET tries = tries + 1 WHERE tenant_id = $1 AND verification_id = $2', [
    tenant_id,
    verification_id
  ])
}

/** Whether a code must still be sent: it is valid, and nobody has used it. */
export async function isCodeOpen(tx: Tx, tenant_id: string, verification_id: string): Promise<boolean> {
  const { rows } = await tx.query<{ open: boolean }>(
    'SELECT used_at IS NULL AND expires_at > now() AS open FROM verification_codes WHERE tenant_id = $1 AND verification_id = $2',
    [tenant_id, verification_id]
  )
  return rows[0]?.open ?? false
}

/**
 * Records that the address belongs to the person: their methods are verified, and channels of the
 * workspace may use the number. Returns when, in epoch ms.
 */
export async function proveAddress(tx: Tx, tenant_id: string, user_id: string, address: string, verification_id: string): Promise<number> {
  const { rows } = await tx.query<{ at: number }>(
    `WITH used AS (UPDATE verification_codes SET used_at = now() WHERE tenant_id = $1 AND verification_id = $4),
     proven AS (INSERT INTO verified_addresses AS v (tenant_id, address, verified_by) VALUES ($1, $3, $2)
                ON CONFLICT (tenant_id, address) DO UPDATE SET verified_at = now(), verified_by = excluded.verified_by),
     methods AS (UPDATE contact_methods SET verified_at = now(), updated_at = now()
                  WHERE tenant_id = $1 AND user_id = $2 AND address = $3 AND verified_at IS NULL),
     channels AS (UPDATE notification_channels SET verified_at = now(), ver = ver + 1, updated_at = now()
                   WHERE tenant_id = $1 AND kind IN ('sms', 'voice') AND config ->> 'number' = $3 AND verified_at IS NULL AND deleted_at IS NULL)
     SELECT now() AS at`,
    [tenant_id, user_id, address, verification_id]
  )
  const at = rows[0]?.at
  if (at === undefined) throw new Error('Postgres told no time')
  return at
}

/**
 * Returns those of the addresses that this person has proven in this workspace, with the time in
 * epoch ms.
 */
export async function provenBy(tx: Tx, tenant_id: string, user_id: string, addresses: readonly string[]): Promise<Map<string, number>> {
  if (addresses.length === 0) return new Map()
  const { rows } = await tx.query<{ address: string; verified_at: number }>(
    'SELECT address, verified_at FROM verified_addresses WHERE tenant_id = $1 AND verified_by = $2 AND address = ANY ($3)',
    [tenant_id, user_id, addresses]
  )
  return new Map(rows.map(({ address, verified_at }) => [address, verified_at]))
}

/**
 * Deletes codes, and links of channels, that expired a day ago, and counted mails of a day ago.
 * Returns how many of all.
 */
export async function forgetVerifications(pool: Pool): Promise<number> {
  const codes = await forget(pool, 'verification_codes', "x.expires_at < now() - interval '1 day'")
  const links = await forget(pool, 'channel_confirmations', "x.expires_at < now() - interval '1 day'")
  const mails = await forget(pool, 'confirmation_mails', "x.asked_at < now() - interval '1 day'")
  return codes + links + mails
}
