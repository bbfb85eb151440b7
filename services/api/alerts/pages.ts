/**
 * Pages of alerts, those that started last first. A cursor says where the next page begins, so new
 * alerts do not shift the pages.
 * Source: docs/design/api/alerts-and-routing.md#al-1, docs/design/api.md#s1-2.
 */
import type { AlertDetail } from '../../../schemas/http/alerts.ts'
import { type AlertFilter, listAlerts } from '../../store/alert-reads.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import type { Tx } from '../../store/pool.ts'
import { cursorOf, positionOf } from '../http/cursor.ts'
import { logEnvelope } from '../http/log-pages.ts'
import { alertsAsSeen } from '../routing/hidden.ts'
import { toAlertDetail } from './detail.ts'

/** `list` names the list and its filters. */
export async function pageOfAlerts(
  tx: Tx,
  tenant_id: string,
  list: readonly unknown[],
  filter: AlertFilter,
  { cursor, per_page = 50 }: { cursor?: string; per_page?: number }
): Promise<ReturnType<typeof logEnvelope<AlertDetail>>> {
  const now = Date.now()
  const position = cursor === undefined ? null : positionOf(cursor, list, ['number', 'string'], now)
  const [started_at, alert_id] = position?.keys ?? []
  const before = position ? { started_at: Number(started_at), alert_id: uuidOf(String(alert_id)) } : null
  const found = await listAlerts(tx, tenant_id, filter, { before, limit: per_page + 1 })
  const shown = found.slice(0, per_page)
  const last = shown.at(-1)
  const more = last && found.length > per_page
  const next_cursor = more ? cursorOf(list, { from: 0, to: 0, keys: [last.started_at, last.alert_id] }, now) : null
  const facts = await loadHoldFacts(tx, tenant_id, shown, now)
  const items = shown.map((alert) => toAlertDetail(alert, facts, now))
  return logEnvelope(await alertsAsSeen(tx, tenant_id, items), { per_page, next_cursor, complete_until: null })
}

const NOBODY = '00000000-0000-0000-0000-000000000000'
/**
 * A cursor may be forged: text that is no UUID becomes `NOBODY`, so that the query finds nothing
 * instead of failing.
 */
const uuidOf = (text: string): string => (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : NOBODY)
