/**
 * Ends a mass outage: incidents that it held and that are still ongoing are then reported on their
 * own. When it ended because all monitors are up, none are left.
 * Source: docs/design/api/decision-rules.md#s23-7.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Command } from '../../streams/incident/rules.ts'
import type { Tx } from './pool.ts'
import { stepAll } from './release-steps.ts'
import { type HoldEnd, holdsChanged, lockOngoing, RELEASE_PAGE } from './releases.ts'

/** Releases a page of incidents. Returns whether others are left. */
export async function endOutage(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  outage_id: string,
  { by, ...cause }: HoldEnd & { by: string }
): Promise<boolean> {
  const { rows } = await tx.query<{ incident_id: string }>(
    `SELECT h.incident_id FROM incident_holds h JOIN incidents i USING (tenant_id, incident_id)
      WHERE h.tenant_id = $1 AND h.cause_id = $2 AND h.kind = 'mass_outage' AND i.status = 'ongoing' ORDER BY h.incident_id LIMIT $3`,
    [tenant_id, outage_id, RELEASE_PAGE + 1]
  )
  const page = rows.slice(0, RELEASE_PAGE).map(({ incident_id }) => incident_id)
  if (page.length === 0) return false
  // The row of an incident that ended meanwhile stays: nobody was told of that incident alone.
  const command: Command = { command: 'release', by, held_by: 'mass_outage', id: outage_id }
  const locked = await lockOngoing(tx, tenant_id, page)
  const released = await stepAll(
    tx,
    codec,
    locked.map((incident) => ({ incident, command })),
    cause
  )
  await tx.query("DELETE FROM incident_holds WHERE tenant_id = $1 AND incident_id = ANY ($2::uuid[]) AND kind = 'mass_outage'", [
    tenant_id,
    released
  ])
  await holdsChanged(tx, codec, tenant_id, released, cause)
  return rows.length > RELEASE_PAGE
}
