/**
 * The open incident of what is watched no longer: a monitor or heartbeat that a person deletes or pauses. It is resolved by the rules that resolve any
 * other, in the transaction of the deletion or pause; what fires later opens a new one. Source: docs/design/api/monitors.md#mo-5, #mo-6, docs/design/api/heartbeats.md#hb-5 and #hb-6.
 */
import type { Codec } from '../../schemas/codec.ts'
import { type Command, reduceIncident } from '../../streams/incident/rules.ts'
import { type Actor, actorText, insertAudit } from './audit.ts'
import { commandContext, lockIncident, saveStep } from './incident-commands.ts'
import type { Tx } from './pool.ts'

/** Why the incident ends; `paused` counts as resolved by whoever paused. */
export type EndOfWatch = 'deleted' | 'paused'

const NOTES = { deleted: 'It was deleted.', paused: 'It was paused.' } as const

/**
 * Resolves the ongoing incident of a monitor or heartbeat, with its audit entry. Nothing happens without one. Call it after the change of the watched row,
 * so that locks are taken in one order: the watched row, then the signal. Throws RowMoved as `saveStep` does.
 */
export async function closeWatched(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  watched: { kind: 'monitor' | 'heartbeat'; id: string },
  why: EndOfWatch,
  actor: Actor
): Promise<void> {
  const dedup_key = `${watched.kind === 'monitor' ? 'mon' : 'hb'}:${watched.id}`
  const { rows } = await tx.query<{ incident_id: string }>(
    "SELECT incident_id FROM incidents WHERE tenant_id = $1 AND dedup_key = $2 AND status = 'ongoing'",
    [tenant_id, dedup_key]
  )
  const [open] = rows
  const locked = open && (await lockIncident(tx, tenant_id, open.incident_id))
  if (!locked) return
  const by = actorText(actor)
  const command: Command = {
    command: 'resolve',
    by,
    note: NOTES[why],
    until_recovered: false,
    ...(why === 'deleted' && { reason: 'monitor_deleted' })
  }
  const step = reduceIncident(locked.incident, command, commandContext(locked, { kind: 'command', src: by, request_id: actor.request_id }))
  const { incident_id } = await saveStep(tx, codec, locked, command, step)
  for (const { change, ver } of step.events) {
    const diff: Record<string, [unknown, unknown]> = { ver: [ver - 1, ver] }
    await insertAudit(tx, tenant_id, actor, { action: `incident.${change}`, object_type: 'incident', object_id: incident_id, diff })
  }
}
