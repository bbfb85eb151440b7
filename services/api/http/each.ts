/**
 * Applies one change to many things, each by itself. A refused change does not stop the others, and
 * the result separates what was done from what was not.
 */
import { ApiError } from './errors.ts'

export interface EachOutcome {
  /** Ids of the things that are now as requested. */
  changed: string[]
  /** `id` as it was sent. */
  failed: { id: string; code: string; error: string }[]
}

/**
 * `change` returns the id under which a thing is reported; an id that is given twice is changed
 * once. An internal error ends the whole call: finished changes stay, and repeating the request
 * does the rest.
 */
export async function changeEach(ids: readonly string[], change: (id: string) => Promise<string>): Promise<EachOutcome> {
  const changed = new Set<string>()
  const failed: EachOutcome['failed'] = []
  for (const id of new Set(ids)) {
    try {
      changed.add(await change(id))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'UNAVAILABLE') throw error
      failed.push({ id, code: error.code, error: error.message })
    }
  }
  return { changed: [...changed], failed }
}
