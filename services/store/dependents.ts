/**
 * Incidents that are held because of what their monitors depend on.
 *
 * Before checking held incidents, a transaction locks the keys of these and of their parents in one
 * sorted statement, as the incident fold does, and then the groups. It reads what was written there
 * only after that.
 *
 * Source: docs/design/api/decision-rules.md#s23-6.
 */
import type { Codec } from '../../schemas/codec.ts'
import { heldAt, lookAgainAt } from '../../streams/incident/dependencies.ts'
import { nameOf } from '../../streams/incident/fold.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'
import { lockKeySql } from './alerts.ts'
import { parentsOf, readDepends } from './dependencies.ts'
import type { Tx } from './pool.ts'
import { type Commanded, stepAll } from './release-steps.ts'
import { type HoldEnd, holdsChanged, lockKeys, ongoingOf, RELEASE_PAGE } from './releases.ts'

/** Returns held incidents of monitors that depend on this monitor, after `after`, by id. */
export async function heldForMonitor(tx: Tx, tenant_id: string, monitor_id: string, after: string | null): Promise<string[]> {
  const { rows } = await tx.query<{ incident_id: string }>(
    `SELECT h.incident_id FROM incident_holds h JOIN incidents i USING (tenant_id, incident_id)
       JOIN monitors m ON m.tenant_id = i.tenant_id AND m.monitor_id = i.monitor_id
      WHERE h.tenant_id = $1 AND h.kind = 'dependency' AND i.status = 'ongoing' AND ($2 = ANY (m.depends_on) OR h.cause_id = $2)
        AND ($3::uuid IS NULL OR h.incident_id > $3) ORDER BY h.incident_id LIMIT $4`,
    [tenant_id, monitor_id, after, RELEASE_PAGE]
  )
  return rows.map(({ incident_id }) => incident_id)
}

interface Waiting {
  incident_id: string
  lock_key: string
  monitor_id: string
  /** The one that counted. */
  cause_id: string
  began_at: number
  wait_seconds: number
  bound_at: number
}

const WAITING = `
  SELECT h.incident_id, ${lockKeySql('i')} AS lock_key, i.monitor_id, h.cause_id, h.began_at, h.wait_seconds, h.bound_at
    FROM incident_holds h JOIN incidents i USING (tenant_id, incident_id)
   WHERE h.tenant_id = $1 AND h.incident_id = ANY ($2::uuid[]) AND h.kind = 'dependency' ORDER BY h.incident_id`

interface Locked {
  rows: Waiting[]
  /** The rows of their keys and of their parents' keys. */
  signals: ReadonlyMap<string, SignalRow>
}

/** Locks and returns the rows that the transaction may decide about. */
async function lockWaiting(tx: Tx, tenant_id: string, incident_ids: readonly string[]): Promise<Locked> {
  const before = await tx.query<Waiting>(WAITING, [tenant_id, incident_ids])
  const locked = new Set(before.rows.map(({ lock_key }) => lock_key))
  const monitor_ids = before.rows.map(({ monitor_id }) => monitor_id)
  const signals = await lockKeys(tx, tenant_id, [...locked], monitor_ids)
  // Others may have changed the rows before the locks were taken. A merged incident has another
  // key.
  const { rows } = await tx.query<Waiting>(WAITING, [tenant_id, incident_ids])
  return { rows: rows.filter(({ lock_key }) => locked.has(lock_key)), signals }
}

/**
 * Checks incidents that are held because of what their monitors depend on. Releases and reports
 * those that nothing holds any more. Returns when to check the rest again (epoch ms), or null when
 * none is left.
 */
export async function lookAtWaiting(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  incident_ids: readonly string[],
  { by, ...cause }: HoldEnd & { by: string }
): Promise<number | null> {
  const { rows, signals } = await lockWaiting(tx, tenant_id, incident_ids)
  const depends = await readDepends(
    tx,
    tenant_id,
    rows.map(({ monitor_id }) => monitor_id)
  )
  const ongoing = new Map((await ongoingOf(tx, tenant_id, incident_ids)).map((incident) => [incident.incident_id, incident]))
  const held: { incident_id: string; cause_id: string; state: string }[] = []
  const again: number[] = []
  const ended: Commanded[] = []
  for (const row of rows) {
    const { incident_id, monitor_id, cause_id } = row
    const incident = ongoing.get(incident_id)
    // If the incident is over, its row stays: nobody was notified of it separately.
    if (!incident) continue
    const own = depends.get(nameOf({ tenant_id, dedup_key: `mon:${monitor_id}` }))
    const wait = own ? heldAt(parentsOf(tenant_id, own, signals), row, cause.at) : null
    if (wait) {
      again.push(lookAgainAt(wait, cause.at))
      held.push({ incident_id, cause_id: wait.monitor_id, state: wait.state })
    } else ended.push({ incident, command: { command: 'release', by, held_by: 'dependency', id: cause_id } })
  }
  await saveCauses(tx, tenant_id, held)
  await release(tx, codec, tenant_id, ended, cause)
  return again.length === 0 ? null : Math.min(...again)
}

/** Saves what holds these incidents now, where it has changed. */
async function saveCauses(
  tx: Tx,
  tenant_id: string,
  held: readonly { incident_id: string; cause_id: string; state: string }[]
): Promise<void> {
  if (held.length === 0) return
  await tx.query(
    `UPDATE incident_holds h SET cause_id = n.cause_id, state = n.state
       FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS n (incident_id, cause_id, state)
      WHERE h.tenant_id = $1 AND h.incident_id = n.incident_id AND h.kind = 'dependency'
        AND (h.cause_id, h.state) IS DISTINCT FROM (n.cause_id, n.state)`,
    [tenant_id, held.map(({ incident_id }) => incident_id), held.map(({ cause_id }) => cause_id), held.map(({ state }) => state)]
  )
}

async function release(tx: Tx, codec: Codec, tenant_id: string, ended: readonly Commanded[], cause: HoldEnd): Promise<void> {
  if (ended.length === 0) return
  const ids = ended.map(({ incident }) => incident.incident_id)
  await tx.query(`DELETE FROM incident_holds WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[]) AND kind = 'dependency'`, [
    tenant_id,
    ids
  ])
  await stepAll(tx, codec, ended, cause)
  await holdsChanged(tx, codec, tenant_id, ids, cause)
}
