/**
 * Counts what a workspace sends by phone, against its plan: the text messages and calls of a month,
 * including codes.
 * Source: docs/design/api.md#s22.
 */
import { planOf } from '../../schemas/plans.ts'
import { usageNotice } from '../../streams/reach/feed-notices.ts'
import { feedJob, noticeIdOf } from './feed-jobs.ts'
import { forget } from './forget.ts'
import { changeJobs } from './jobs.ts'
import type { Pool, Tx } from './pool.ts'

const THIS_MONTH = "date_trunc('month', now() AT TIME ZONE 'UTC')::date"
const KEPT_MONTHS = 13
/** The limit of the plan. A delivery that it refuses names it as the cause. */
export const PHONE_LIMIT = 'sms_voice_per_month'
const PHONES = { limit_key: PHONE_LIMIT, what: 'Text messages and calls' }

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
  return row ? { used: row.used, limit: planOf(row.plan).limits[PHONE_LIMIT] } : { used: 0, limit: 0 }
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
    return usageNotice({ ...PHONES, tenant_id, before, after, limit: planOf(plan).limits[PHONE_LIMIT], at }) ?? []
  })
  await changeJobs(tx, notices.map(feedJob))
}

/**
 * Tells people that the limit is used up, if nobody has. `refused`: what was not sent. A smaller
 * plan can use up the month without a message, so no count passes the limit.
 */
export async function tellUsedUp(
  tx: Tx,
  refused: readonly { tenant_id: string; suppressed_by: string | null; suppressed_cause: string | null }[]
): Promise<void> {
  const byQuota = refused.filter(({ suppressed_by, suppressed_cause }) => suppressed_by === 'quota' && suppressed_cause === PHONE_LIMIT)
  for (const tenant_id of new Set(byQuota.map((one) => one.tenant_id))) {
    const { used, limit } = await phoneQuota(tx, tenant_id)
    const notice = limit !== null && used >= limit && usageNotice({ ...PHONES, tenant_id, before: 0, after: used, limit, at: Date.now() })
    if (!notice) continue
    // After the first refusal of a month this read is all that is left to do.
    const told = await tx.query('SELECT FROM feed WHERE tenant_id = $1 AND notice_id = $2 LIMIT 1', [tenant_id, noticeIdOf(notice)])
    if (told.rowCount === 0) await changeJobs(tx, [feedJob(notice)])
  }
}

/**
 * Deletes counts older than 13 months, and callbacks older than two days. Returns how many of both.
 */
export async function forgetPhones(pool: Pool): Promise<number> {
  const months = await forget(pool, 'phone_usage', `x.month < ${THIS_MONTH} - make_interval(months => $1)`, [KEPT_MONTHS])
  const callbacks = await forget(pool, 'callback_receipts', "x.taken_at < now() - interval '2 days'")
  return months + callbacks
}
