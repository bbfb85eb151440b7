/** Writes the values of a postmortem, and knows what of them is stored. */
import { useRef } from 'react'
import { writePostmortem } from '../../api/postmortems.ts'
import type { Postmortem, PostmortemChange } from '../../api/shapes.ts'
import type { PostmortemValues } from './postmortem-values.ts'

/** `version` 0: there is no postmortem yet. */
export function useWriting(incidentId: string, version: number, first: PostmortemValues) {
  /** The version that the writer last saw. */
  const seen = useRef(version)
  const stored = useRef(version === 0 ? null : first)
  const published = useRef(false)
  const running = useRef<Promise<unknown>>(Promise.resolve())
  return {
    seen,
    async write(values: PostmortemValues, body: PostmortemChange, keepalive = false): Promise<Postmortem> {
      const written = writePostmortem(incidentId, seen.current, body, keepalive)
      running.current = written.catch(() => undefined)
      const now = await written
      seen.current = now.version
      stored.current = values
      published.current = now.status === 'published'
      return now
    },
    /** Waits for the write that runs. A draft would then take back what was published by it. */
    async needsDraft(values: PostmortemValues): Promise<boolean> {
      await running.current
      return !published.current && stored.current !== values
    }
  }
}
