/** A page of an incident's timeline, oldest first. Source: docs/design/api/incidents.md#in-16. */
import type { Incident } from '../../../schemas/generated/events.ts'
import { iso } from '../../../schemas/http/common.ts'
import { readTimeline } from '../../store/incident-reads.ts'
import type { Tx } from '../../store/pool.ts'
import { versionEnvelope, versionsOf } from '../http/version-pages.ts'

export async function timelinePage(tx: Tx, { tenant_id, incident_id, ver }: Incident, query: { cursor?: string; per_page?: number }) {
  const page = versionsOf(query)
  const { items, next } = await readTimeline(tx, tenant_id, incident_id, page)
  const shown = items.map((item) => ({ ...item, at: iso(item.at) }))
  // One event per version.
  return versionEnvelope(shown, page, { before: page.after, total: ver, next })
}
