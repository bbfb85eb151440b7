/**
 * Looks at an alert that a maintenance window kept from becoming an incident. If no window keeps it
 * any more and it still fails, its incident opens. A storm, or a parent that fails, holds the
 * incident as one that a signal opens.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import { coveringWindows } from '../../../streams/maintenance/windows.ts'
import { lockAlert, lockParents, promoteAlert } from '../../store/alert-commands.ts'
import { actorText } from '../../store/audit.ts'
import { commandContext } from '../../store/incident-commands.ts'
import { loadWindows, readWindow, spansOfRow, watchedIds } from '../../store/maintenance.ts'
import { payloadText, type RunJob } from '../job.ts'

/** At most this many of the windows that keep an alert are looked at. */
const MAX_LOOKED_AT = 100

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const { tenant_id, payload } = job
  const window_id = payloadText(job, 'window_id')
  const alert_id = payloadText(job, 'alert_id')
  const parents = await lockParents(tx, tenant_id, alert_id)
  const locked = await lockAlert(tx, tenant_id, alert_id)
  if (locked?.alert.status !== 'ongoing' || locked.alert.incident_id !== null) return undefined
  const { alert, now } = locked
  const windows = await loadWindows(tx, tenant_id, watchedIds([alert]), now)
  const still = coveringWindows(windows, alert, now, MAX_LOOKED_AT).filter(({ window }) => window.effect === 'suppress_incidents')
  const [first] = still.sort((one, other) => one.until - other.until)
  // The job runs again when the first window ends, or once somebody changes that window.
  if (first) return { at: first.until, payload: { ...payload, window_id: first.window.window_id } }
  const window = await readWindow(tx, tenant_id, window_id)
  const ended = (window ? spansOfRow(window) : []).findLast(({ ends_at }) => ends_at <= now)
  const by = actorText(actor)
  const context = commandContext(locked, { kind: 'job', src: `job:${job.job_id}`, request_id: null })
  const from = { window_id, ended_at: Math.max(alert.started_at, ended?.ends_at ?? now) }
  await promoteAlert(tx, codec, locked, { by, title: null, window: from, parents }, { ...context, number: 0 })
  return undefined
}
