/** What holds an incident now. Of one that is over: what would have held its failure. */
import type { Incident } from '../../schemas/generated/events.ts'
import { type Hold, holdsOf } from '../../streams/incident/holds.ts'
import { loadHoldFacts } from '../store/hold-facts.ts'
import type { Tx } from '../store/pool.ts'

/** `now`: epoch ms. */
export async function holdsNow(tx: Tx, incident: Incident, now: number): Promise<Hold[]> {
  const facts = await loadHoldFacts(tx, incident.tenant_id, [incident], now)
  return holdsOf({ ...incident, status: 'ongoing' }, facts, now)
}
