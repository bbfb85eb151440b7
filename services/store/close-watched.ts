/**
 * Ends the open incident of a monitor or heartbeat that a person deletes or pauses. The same rules
 * resolve it as any other incident, in the transaction of the deletion or pause. A later failure
 * opens a new incident. Also ends what a degraded monitor opened, where that opens none any more.
 *
 * Source: docs/design/api/monitors.md#mo-5, #mo-6, docs/design/api/heartbeats.md#hb-5 and #hb-6.
 */
import type { Codec } from '../../schemas/codec.ts'
import { cancelReopening } from '../../streams/incident/reopening.ts'
import { type Command, reduceIncident } from '../../streams/incident/rules.ts'
import type { SignalRow } from '../../streams/incident/signals.ts'
import { lockAlert, obeyAlert } from './alert-commands.ts'
import { type Actor, actorText, insertAudit } from './audit.ts'
import { commandContext, lockIncident, saveStep } from './incident-commands.ts'
import { signalColumnsOf } from './incident-rows.ts'
import { changeJobs } from './jobs.ts'
import { seeingAll, type Tx } from './pool.ts'
import { RowMoved } from './row-moved.ts'

/** Why the incident ends. `paused` counts as resolved by the person who paused. */
export type EndOfWatch = 'deleted' | 'paused' | 'degraded_ignored'

const NOTES = {
  deleted: 'It was deleted.',
  paused: 'It was paused.',
  degraded_ignored: 'A degraded state no longer opens an incident.'
} as const

/**
 * Ends the suppression of a target that is no longer watched, under the lock of its key, so that no
 * timer reopens its incident.
 */
async function endSuppression(tx: Tx, tenant_id: string, dedup_key: string): Promise<void> {
  const { rows } = await tx.query<SignalRow>(
    `SELECT ${signalColumnsOf('s')} FROM signals s WHERE tenant_id = $1 AND dedup_key = $2 AND suppressed_until IS NOT NULL FOR UPDATE`,
    [tenant_id, dedup_key]
  )
  const [row] = rows
  if (!row) return
  await tx.query('UPDATE signals SET suppressed_until = NULL WHERE tenant_id = $1 AND dedup_key = $2', [tenant_id, dedup_key])
  await changeJobs(tx, cancelReopening(row))
}

/**
 * Ends the suppression of a monitor or heartbeat that is no longer watched. Also resolves its
 * ongoing incident, with an audit entry, unless the incident is to stay open. Call it after
 * changing the watched row, so that locks are taken in one order: the watched row, then the signal.
 * Throws RowMoved as `saveStep` does.
 */
export async function closeWatched(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  watched: { kind: 'monitor' | 'heartbeat'; id: string },
  why: EndOfWatch,
  actor: Actor,
  resolve_open = true
): Promise<void> {
  const dedup_key = `${watched.kind === 'monitor' ? 'mon' : 'hb'}:${watched.id}`
  await endSuppression(tx, tenant_id, dedup_key)
  // Its incident may belong to a team that the person does not see.
  if (resolve_open) await seeingAll(tx, (tx) => resolveOpen(tx, codec, tenant_id, dedup_key, why, actor))
}

async function resolveOpen(tx: Tx, codec: Codec, tenant_id: string, dedup_key: string, why: EndOfWatch, actor: Actor): Promise<void> {
  const { rows } = await tx.query<{ incident_id: string }>(
    "SELECT incident_id FROM incidents WHERE tenant_id = $1 AND dedup_key = $2 AND status = 'ongoing'",
    [tenant_id, dedup_key]
  )
  const [open] = rows
  const locked = open && (await lockIncident(tx, tenant_id, open.incident_id))
  if (locked && locked.incident.dedup_key !== dedup_key) throw new RowMoved('the incident took others over meanwhile')
  if (!locked) return resolveOpenAlert(tx, codec, tenant_id, dedup_key, why, actor)
  const by = actorText(actor)
  const command: Command = {
    command: 'resolve',
    by,
    note: NOTES[why],
    until_recovered: false,
    unwatched: true,
    ...(why === 'deleted' && { reason: 'monitor_deleted' })
  }
  const context = commandContext(locked, { kind: 'command', src: by, request_id: actor.request_id })
  const step = reduceIncident(locked.incident, command, context)
  const { incident_id } = await saveStep(tx, codec, locked, command, step, context)
  for (const { change, ver } of step.events) {
    const diff: Record<string, [unknown, unknown]> = { ver: [ver - 1, ver] }
    await insertAudit(tx, tenant_id, actor, { action: `incident.${change}`, object_type: 'incident', object_id: incident_id, diff })
  }
}

/**
 * Does the same for an alert with a row of its own, whether its incident has several alerts or it
 * has no incident.
 */
async function resolveOpenAlert(tx: Tx, codec: Codec, tenant_id: string, dedup_key: string, why: EndOfWatch, actor: Actor): Promise<void> {
  const { rows } = await tx.query<{ alert_id: string }>(
    "SELECT alert_id FROM alerts WHERE tenant_id = $1 AND dedup_key = $2 AND status = 'ongoing'",
    [tenant_id, dedup_key]
  )
  const [open] = rows
  const locked = open && (await lockAlert(tx, tenant_id, open.alert_id))
  if (!locked) return
  const by = actorText(actor)
  const reason = why === 'deleted' ? 'monitor_deleted' : by.startsWith('token:') ? 'api' : 'user'
  const context = commandContext(locked, { kind: 'command', src: by, request_id: actor.request_id })
  const asked = { command: 'resolve', by, note: NOTES[why], reason, until_recovered: false, unwatched: true } as const
  const { alert, events } = await obeyAlert(tx, codec, locked, asked, context)
  for (const { change, ver } of events) {
    const diff: Record<string, [unknown, unknown]> = { ver: [ver - 1, ver] }
    await insertAudit(tx, tenant_id, actor, { action: `alert.${change}`, object_type: 'alert', object_id: alert.alert_id, diff })
  }
}
