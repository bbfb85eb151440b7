/**
 * Counts what a workspace sends by phone, against its plan: the text messages and calls of a month,
 * including codes.
 * Source: docs/design/api.md#s22.
 */
import { planOf } from '../../schemas/plans.ts'
import { usageNotice } from '../../streams/reach/feed-notices.ts'
import { feedJob } from './feed-jobs.ts'
import { forget } from './forget.ts'
import { changeJobs } from './jobs.ts'
import type { Pool, Tx } from './pool.ts'

const THIS_MONTH = "date_trunc('month', now() AT TIME ZONE 'UTC')::date"
const KEPT_MONTHS = 13

export interface PhoneQuota {
  used: number
  /** Null: no limit. */
  limit: number | null
}

export const isExhausted = ({ used, limit }: PhoneQuota): boolean => limit !== null && used >= limit

export async function phoneQuota(tx: Tx, tenant_id: string): Promise<PhoneQuota> {
  const { rows } = await tx.query<{ plan: string; used: number }>({
    name: 'phones-quota',
    text: `SELECT t.plan, coalesce((SELECT u.messages FROM phone_usage u WHERE u.tenant_id = t.tenant_id AND u.month = ${THIS_MONTH}), 0) AS used
             FROM tenants t WHERE t.tenant_id = $1`,
    values: [tenant_id]
  })
  const [row] = rows
  return row ? { used: row.used, limit: planOf(row.plan).limits.sms_voice_per_month } : { used: 0, limit: 0 }
}

interface Counted {
  tenant_id: string
  after: number
  plan: string
}

/**
 * Counts what was sent, one entry for each message. People get one notice when 80 % of the plan's
 * limit is used, and one when all of it is.
 */
export async function countPhones(tx: Tx, tenant_ids: readonly string[]): Promise<void> {
  if (tenant_ids.length === 0) return
  const { rows } = await tx.query<Counted>({
    name: 'phones-count',
    text: `INSERT INTO phone_usage AS u (tenant_id, month, messages)
           SELECT tenant_id, ${THIS_MONTH}, count(*) FROM unnest($1::uuid[]) AS sent (tenant_id) GROUP BY tenant_id ORDER BY tenant_id
           ON CONFLICT (tenant_id, month) DO UPDATE SET messages = u.messages + excluded.messages
           RETURNING tenant_id, messages AS after, (SELECT t.plan FROM tenants t WHERE t.tenant_id = u.tenant_id) AS plan`,
    values: [tenant_ids]
  })
  const at = Date.now()
  const notices = rows.flatMap(({ tenant_id, after, plan }) => {
    const before = after - tenant_ids.filter((one) => one === tenant_id).length
    const limit = planOf(plan).limits.sms_voice_per_month
    return usageNotice({ tenant_id, limit_key: 'sms_voice_per_month', what: 'Text messages and calls', before, after, limit, at }) ?? []
  })
  await changeJobs(tx, notices.map(feedJob))
}

/**
 * Deletes counts older than 13 months, and callbacks older than two days. Returns how many of both.
 */
export async function forgetPhones(pool: Pool): Promise<number> {
  const months = await forget(pool, 'phone_usage', `x.month < ${THIS_MONTH} - make_interval(months => $1)`, [KEPT_MONTHS])
  const callbacks = await forget(pool, 'callback_receipts', "x.taken_at < now() - interval '2 days'")
  return months + callbacks
}
