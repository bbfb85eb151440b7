/**
 * Returns what holds incidents now. For an incident that is over: what would have held its failure.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { type Hold, holdsOf } from '../../streams/incident/holds.ts'
import { loadHoldFactsOfEach } from '../store/hold-facts.ts'
import type { Tx } from '../store/pool.ts'

/**
 * Returns the holds by id of the incident; the incidents may be of several workspaces. `now`: epoch
 * ms.
 */
export async function holdsOfEach(tx: Tx, incidents: readonly Incident[], now: number): Promise<Map<string, Hold[]>> {
  const workspaces = new Map<string, Incident[]>()
  for (const incident of incidents) workspaces.set(incident.tenant_id, [...(workspaces.get(incident.tenant_id) ?? []), incident])
  const facts = await loadHoldFactsOfEach(tx, workspaces, now)
  return new Map(
    incidents.flatMap((incident) => {
      const own = facts.get(incident.tenant_id)
      return own ? [[incident.incident_id, holdsOf({ ...incident, status: 'ongoing' }, own, now)] as const] : []
    })
  )
}

/** Of one. */
export async function holdsNow(tx: Tx, incident: Incident, now: number): Promise<Hold[]> {
  return (await holdsOfEach(tx, [incident], now)).get(incident.incident_id) ?? []
}
