/**
 * One change of many things: each by itself, so that one that is refused holds up no other, and
 * what was done is told apart from what was not.
 */
import { ApiError } from './errors.ts'

export interface EachOutcome {
  /** Of those that are as asked now. */
  changed: string[]
  /** `id` as it was sent. */
  failed: { id: string; code: string; error: string }[]
}

/**
 * `change` gives the id of the thing, by which it is told; the same id twice is changed once. A
 * fault of ours ends it: what was done is done, and asking again does the rest.
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
