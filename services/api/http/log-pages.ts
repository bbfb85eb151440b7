/**
 * Pages of lists from analytics that only grow, newest first. Pages are found by cursor. The first
 * page fixes the span, so that later pages neither repeat nor miss a row.
 * Source: docs/design/api.md#s1-2.
 */
import type { QueryAnswer, QueryName } from '../../../schemas/analytics.ts'
import { iso } from '../../../schemas/http/common.ts'
import { cursorOf, type Position, positionOf } from './cursor.ts'
import { type SpanRules, spanOf } from './span.ts'

interface Asked {
  cursor?: string
  per_page?: number
  from?: string
  to?: string
  time_zone?: string
}

/** One list: its name and filters, the keys of its order, and how to ask for a page of it. */
export interface Log<N extends QueryName> {
  /** The list's name with the requested filters, in a fixed order. */
  list: readonly unknown[]
  kept: SpanRules
  shape: readonly ('number' | 'string')[]
  keysOf(row: QueryAnswer<N>['rows'][number]): (number | string)[]
  ask(position: Position | null, span: { from: number; to: number }, limit: number): Promise<QueryAnswer<N>>
}

/** Returns the rows of one page, and where the next page begins. */
export async function pageOfLog<N extends QueryName>(asked: Asked, log: Log<N>) {
  const now = Date.now()
  const { cursor, per_page = 50, from, to, time_zone } = asked
  const list = [...log.list, from ?? null, to ?? null, time_zone ?? null]
  const position = cursor === undefined ? null : positionOf(cursor, list, log.shape, now)
  // The span of a cursor is checked again: rows may have expired since, and a forged cursor must
  // not see further than any other.
  const span = position ?? spanOf(asked, log.kept, now)
  if (position) spanOf({ from: iso(position.from), to: iso(position.to) }, log.kept, now)
  const { rows, complete_until } = await log.ask(position, span, per_page + 1)
  const shown = rows.slice(0, per_page)
  const last = shown.at(-1)
  const next_cursor = last && rows.length > per_page ? cursorOf(list, { from: span.from, to: span.to, keys: log.keysOf(last) }, now) : null
  return { rows: shown, per_page, next_cursor, complete_until }
}

type LogPage = Awaited<ReturnType<typeof pageOfLog>>

/**
 * The envelope of a page that only a cursor finds. It does not say how many rows there are, nor
 * where the page stands among them.
 */
export const logEnvelope = <T>(items: T[], { per_page, next_cursor, complete_until }: Omit<LogPage, 'rows'>) => ({
  items,
  per_page,
  next_cursor,
  complete_until: iso(complete_until)
})
