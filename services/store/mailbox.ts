/** Mails of a local run. They are never sent, but kept for owners and admins to read. */
import type { Page } from '../../schemas/http/common.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

const KEPT = 200

export interface KeptMail {
  mail_id: string
  /** Epoch ms. */
  at: number
  recipient: string
  subject: string
}

export async function keepMail(tx: Tx, tenant_id: string, mail: { recipient: string; subject: string; mime: string }): Promise<void> {
  await tx.query({
    name: 'mailbox-keep',
    // The DELETE does not see the new mail: it chooses among the mails before it.
    text: `WITH kept AS (INSERT INTO mailbox (tenant_id, mail_id, recipient, subject, mime) VALUES ($1, $2, $3, $4, $5))
           DELETE FROM mailbox WHERE tenant_id = $1 AND mail_id IN (
             SELECT mail_id FROM mailbox WHERE tenant_id = $1 ORDER BY at DESC, mail_id DESC OFFSET $6 - 1)`,
    values: [tenant_id, uuidv7(), mail.recipient, mail.subject, mail.mime, KEPT]
  })
}

/** Newest first. */
export async function listMails(tx: Tx, tenant_id: string, { page, per_page }: Page): Promise<{ items: KeptMail[]; total: number }> {
  const counted = await tx.query<{ total: number }>('SELECT count(*) AS total FROM mailbox WHERE tenant_id = $1', [tenant_id])
  const { rows } = await tx.query<KeptMail>(
    'SELECT mail_id, at, recipient, subject FROM mailbox WHERE tenant_id = $1 ORDER BY at DESC, mail_id DESC LIMIT $2 OFFSET $3',
    [tenant_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

export async function readMail(tx: Tx, tenant_id: string, mail_id: string): Promise<(KeptMail & { mime: string }) | null> {
  const { rows } = await tx.query<KeptMail & { mime: string }>(
    'SELECT mail_id, at, recipient, subject, mime FROM mailbox WHERE tenant_id = $1 AND mail_id = $2',
    [tenant_id, mail_id]
  )
  return rows[0] ?? null
}

export const emptyMailbox = (tx: Tx, tenant_id: string): Promise<unknown> =>
  tx.query('DELETE FROM mailbox WHERE tenant_id = $1', [tenant_id])

const KEPT_DAYS = 30

/** Deletes mails older than 30 days. Returns how many. */
export const forgetMails = (pool: Pool): Promise<number> => forget(pool, 'mailbox', 'x.at < now() - make_interval(days => $1)', [KEPT_DAYS])
