/**
 * Releases ongoing incidents that nothing holds any more. Whoever ends a hold (a silence, a storm,
 * flapping) calls this in the transaction of that end, under the locks of the incidents' keys.
 * `holdsChanged` adds what follows from a release and writes it in the same transaction. A paused
 * target needs no call: its incident ends when it is resumed.
 * Source: docs/design/api/decision-rules.md#s23-8, docs/design/api/incidents.md#held.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Incident } from '../../schemas/generated/events.ts'
import { lockKeyOf } from '../../streams/incident/grouping.ts'
import { holdsOf } from '../../streams/incident/holds.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'
import { releaseJobOf } from '../../streams/incident/telling.ts'
import { lockKeySql } from './alerts.ts'
import { writeEffects } from './effects.ts'
import { releaseEscalation } from './escalation.ts'
import { loadHoldFacts } from './hold-facts.ts'
import { columnsOf, toIncident } from './incident-rows.ts'
import { seeingAll, type Tx } from './pool.ts'
import { loadKeys } from './signal-keys.ts'

/**
 * Most incidents that one transaction releases; the rest follows in the next. Alerts of these
 * incidents wait for its end, and so does everything that was read in a batch with them, of any
 * workspace.
 */
export const RELEASE_PAGE = 50

/** What a release follows from, in the form of an event's cause. */
export interface HoldEnd {
  /** Epoch ms. */
  at: number
  kind: 'command' | 'job'
  /** Actor as kind:id, or job:<id>. */
  src: string
  request_id: string | null
}

/** Returns those of the incidents that are ongoing, by id. */
export async function ongoingOf(tx: Tx, tenant_id: string, incident_ids: readonly string[]): Promise<Incident[]> {
  const { rows } = await tx.query<Incident>(
    `SELECT ${columnsOf('i')} FROM incidents i
      WHERE i.tenant_id = $1 AND i.incident_id = ANY ($2::uuid[]) AND i.status = 'ongoing' ORDER BY i.incident_id`,
    [tenant_id, incident_ids]
  )
  return rows.map(toIncident)
}

/**
 * Call this when a hold of these incidents has ended. Incidents that are ongoing and that nothing
 * else holds are reported, their escalation goes on, and they are returned. Holds count even when
 * the person who caused the change does not see them.
 */
export async function holdsChanged(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  incident_ids: readonly string[],
  { at }: HoldEnd
): Promise<Incident[]> {
  if (incident_ids.length === 0) return []
  return seeingAll(tx, async (tx) => {
    const incidents = await ongoingOf(tx, tenant_id, incident_ids)
    if (incidents.length === 0) return []
    const facts = await loadHoldFacts(tx, tenant_id, incidents, at)
    const released = incidents.filter((incident) => holdsOf(incident, facts, at).length === 0)
    await writeEffects(tx, { jobs: released.map((incident) => releaseJobOf(incident, at)) }, codec)
    await releaseEscalation(
      tx,
      tenant_id,
      released.map(({ incident_id }) => incident_id)
    )
    return released
  })
}

/**
 * Locks keys of incidents in the order of all locks (incidents.ts): groups come last. Returns the
 * rows of all keys but groups, with those of the monitors that `monitor_ids` depend on.
 */
export async function lockKeys(
  tx: Tx,
  tenant_id: string,
  dedup_keys: readonly string[],
  monitor_ids: readonly string[] = []
): Promise<ReadonlyMap<string, SignalRow>> {
  const keys = dedup_keys.map((dedup_key) => ({ tenant_id, dedup_key }))
  const isGroup = ({ dedup_key }: { dedup_key: string }): boolean => dedup_key.startsWith('grp:')
  const alone = keys.filter((key) => !isGroup(key))
  const monitors = monitor_ids.map((monitor_id) => ({ tenant_id, monitor_id }))
  const { signals } = await loadKeys(tx, alone, monitors.length === 0 ? {} : { monitors })
  await loadKeys(tx, keys.filter(isGroup))
  return signals
}

/**
 * Locks the keys of some incidents in the order of all locks (incidents.ts), for a change that does
 * not touch their alerts. Returns the incidents that are ongoing then, by id.
 */
export async function lockOngoing(tx: Tx, tenant_id: string, incident_ids: readonly string[]): Promise<Incident[]> {
  if (incident_ids.length === 0) return []
  const { rows } = await tx.query<{ dedup_key: string }>(
    `SELECT DISTINCT ${lockKeySql('i')} AS dedup_key FROM incidents i WHERE i.tenant_id = $1 AND i.incident_id = ANY ($2::uuid[])`,
    [tenant_id, incident_ids]
  )
  const locked = new Set(rows.map(({ dedup_key }) => dedup_key))
  await lockKeys(tx, tenant_id, [...locked])
  return (await ongoingOf(tx, tenant_id, incident_ids)).filter((incident) => locked.has(lockKeyOf(incident)))
}
