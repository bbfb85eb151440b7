/**
 * Pages of what only grows, from analytics, newest first: found by cursor; the first page fixes the
 * span, so that later ones neither repeat nor miss a row.
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

/** One list: its name and filters, the keys of its order, and how a page of it is asked for. */
export interface Log<N extends QueryName> {
  /** With the filters that were asked for, in a fixed order. */
  list: readonly unknown[]
  kept: SpanRules
  shape: readonly ('number' | 'string')[]
  keysOf(row: QueryAnswer<N>['rows'][number]): (number | string)[]
  ask(position: Position | null, span: { from: number; to: number }, limit: number): Promise<QueryAnswer<N>>
}

/** The rows of one page, and where the next begins. */
export async function pageOfLog<N extends QueryName>(asked: Asked, log: Log<N>) {
  const now = Date.now()
  const { cursor, per_page = 50, from, to, time_zone } = asked
  const list = [...log.list, from ?? null, to ?? null, time_zone ?? null]
  const position = cursor === undefined ? null : positionOf(cursor, list, log.shape, now)
  // What was kept a moment ago may be gone by now, and a forged cursor sees no further than any
  // other.
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
 * The envelope of a page that only a cursor finds: nothing says how many there are, nor where it
 * stands among them.
 */
export const logEnvelope = <T>(items: T[], { per_page, next_cursor, complete_until }: Omit<LogPage, 'rows'>) => ({
  items,
  per_page,
  next_cursor,
  complete_until: iso(complete_until)
})
