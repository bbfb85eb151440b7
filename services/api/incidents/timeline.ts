/** A page of an incident's timeline, oldest first. Source: docs/design/api/incidents.md#in-16. */
import type { Incident } from '../../../schemas/generated/events.ts'
import { iso } from '../../../schemas/http/common.ts'
import { actorNames } from '../../store/actor-names.ts'
import { waysOf } from '../../store/audit-reads.ts'
import { readTimeline } from '../../store/incident-reads.ts'
import type { Tx } from '../../store/pool.ts'
import { versionEnvelope, versionsOf } from '../http/version-pages.ts'

const isByHand = ({ actor }: { actor: string }): boolean => actor.startsWith('user:') || actor.startsWith('token:')

export async function timelinePage(tx: Tx, { tenant_id, incident_id, ver }: Incident, query: { cursor?: string; per_page?: number }) {
  const page = versionsOf(query)
  const { items, next } = await readTimeline(tx, tenant_id, incident_id, page)
  const names = await actorNames(
    tx,
    tenant_id,
    items.map(({ actor }) => actor)
  )
  const ways = await waysOf(
    tx,
    tenant_id,
    incident_id,
    items.filter(isByHand).map((item) => item.ver)
  )
  const shown = items.map((item) => {
    const { via = null, app = null } = ways.get(item.ver) ?? {}
    return { ...item, at: iso(item.at), actor_name: names.get(item.actor) ?? null, via, app }
  })
  // One event per version.
  return versionEnvelope(shown, page, { before: page.after, total: ver, next })
}
