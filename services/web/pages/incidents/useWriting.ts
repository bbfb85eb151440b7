/** Writes the values of a postmortem, and knows what of them is stored. */
import { useRef } from 'react'
import { writePostmortem } from '../../api/postmortems.ts'
import type { Postmortem } from '../../api/shapes.ts'
import type { Faults } from '../../forms/faults.ts'
import { bodyOf, type PostmortemValues, withoutFaults } from './postmortem-values.ts'

/** `version` 0: there is no postmortem yet. */
export function useWriting(incidentId: string, version: number, first: PostmortemValues) {
  /** The version that the writer last saw. */
  const seen = useRef(version)
  const typed = useRef(version === 0 ? null : first)
  /** What is stored of it: `typed` without what was wrong in it. */
  const stored = useRef(typed.current)
  const published = useRef(false)
  const running = useRef<Promise<unknown>>(Promise.resolve())
  return {
    seen,
    async write(values: PostmortemValues, faults: Faults, as: Postmortem['status'], keepalive: boolean): Promise<Postmortem> {
      const kept = withoutFaults(values, faults, stored.current)
      const written = writePostmortem(incidentId, seen.current, bodyOf(kept, as), keepalive)
      running.current = written.catch(() => undefined)
      const now = await written
      seen.current = now.version
      typed.current = values
      stored.current = kept
      published.current = now.status === 'published'
      return now
    },
    /** Waits for the write that runs. A draft would then take back what was published by it. */
    async needsDraft(values: PostmortemValues): Promise<boolean> {
      await running.current
      return !published.current && typed.current !== values
    }
  }
}
