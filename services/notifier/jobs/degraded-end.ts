/**
 * Ends the incident of a monitor that was degraded when a person took `open_on_degraded` away.
 * Older versions left it open, and opened it again after a person resolved it. The upgrade starts
 * one job for each such monitor (schemas/postgres/0205_incidents_of_degraded_monitors.sql).
 * Source: docs/design/api/monitors.md#s3-1 (`open_on_degraded`).
 */
import { closeWatched } from '../../store/close-watched.ts'
import { lockMonitor } from '../../store/monitors.ts'
import { RowMoved } from '../../store/row-moved.ts'
import { currentMonitors } from '../../store/watched-state.ts'
import { payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec, actor }) => {
  const { tenant_id } = job
  const id = payloadText(job, 'monitor_id')
  const monitor = await lockMonitor(tx, tenant_id, id)
  if (!monitor || monitor.open_on_degraded || monitor.paused_at !== null) return
  // Flapping keeps an incident open, and reports its own end.
  const isOver = async (): Promise<boolean> => {
    const state = (await currentMonitors(tx, [id])).get(id)
    return state?.status === 'up' && !state.flapping
  }
  if (!(await isOver())) return
  await closeWatched(tx, codec, tenant_id, { kind: 'monitor', id }, 'degraded_ignored', actor)
  if (!(await isOver())) throw new RowMoved('the monitor began to fail meanwhile')
}
