/**
 * Alerts that were kept from becoming incidents, that a person ended, and that still fire.
 *
 * Source: docs/design/api/incidents.md#s5-3, docs/design/api/maintenance.md#s10-1.
 */
import type { Alert } from '../../schemas/generated/events.ts'
import { keptBy, keptByWindow } from '../../streams/incident/reopening.ts'
import type { Signal } from '../../streams/incident/rules.ts'
import { stillFiring } from '../../streams/incident/signals.ts'
import { keepingWindow } from '../../streams/maintenance/windows.ts'
import { readFirstCause } from './first-causes.ts'
import { loadWindows, watchedIds } from './maintenance.ts'
import type { Tx } from './pool.ts'

/**
 * Returns the signal that opens such an alert again at `now` (epoch ms). If a rule kept the alert,
 * the signal keeps it again. Null if only a maintenance window kept it, and none does any more: the
 * alert becomes an incident.
 */
export async function keptAgain(tx: Tx, alert: Alert, now: number): Promise<Signal | null> {
  const { tenant_id, alert_id } = alert
  const signal = stillFiring(alert, now)
  const first = await readFirstCause(tx, tenant_id, 'alert', alert_id)
  if (!first || !keptByWindow(first.cause)) return signal
  const window = keepingWindow(await loadWindows(tx, tenant_id, watchedIds([alert]), now), alert, now)
  return window && keptBy(signal, window)
}
