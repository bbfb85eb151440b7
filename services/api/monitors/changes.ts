/**
 * Changes one monitor within a transaction: the row with its next version, and everything that
 * belongs to it. The routes for one monitor, for many monitors and for the import share these
 * functions. Each of them changes a monitor that exists and that the caller sees, or throws
 * NOT_FOUND.
 * Source: docs/design/api/monitors.md#mo-2 to #mo-7, #mo-13 and #mo-14.
 */
import type { Codec } from '../../../schemas/codec.ts'
import type { UpdateMonitorBody } from '../../../schemas/http/monitors.ts'
import { planOf } from '../../../schemas/plans.ts'
import { isUnchanged } from '../../store/audit.ts'
import { closeWatched } from '../../store/close-watched.ts'
import { lookAtDependent } from '../../store/dependencies.ts'
import { recordMonitor, settingsOf } from '../../store/monitor-record.ts'
import {
  countEntitledMonitors,
  deleteMonitor,
  insertMonitor,
  lockMonitor,
  type Monitor,
  pauseMonitor,
  updateMonitor
} from '../../store/monitors.ts'
import { cancelResume, notPaused, type Pause, startResume, staysPaused } from '../../store/pauses.ts'
import type { Tx } from '../../store/pool.ts'
import { type Region, readRegions } from '../../store/regions.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import type { Caller } from '../http/caller.ts'
import { notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { checkLimit } from '../workspace/limits.ts'
import { checkNow } from './check-now.ts'
import type { Aim, Definitions, Settled } from './definition.ts'
import { freshParents, watchParents } from './parents.ts'
import { checkPlan } from './rules.ts'

/** A monitor as it is now, and all regions. */
export interface Changed {
  monitor: Monitor
  regions: Region[]
}

async function locked(tx: Tx, tenant_id: string, id: string): Promise<Monitor> {
  const monitor = await lockMonitor(tx, tenant_id, id)
  if (!monitor) throw notFound()
  return monitor
}

/**
 * Writes settled settings as a new monitor. The caller must call watchParents last. Rejects with
 * 23505 if its name is taken.
 */
export async function writeNew(
  tx: Tx,
  codec: Codec,
  { tenant_id, actor }: Caller,
  { monitor_id, type }: Aim,
  { settings, assigned_regions }: Settled
): Promise<Monitor> {
  const monitor = await insertMonitor(tx, tenant_id, { monitor_id, type, assigned_regions, settings })
  await recordMonitor(tx, codec, actor, 'monitor.created', null, monitor)
  return monitor
}

/** Writes settled settings over a locked monitor. Rejects like writeNew. */
export async function writeChange(
  tx: Tx,
  codec: Codec,
  { tenant_id, actor }: Caller,
  before: Monitor,
  { settings, assigned_regions }: Settled
): Promise<Monitor> {
  const monitor = await updateMonitor(tx, tenant_id, before.monitor_id, settings, assigned_regions)
  await recordMonitor(tx, codec, actor, 'monitor.updated', before, monitor)
  if (JSON.stringify(before.depends_on) !== JSON.stringify(settings.depends_on)) await lookAtDependent(tx, tenant_id, monitor)
  return monitor
}

/** What changes nothing makes no version: each version is kept for ever. */
export async function changeOne(
  tx: Tx,
  codec: Codec,
  definitions: Definitions,
  caller: Caller,
  id: string,
  /** Called with the monitor as it is, under its lock. */
  bodyOf: (before: Monitor) => UpdateMonitorBody
): Promise<Changed> {
  const before = await locked(tx, caller.tenant_id, id)
  const settled = await definitions.settleChange(tx, caller, before, bodyOf(before))
  const { settings, assigned_regions, regions } = settled
  const was = { ...settingsOf(before), assigned_regions: before.assigned_regions }
  if (isUnchanged(was, { ...settings, assigned_regions })) return { monitor: before, regions }
  const monitor = await writeChange(tx, codec, caller, before, settled)
  await watchParents(tx, caller.tenant_id, freshParents(before.depends_on, monitor.depends_on))
  return { monitor, regions }
}

/** Pauses a monitor, also one that a maintenance window pauses. Repeating it changes nothing. */
export async function pauseOne(tx: Tx, codec: Codec, { tenant_id, actor }: Caller, id: string, pause: Pause): Promise<Changed> {
  const { resolve_open } = pause
  const before = await locked(tx, tenant_id, id)
  const regions = await readRegions(tx)
  if (staysPaused(before)) return { monitor: before, regions }
  const { monitor_id } = before
  const after = await pauseMonitor(tx, tenant_id, monitor_id, pause)
  await recordMonitor(tx, codec, actor, 'monitor.paused', before, after)
  await startResume(tx, 'monitor', tenant_id, monitor_id, pause.resume_at)
  await closeWatched(tx, codec, tenant_id, { kind: 'monitor', id: monitor_id }, 'paused', actor, resolve_open)
  return { monitor: resolve_open ? { ...after, open_incident_id: null } : after, regions }
}

/** Resumes a monitor. Repeating it changes nothing. Throws TIER_LIMIT_EXCEEDED. */
export async function resumeOne(
  tx: Tx,
  { codec, buckets }: Pick<Services, 'codec' | 'buckets'>,
  { tenant_id, actor }: Caller,
  id: string
): Promise<Changed> {
  // Checking the limit locks the workspace, which comes before what is watched.
  await lockWorkspace(tx, tenant_id)
  const before = await locked(tx, tenant_id, id)
  const regions = await readRegions(tx)
  if (before.paused_at === null) return { monitor: before, regions }
  // A monitor that the plan has paused stays paused while the plan is full, or while the monitor
  // exceeds the plan's figures.
  if (before.pause_reason === 'entitlement') {
    await checkLimit(tx, tenant_id, 'monitors', countEntitledMonitors)
    checkPlan(before, planOf(before.plan), regions)
  }
  const { monitor_id, resume_at } = before
  const after = await pauseMonitor(tx, tenant_id, monitor_id, notPaused)
  await recordMonitor(tx, codec, actor, 'monitor.resumed', before, after)
  await cancelResume(tx, 'monitor', tenant_id, monitor_id, resume_at)
  // Pausing and resuming again and again must not check it more often than checks by hand may.
  if (buckets.take('on_demand', monitor_id, 'free').admitted) await checkNow(tx, tenant_id, after, regions, { count: true })
  return { monitor: after, regions }
}

export async function deleteOne(tx: Tx, codec: Codec, { tenant_id, actor }: Caller, id: string): Promise<void> {
  const before = await locked(tx, tenant_id, id)
  const { monitor_id, resume_at } = before
  const gone = await deleteMonitor(tx, tenant_id, monitor_id)
  await recordMonitor(tx, codec, actor, 'monitor.deleted', before, gone)
  await cancelResume(tx, 'monitor', tenant_id, monitor_id, resume_at)
  await closeWatched(tx, codec, tenant_id, { kind: 'monitor', id: monitor_id }, 'deleted', actor)
}
