/**
 * Pages of the versions of an incident, oldest first. The cursor is the last version shown, so that
 * rows added or deleted meanwhile do not shift the next page.
 * Source: docs/design/api.md#s1-2.
 */
import { envelope } from '../../../schemas/http/common.ts'

interface VersionPage {
  /** The page begins after this version; 0: from the start. */
  after: number
  limit: number
}

export const versionsOf = ({ cursor, per_page = 50 }: { cursor?: string; per_page?: number }): VersionPage => ({
  after: cursor === undefined ? 0 : Number.parseInt(cursor.slice(1), 36),
  limit: per_page
})

/**
 * `before`: number of items on earlier pages; `next`: the last version shown, null if nothing
 * follows.
 */
export const versionEnvelope = <T>(
  items: T[],
  { limit }: VersionPage,
  { before, total, next }: { before: number; total: number; next: number | null }
) => ({
  ...envelope(items, total, { page: Math.floor(before / limit) + 1, per_page: limit }),
  next_cursor: next === null ? null : `t${next.toString(36)}`
})
