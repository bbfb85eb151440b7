/**
 * The timer of a person's digest. It is planned again whenever the person changes the preferences
 * or the time zone, and then covers the same start.
 *
 * Source: docs/design/api/notifications.md#digests.
 */
import { noWishes, type Wishes } from '../../schemas/http/notification-preferences.ts'
import { tzZones } from '../../streams/on-call/zones.ts'
import { nextDigestAt } from '../../streams/reach/digest.ts'
import { changeJobs } from './jobs.ts'
import type { Tx } from './pool.ts'

/** Plans the digest. Call it in the transaction that changes them. `now` is epoch ms. */
export async function planDigest(tx: Tx, tenant_id: string, user_id: string, now: number): Promise<void> {
  const { rows } = await tx.query<{ time_zone: string; body: Partial<Wishes> | null }>(
    `SELECT coalesce(u.time_zone, t.time_zone) AS time_zone, p.body
       FROM users u JOIN tenants t ON t.tenant_id = $1
       LEFT JOIN notification_preferences p ON p.tenant_id = $1 AND p.user_id = u.user_id WHERE u.user_id = $2`,
    [tenant_id, user_id]
  )
  const [found] = rows
  const key = `digest:${tenant_id}:${user_id}`
  const at = found ? nextDigestAt(found.body?.digest ?? noWishes.digest, found.time_zone, now, tzZones) : null
  // What has happened since the last digest is told by the next one, whenever that is due.
  const { rows: planned } = await tx.query<{ since: number }>(
    "SELECT (payload ->> 'from')::bigint AS since FROM jobs WHERE tenant_id = $1 AND idem_key = $2 FOR UPDATE",
    [tenant_id, key]
  )
  const from = planned[0]?.since ?? now
  await changeJobs(tx, [
    { cancel: key, tenant_id },
    ...(at === null ? [] : [{ start: 'digest', idem_key: key, tenant_id, run_at: at, payload: { user_id, from } }])
  ])
}
