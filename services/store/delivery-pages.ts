/**
 * Pages to people, the acknowledgement that takes them back, and the silence that puts them off.
 * After the acknowledgement commits, no page of the incident is claimed. Whoever holds the row of a
 * page at that moment decides about it; nothing else waits:
 *
 *   queued, retrying   taken back in the transaction that acknowledges (cancelPages)
 *   sending            goes on; before a repeat, its worker checks the incident under a
 *                      lock that the acknowledgement waits for (takenBack)
 *   its claim ran out  is freed or taken back, under the same lock, before it can be claimed
 *                      (freePages)
 *   has failed         goes to the person's next method under the same lock, if nobody has
 *                      acknowledged (phone-fallback.ts)
 *
 * A page that a person sends by hand after the acknowledgement is not affected: not by its repeats
 * either, until somebody acknowledges once more.
 *
 * A silence puts off each page of a policy when it is claimed (before-sending.ts). When the silence
 * ends early, these pages are due at once (releasePages). A page that is being put off meanwhile is
 * checked under the lock of its incident (takenBack).
 *
 * Source: docs/design/api/notifications.md#s8-5, docs/design/api/on-call.md#runs.
 */
import type { Codec } from '../../schemas/codec.ts'
import { askedFor, askedForSql, causeOf, columnsOf, type DeliveryRow, isPage, LOST, pageSql, recordOf, SILENCED } from './deliveries.ts'
import type { Step } from './delivery-outcomes.ts'
import { insertOutgoing } from './outbox.ts'
import { fallsBack } from './phone-fallback.ts'
import type { Tx } from './pool.ts'

type Ended = DeliveryRow & { now: number }

const recordsOf = (rows: readonly Ended[], src: string, kind: 'command' | 'job') =>
  rows.map((row) =>
    recordOf(row, {
      state: 'suppressed',
      suppressed_by: 'acknowledged',
      at: row.now,
      attempt: row.attempts,
      cause: { ...causeOf(src), kind }
    })
  )

/**
 * Takes back waiting pages in the transaction that acknowledges, after its change of the incident.
 * Deliveries to channels stay.
 */
export async function cancelPages(tx: Tx, tenant_id: string, incident_id: string, src: string, codec: Codec): Promise<void> {
  const { rows } = await tx.query<Ended>({
    name: 'deliveries-cancel-pages',
    text: `UPDATE deliveries d SET state = 'suppressed', suppressed_by = 'acknowledged', ver = ver + 1, finished_at = now()
            WHERE tenant_id = $1 AND incident_id = $2 AND state IN ('queued', 'retrying') AND ${pageSql('d')}
        RETURNING ${columnsOf('d')}, now() AS now`,
    values: [tenant_id, incident_id]
  })
  await insertOutgoing(tx, recordsOf(rows, src, 'command'), codec)
}

/** Makes pages that waited for the end of a silence due, in the transaction that ends it. */
export async function releasePages(tx: Tx, tenant_id: string, incident_id: string): Promise<void> {
  await tx.query({
    name: 'deliveries-release-pages',
    text: `UPDATE deliveries d SET next_at = now()
            WHERE tenant_id = $1 AND incident_id = $2 AND state = 'retrying' AND error_code = '${SILENCED}' AND next_at > now()`,
    values: [tenant_id, incident_id]
  })
}

/** Locks in the same order as every transaction that locks several incidents. */
const LOCK = `
  SELECT i.incident_id, i.acknowledged_at, i.silenced_until FROM incidents i JOIN unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, incident_id) USING (tenant_id, incident_id)
   ORDER BY i.tenant_id, i.incident_id FOR SHARE OF i`

/**
 * Returns the steps to write: a page that would be repeated is taken back if somebody has
 * acknowledged since it was asked for, and a page that a silence puts off is due if the silence is
 * over. Its incident stays locked until the transaction ends, and so does that of a page that may
 * go to the person's next method.
 */
export async function takenBack(tx: Tx, steps: readonly Step[]): Promise<readonly Step[]> {
  const again = steps.filter(({ row, state }) => state === 'retrying' && isPage(row) && row.incident_id !== null)
  const locked = [...again, ...steps.filter((step) => fallsBack(step) && step.row.incident_id !== null)]
  if (locked.length === 0) return steps
  const { rows } = await tx.query<{ incident_id: string; acknowledged_at: number | null; silenced_until: number | null }>({
    name: 'delivery-pages-lock',
    text: LOCK,
    values: [locked.map(({ row }) => row.tenant_id), locked.map(({ row }) => row.incident_id)]
  })
  const found = new Map(rows.map((incident) => [incident.incident_id, incident]))
  const asked = new Set(again)
  return steps.map((step): Step => {
    const incident = asked.has(step) ? found.get(step.row.incident_id ?? '') : undefined
    if (!incident) return step
    const { acknowledged_at, silenced_until } = incident
    if (acknowledged_at === null || acknowledged_at < askedFor(step.row))
      return step.error_code === SILENCED && silenced_until === null ? { ...step, next_at: step.at } : step
    return { ...step, state: 'suppressed', suppressed_by: 'acknowledged', suppressed_cause: null, next_at: null }
  })
}

const MAX_FREED = 100

const FREE = `
  WITH lost AS (
    SELECT d.tenant_id, d.delivery_id, coalesce(i.acknowledged_at >= ${askedForSql('d')}, false) AS ends
      FROM deliveries d JOIN incidents i ON i.tenant_id = d.tenant_id AND i.incident_id = d.incident_id
     WHERE d.state = 'sending' AND d.next_at <= now() AND ${pageSql('d')}
     LIMIT ${MAX_FREED} FOR UPDATE OF d SKIP LOCKED FOR SHARE OF i SKIP LOCKED
  )
  UPDATE deliveries d
     SET ${LOST}, state = CASE WHEN l.ends THEN 'suppressed' ELSE 'retrying' END, suppressed_by = CASE WHEN l.ends THEN 'acknowledged' END,
         ver = d.ver + l.ends::integer, finished_at = CASE WHEN l.ends THEN now() END
    FROM lost l WHERE d.tenant_id = l.tenant_id AND d.delivery_id = l.delivery_id
  RETURNING ${columnsOf('d')}, d.state, now() AS now`

/**
 * Frees pages whose claims ran out, or takes them back, at most 100. An incident that somebody is
 * changing is left for the next look. As service_system. Returns how many.
 */
export async function freePages(tx: Tx, src: string, codec: Codec): Promise<number> {
  const { rows } = await tx.query<Ended & { state: string }>({ name: 'delivery-pages-free', text: FREE })
  const ended = rows.filter(({ state }) => state === 'suppressed')
  if (ended.length > 0) await insertOutgoing(tx, recordsOf(ended, src, 'job'), codec)
  return rows.length
}
