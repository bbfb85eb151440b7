/**
 * What maintenance windows leave out of uptime. Each version of a window says it for its own time:
 * from its beginning until a later version begins, in the order of `ver`, whatever the clocks said.
 * The first version says it for the time before, too. A window of which no version is known yet is
 * taken as it stands.
 */
import type { ExclusionRow } from './uptime.ts'

/** A row of clickhouse/queries/exclusions.sql. */
export interface VersionRow extends ExclusionRow {
  window_id: string
  /** Epoch ms. */
  valid_from: number
  /** 0: the window as it stands. */
  ver: number
  /** Whether its time is left out of uptime. */
  excluded: boolean
}

function partsOf(versions: readonly VersionRow[]): ExclusionRow[] {
  let until = Number.POSITIVE_INFINITY
  const parts: ExclusionRow[] = []
  const latestFirst = versions.toSorted((one, other) => other.ver - one.ver)
  for (const [index, { valid_from, excluded, spans, ...scope }] of latestFirst.entries()) {
    const since = index === latestFirst.length - 1 ? Number.NEGATIVE_INFINITY : valid_from
    const held = spans.flatMap(([begin, end]): [number, number][] => {
      const span: [number, number] = [Math.max(begin, since), Math.min(end, until)]
      return span[0] < span[1] ? [span] : []
    })
    if (excluded && held.length > 0) parts.push({ ...scope, spans: held })
    until = Math.min(until, valid_from)
  }
  return parts
}

export function excludedBy(rows: readonly VersionRow[]): ExclusionRow[] {
  const byWindow = new Map<string, VersionRow[]>()
  for (const row of rows) {
    const known = byWindow.get(row.window_id)
    if (known) known.push(row)
    else byWindow.set(row.window_id, [row])
  }
  return [...byWindow.values()].flatMap((all) => {
    const versions = all.filter(({ ver }) => ver > 0)
    return partsOf(versions.length > 0 ? versions : all)
  })
}
