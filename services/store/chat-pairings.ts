/**
 * Links that a member opens at a vendor to be linked as a sender there.
 *
 * Source: docs/design/api/notifications.md#no-11.
 */
import type { Sender } from './chat.ts'
import type { Tx } from './pool.ts'

type Account = Pick<Sender, 'vendor' | 'account'>

/** Makes the one open link of a member to this account. Returns when it expires, in epoch ms. */
export async function offerPairing(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  { vendor, account, channel_id }: Account & { channel_id: string | null },
  sha256: Buffer,
  seconds: number
): Promise<number> {
  await tx.query('DELETE FROM chat_pairings WHERE tenant_id = $1 AND expires_at < now()', [tenant_id])
  const { rows } = await tx.query<{ expires_at: number }>(
    `INSERT INTO chat_pairings (tenant_id, user_id, vendor, account, channel_id, code_sha256, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 second')
     ON CONFLICT (tenant_id, user_id, vendor, account) DO UPDATE
        SET channel_id = excluded.channel_id, code_sha256 = excluded.code_sha256, expires_at = excluded.expires_at
     RETURNING expires_at`,
    [tenant_id, user_id, vendor, account, channel_id, sha256, seconds]
  )
  const [row] = rows
  if (!row) throw new Error('INSERT INTO chat_pairings returned no row')
  return row.expires_at
}

/** Returns the workspace in which an open link was made, or null when no valid link matches. */
export async function pairingOf(tx: Tx, account: string, sha256: Buffer): Promise<string | null> {
  const { rows } = await tx.query<{ tenant_id: string | null }>('SELECT chat_pairing_of($1, $2) AS tenant_id', [account, sha256])
  return rows[0]?.tenant_id ?? null
}

/**
 * Uses up a link and returns whose it was. If two callers use it at once, one finds it gone. A
 * rollback undoes this.
 */
export async function takePairing(tx: Tx, tenant_id: string, account: string, sha256: Buffer): Promise<string | null> {
  const { rows } = await tx.query<{ user_id: string }>(
    `DELETE FROM chat_pairings WHERE tenant_id = $1 AND account = $2 AND code_sha256 = $3 AND channel_id IS NULL AND expires_at > now()
      RETURNING user_id`,
    [tenant_id, account, sha256]
  )
  return rows[0]?.user_id ?? null
}

/** Does the same for a link that chooses the group of a channel. */
export async function takeGroupLink(
  tx: Tx,
  tenant_id: string,
  account: string,
  sha256: Buffer
): Promise<{ user_id: string; channel_id: string } | null> {
  const { rows } = await tx.query<{ user_id: string; channel_id: string }>(
    `DELETE FROM chat_pairings WHERE tenant_id = $1 AND account = $2 AND code_sha256 = $3 AND channel_id IS NOT NULL AND expires_at > now()
      RETURNING user_id, channel_id`,
    [tenant_id, account, sha256]
  )
  return rows[0] ?? null
}
