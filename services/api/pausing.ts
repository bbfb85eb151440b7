/** When a pause that a request asks for ends. Source: api-design.md MO-6 and HB-6. */
import { invalid } from './errors.ts'

const LONGEST_MS = 90 * 86_400_000

/** Epoch ms, or null: until somebody resumes it. `now` is the time of the pause. Throws VALIDATION_FAILED. */
export function resumeAt({ resume_at, minutes }: { resume_at?: string; minutes?: number }, now: number): number | null {
  if (resume_at !== undefined && minutes !== undefined) throw invalid('minutes', 'mutually_exclusive', 'is another way to say resume_at')
  if (minutes !== undefined) return now + minutes * 60_000
  if (resume_at === undefined) return null
  const at = Date.parse(resume_at)
  if (Number.isNaN(at)) throw invalid('resume_at', 'pattern', 'has to be an instant')
  if (at <= now) throw invalid('resume_at', 'min', 'has to be in the future')
  if (at > now + LONGEST_MS) throw invalid('resume_at', 'max', 'has to be at most 90 days ahead')
  return at
}
