/**
 * Ends the incident of a monitor that was degraded when a person took `open_on_degraded` away.
 * Older versions left it open, and opened it again after a person resolved it. The upgrade starts
 * one job for each such monitor (schemas/postgres/0205_incidents_of_degraded_monitors.sql).
 * Source: docs/design/api/monitors.md#s3-1 (`open_on_degraded`).
 */
import { closeWatched } from '../../store/close-watched.ts'
import { lockMonitor } from '../../store/monitors.ts'
import { currentMonitors } from '../../store/watched-state.ts'
import { payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const { tenant_id } = job
  const id = payloadText(job, 'monitor_id')
  const monitor = await lockMonitor(tx, tenant_id, id)
  if (!monitor || monitor.open_on_degraded || monitor.paused_at !== null) return
  const state = (await currentMonitors(tx, [id])).get(id)
  // Flapping keeps an incident open, and reports its own end.
  if (state?.status !== 'up' || state.flapping) return
  await closeWatched(tx, codec, tenant_id, { kind: 'monitor', id }, 'degraded_ignored', actor)
}
