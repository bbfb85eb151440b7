/**
 * The end of a storm: incidents that opened in it and are still ongoing are released together.
 * Source: docs/design/api/alerts-and-routing.md#storms.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Incident } from '../../schemas/generated/events.ts'
import type { Command } from '../../streams/incident/rules.ts'
import type { Tx } from './pool.ts'
import { stepAll } from './release-steps.ts'
import { type HoldEnd, holdsChanged, lockOngoing, RELEASE_PAGE } from './releases.ts'

export interface StormEnd {
  /** Incidents that nothing else holds. */
  released: Incident[]
  /** Other incidents of the storm are left. */
  more: boolean
}

/**
 * Ends the storm that lasts until `until` (epoch ms) for a page of the incidents that it holds. An
 * incident that ended meanwhile keeps the mark: nobody was told of it alone.
 */
export async function endStorm(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  until: number,
  { by, ...cause }: HoldEnd & { by: string }
): Promise<StormEnd> {
  const { rows } = await tx.query<{ incident_id: string }>(
    `SELECT incident_id FROM incidents WHERE tenant_id = $1 AND storm_until = $2 AND status = 'ongoing' ORDER BY incident_id LIMIT $3`,
    [tenant_id, new Date(until), RELEASE_PAGE + 1]
  )
  const page = rows.slice(0, RELEASE_PAGE).map(({ incident_id }) => incident_id)
  const command: Command = { command: 'storm_end', by, until }
  const locked = await lockOngoing(tx, tenant_id, page)
  await stepAll(
    tx,
    codec,
    locked.map((incident) => ({ incident, command })),
    cause
  )
  const released = await holdsChanged(tx, codec, tenant_id, page, cause)
  return { released, more: rows.length > RELEASE_PAGE }
}
