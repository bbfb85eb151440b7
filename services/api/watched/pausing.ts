/**
 * Reads the pause that a request asks for.
 * Source: docs/design/api/monitors.md#mo-6 and docs/design/api/heartbeats.md#hb-6.
 */
import { storable } from '../../../streams/incident/rules.ts'
import { type Actor, actorText } from '../../store/audit.ts'
import type { Pause } from '../../store/pauses.ts'
import { invalid } from '../http/errors.ts'

const MAX_MS = 90 * 86_400_000

interface Asked {
  reason?: string | null
  resume_at?: string
  minutes?: number
  resolve_open?: boolean
}

/** Returns a pause by `actor` from now on. Throws VALIDATION_FAILED. */
export function pauseOf(body: Asked, actor: Actor): Pause {
  const paused_at = Date.now()
  return {
    paused_at,
    paused_by: actorText(actor),
    pause_reason: 'user',
    pause_comment: body.reason ? storable(body.reason) : null,
    resume_at: resumeAt(body, paused_at),
    resolve_open: body.resolve_open ?? true
  }
}

/** Returns epoch ms, or null: paused until somebody resumes it. `now` is the time of the pause. */
function resumeAt({ resume_at, minutes }: Asked, now: number): number | null {
  if (resume_at !== undefined && minutes !== undefined) throw invalid('minutes', 'mutually_exclusive', 'is another way to say resume_at')
  if (minutes !== undefined) return now + minutes * 60_000
  if (resume_at === undefined) return null
  const at = Date.parse(resume_at)
  if (Number.isNaN(at)) throw invalid('resume_at', 'pattern', 'must be an instant')
  if (at <= now) throw invalid('resume_at', 'min', 'must be in the future')
  if (at > now + MAX_MS) throw invalid('resume_at', 'max', 'must be at most 90 days ahead')
  return at
}
