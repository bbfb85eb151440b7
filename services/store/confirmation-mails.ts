/**
 * The mails that ask an address to confirm an e-mail channel, counted over all workspaces. A row
 * stays for a day (0181_confirmation_mails.sql).
 * Source: docs/design/api/notifications.md#no-29.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { Tx } from './pool.ts'
import { takeTurns } from './verifications.ts'

export interface AskedWithinHour {
  /** Mails to the address, from any workspace. */
  to_address: number
  /** Mails of the workspace, to any address. */
  of_workspace: number
}

/**
 * Counts one more mail, after `takeTurns`. Returns how many there were within the hour before it.
 */
export async function countConfirmationMail(tx: Tx, tenant_id: string, recipient: string): Promise<AskedWithinHour> {
  const address = recipient.toLowerCase()
  await takeTurns(tx, tenant_id, address)
  const { rows } = await tx.query<AskedWithinHour>(
    `SELECT confirmation_mails_to($2) AS to_address,
            (SELECT count(*)::integer FROM confirmation_mails WHERE tenant_id = $1 AND asked_at > now() - interval '1 hour') AS of_workspace`,
    [tenant_id, address]
  )
  const [asked] = rows
  if (!asked) throw new Error('the mails were not counted')
  await tx.query('INSERT INTO confirmation_mails (tenant_id, mail_id, address) VALUES ($1, $2, $3)', [tenant_id, uuidv7(), address])
  return asked
}
