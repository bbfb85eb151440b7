/**
 * Returns what holds incidents now. For an incident that is over: what held its failure when it
 * ended, as far as the facts of that time are kept. How long its notification was late must not
 * decide whether people are notified.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { type Hold, holdsOf } from '../../streams/incident/holds.ts'
import { loadHoldFactsOfEach } from '../store/hold-facts.ts'
import type { Tx } from '../store/pool.ts'

/** Returns the holds of these incidents by their ids, at one time in epoch ms. */
async function holdsAt(tx: Tx, incidents: readonly Incident[], at: number): Promise<[incident_id: string, holds: Hold[]][]> {
  const workspaces = new Map<string, Incident[]>()
  for (const incident of incidents) workspaces.set(incident.tenant_id, [...(workspaces.get(incident.tenant_id) ?? []), incident])
  const facts = await loadHoldFactsOfEach(tx, workspaces, at)
  return incidents.flatMap((incident) => {
    const own = facts.get(incident.tenant_id)
    return own ? [[incident.incident_id, holdsOf({ ...incident, status: 'ongoing' }, own, at)]] : []
  })
}

/**
 * Returns the holds by id of the incident; the incidents may be of several workspaces. Those that
 * ended at different times take statements of their own. `now`: epoch ms.
 */
export async function holdsOfEach(tx: Tx, incidents: readonly Incident[], now: number): Promise<Map<string, Hold[]>> {
  const times = new Map<number, Incident[]>()
  for (const incident of incidents) {
    const at = Math.min(now, incident.resolved_at ?? now)
    times.set(at, [...(times.get(at) ?? []), incident])
  }
  const found = await Promise.all([...times].map(([at, own]) => holdsAt(tx, own, at)))
  return new Map(found.flat())
}

/** Of one. */
export async function holdsNow(tx: Tx, incident: Incident, now: number): Promise<Hold[]> {
  return (await holdsOfEach(tx, [incident], now)).get(incident.incident_id) ?? []
}
