/**
 * The pause of a watched target, that is a monitor or a heartbeat: its columns, and the job that
 * ends it at `resume_at`. Instants are epoch ms.
 * Source: docs/design/api/monitors.md#mo-6 and docs/design/api/heartbeats.md#hb-6.
 */
import { changeJobs } from './jobs.ts'
import type { Tx } from './pool.ts'

export interface Pause {
  paused_at: number | null
  /** Actor as kind:id. */
  paused_by: string | null
  pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null
  pause_comment: string | null
  resume_at: number | null
  /** The pause ends an ongoing incident, and also one that still opens from an earlier decision. */
  resolve_open: boolean
}

export const notPaused: Pause = {
  paused_at: null,
  paused_by: null,
  pause_reason: null,
  pause_comment: null,
  resume_at: null,
  resolve_open: false
}

/** Whether the target is still in the pause that ends at `resume_at`. */
export const pausedUntil = (pause: Pause, resume_at: number): boolean => pause.paused_at !== null && pause.resume_at === resume_at

/**
 * Whether a person's pause changes nothing: the target is paused already. A pause by a maintenance
 * window ends with the window, so the person's takes its place.
 */
export const staysPaused = ({ paused_at, pause_reason }: Pause): boolean => paused_at !== null && pause_reason !== 'maintenance'

type Kind = 'monitor' | 'heartbeat'

/** Writes `pause` to a row that is locked, as its next version. */
export async function writePause(tx: Tx, kind: Kind, tenant_id: string, id: string, pause: Pause): Promise<void> {
  const at = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))
  await tx.query(
    `UPDATE ${kind}s SET paused_at = $3, paused_by = $4, pause_reason = $5, pause_comment = $6, resume_at = $7, resolve_open = $8,
            ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND ${kind}_id = $2`,
    [tenant_id, id, at(pause.paused_at), pause.paused_by, pause.pause_reason, pause.pause_comment, at(pause.resume_at), pause.resolve_open]
  )
}

const idemKey = (kind: Kind, id: string, resume_at: number): string => `${kind}_resume:${id}:${resume_at}`

/**
 * Starts the job that ends the pause at `resume_at`. Null: the pause has no end, so there is no
 * job.
 */
export async function startResume(tx: Tx, kind: Kind, tenant_id: string, id: string, resume_at: number | null): Promise<void> {
  if (resume_at === null) return
  const payload = { [`${kind}_id`]: id, resume_at }
  await changeJobs(tx, [{ start: `${kind}_resume`, idem_key: idemKey(kind, id, resume_at), tenant_id, run_at: resume_at, payload }])
}

/** Cancels the job of startResume, for a pause that ends in another way. */
export async function cancelResume(tx: Tx, kind: Kind, tenant_id: string, id: string, resume_at: number | null): Promise<void> {
  if (resume_at !== null) await changeJobs(tx, [{ cancel: idemKey(kind, id, resume_at), tenant_id }])
}
