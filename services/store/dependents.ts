/**
 * Incidents that are held for the sake of what their monitors depend on.
 *
 * Whoever looks at held incidents takes the keys of these and of what they depend on in one sorted
 * statement, as the incident fold does, then the groups. What is written there is read behind it.
 * Source: docs/design/api/decision-rules.md#s23-6.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Incident } from '../../schemas/generated/events.ts'
import { heldAt, lookAgainAt } from '../../streams/incident/dependencies.ts'
import { nameOf } from '../../streams/incident/fold.ts'
import { type Command, type Event, reduceIncident } from '../../streams/incident/rules.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'
import { lockKeySql } from './alerts.ts'
import { parentsOf, readDepends } from './dependencies.ts'
import { commandContext, saveWith } from './incident-commands.ts'
import type { Tx } from './pool.ts'
import { type HoldEnd, holdsChanged, ongoingOf } from './releases.ts'
import { loadKeys } from './signal-keys.ts'

/** Looked at in one transaction. */
export const DEPENDENTS_PAGE = 100

/** Held incidents of what depends on a monitor, behind `after`, by id. */
export async function heldForMonitor(tx: Tx, tenant_id: string, monitor_id: string, after: string | null): Promise<string[]> {
  const { rows } = await tx.query<{ incident_id: string }>(
    `SELECT h.incident_id FROM incident_holds h JOIN incidents i USING (tenant_id, incident_id)
       JOIN monitors m ON m.tenant_id = i.tenant_id AND m.monitor_id = i.monitor_id
      WHERE h.tenant_id = $1 AND h.kind = 'dependency' AND i.status = 'ongoing' AND ($2 = ANY (m.depends_on) OR h.cause_id = $2)
        AND ($3::uuid IS NULL OR h.incident_id > $3) ORDER BY h.incident_id LIMIT $4`,
    [tenant_id, monitor_id, after, DEPENDENTS_PAGE]
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
  /** The rows of their keys, and of those of what they depend on. */
  signals: ReadonlyMap<string, SignalRow>
}

/** The rows that the transaction may decide about. */
async function lockWaiting(tx: Tx, tenant_id: string, incident_ids: readonly string[]): Promise<Locked> {
  const before = await tx.query<Waiting>(WAITING, [tenant_id, incident_ids])
  const keys = [...new Set(before.rows.map(({ lock_key }) => lock_key))].map((dedup_key) => ({ tenant_id, dedup_key }))
  const isGroup = ({ dedup_key }: { dedup_key: string }): boolean => dedup_key.startsWith('grp:')
  const monitors = before.rows.map(({ monitor_id }) => ({ tenant_id, monitor_id }))
  const alone = keys.filter((key) => !isGroup(key))
  const { signals } = await loadKeys(tx, alone, { monitors })
  await loadKeys(tx, keys.filter(isGroup))
  const locked = new Set(keys.map(({ dedup_key }) => dedup_key))
  // Others may have changed them before the locks were taken; what was merged has another key.
  const { rows } = await tx.query<Waiting>(WAITING, [tenant_id, incident_ids])
  return { rows: rows.filter(({ lock_key }) => locked.has(lock_key)), signals }
}

/**
 * Looks at incidents that are held for the sake of what their monitors depend on. What nothing
 * holds any more is told of. Returns when to look at the rest again (epoch ms); null: nothing is
 * left.
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
  const again: number[] = []
  const ended: Waiting[] = []
  for (const row of rows) {
    const { incident_id, monitor_id } = row
    // Of what is over the row stays: nobody was told of it alone.
    if (!ongoing.has(incident_id)) continue
    const own = depends.get(nameOf({ tenant_id, dedup_key: `mon:${monitor_id}` }))
    const held = own ? heldAt(parentsOf(tenant_id, own, signals), row, cause.at) : null
    if (!held) ended.push(row)
    else {
      again.push(lookAgainAt(held, cause.at))
      await tx.query(
        `UPDATE incident_holds SET cause_id = $3, state = $4 WHERE tenant_id = $1 AND incident_id = $2 AND kind = 'dependency'
            AND (cause_id, state) IS DISTINCT FROM ($3::uuid, $4::text)`,
        [tenant_id, incident_id, held.monitor_id, held.state]
      )
    }
  }
  await release(tx, codec, tenant_id, ended, ongoing, { by, ...cause })
  return again.length === 0 ? null : Math.min(...again)
}

async function release(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  ended: readonly Waiting[],
  ongoing: ReadonlyMap<string, Incident>,
  { by, ...cause }: HoldEnd & { by: string }
): Promise<void> {
  if (ended.length === 0) return
  const ids = ended.map(({ incident_id }) => incident_id)
  const events: Event[] = []
  const changed: { incident: Incident; seen: number }[] = []
  for (const { incident_id, cause_id } of ended) {
    const before = ongoing.get(incident_id)
    if (!before) continue
    const command: Command = { command: 'release', by, held_by: 'dependency', id: cause_id }
    const step = reduceIncident(before, command, commandContext({ now: cause.at }, cause))
    if (!step.incident) continue
    events.push(...step.events)
    changed.push({ incident: step.incident, seen: before.ver })
  }
  await tx.query(`DELETE FROM incident_holds WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[]) AND kind = 'dependency'`, [
    tenant_id,
    ids
  ])
  await saveWith(tx, codec, { incident: null, events, jobs: [] }, { signals: [], incidents: changed, counters: [] })
  await holdsChanged(tx, codec, tenant_id, ids, cause)
}
