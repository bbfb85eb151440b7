/**
 * Finds the rules that an alert can match at all, without evaluating each rule. If a rule has an
 * equality (`eq`, `in`) on a text field in `all`, it is indexed by the value of that field. Of
 * several equalities, the index uses the one whose values the fewest other rules share. All other
 * rules are candidates for every alert.
 */
import { type Condition, kindOf, labelOf, MAX_COMPARED } from '../../schemas/http/routing-words.ts'
import { type Routable, readerOf } from './conditions.ts'

export interface Indexed {
  /** Whether the rule may act. A rule that may not has a position, but is never a candidate. */
  acts: boolean
  all: readonly Condition[]
}

export interface Candidates {
  /**
   * Calls `on` with the positions of the candidates in ascending order, until `on` returns false.
   */
  visit(alert: Routable, on: (position: number) => boolean): void
}

type ByValue = Map<string, number[]>

/** The values of which one must be present; null when the condition is no equality of texts. */
function valuesOf({ field, op, value }: Condition): readonly string[] | null {
  const kind = kindOf(field)
  if (kind === null || kind === 'number' || kind === 'hour') return null
  if (op === 'eq') return typeof value === 'string' ? [value] : null
  if (op !== 'in' || !Array.isArray(value)) return null
  return [...new Set(value.filter((one): one is string => typeof one === 'string'))]
}

const keyOf = (field: string, value: string): string => `${field}\u0000${value}`

export function indexOf(rules: readonly Indexed[]): Candidates {
  const shares = new Map<string, number>()
  for (const { acts, all } of rules) {
    if (!acts) continue
    for (const condition of all)
      for (const value of valuesOf(condition) ?? []) {
        const key = keyOf(condition.field, value)
        shares.set(key, (shares.get(key) ?? 0) + 1)
      }
  }
  const unindexed: number[] = []
  const labels = new Map<string, ByValue>()
  const fields = new Map<string, ByValue>()
  for (const [position, { acts, all }] of rules.entries()) {
    if (!acts) continue
    const chosen = rarest(all, shares)
    if (!chosen) {
      unindexed.push(position)
      continue
    }
    const label = labelOf(chosen.field)
    const [where, name] = label === null ? [fields, chosen.field] : [labels, label]
    const byValue: ByValue = where.get(name) ?? new Map()
    where.set(name, byValue)
    for (const value of chosen.values) {
      const positions = byValue.get(value)
      if (positions) positions.push(position)
      else byValue.set(value, [position])
    }
  }
  return candidatesOf(unindexed, labels, fields)
}

function rarest(all: readonly Condition[], shares: ReadonlyMap<string, number>): { field: string; values: readonly string[] } | null {
  let found: { field: string; values: readonly string[] } | null = null
  let least = Number.POSITIVE_INFINITY
  for (const condition of all) {
    const values = valuesOf(condition)
    if (!values) continue
    const { field } = condition
    const shared = values.reduce((sum, value) => sum + (shares.get(keyOf(field, value)) ?? 0), 0)
    if (shared >= least) continue
    least = shared
    found = { field, values }
  }
  return found
}

function candidatesOf(
  unindexed: readonly number[],
  labels: ReadonlyMap<string, ByValue>,
  fields: ReadonlyMap<string, ByValue>
): Candidates {
  const readers = [...fields].flatMap(([field, byValue]) => {
    const read = readerOf(field)
    return read ? [{ read, byValue }] : []
  })
  const listsFor = (alert: Routable): (readonly number[])[] => {
    const lists: (readonly number[])[] = unindexed.length > 0 ? [unindexed] : []
    const add = (byValue: ByValue | undefined, value: string | null | undefined): void => {
      if (!byValue || value === null || value === undefined) return
      const positions = byValue.get(value.length > MAX_COMPARED ? value.slice(0, MAX_COMPARED) : value)
      if (positions) lists.push(positions)
    }
    for (const { read, byValue } of readers) add(byValue, read(alert))
    if (labels.size > 0) for (const name of Object.keys(alert.labels)) add(labels.get(name), alert.labels[name])
    return lists
  }
  return {
    visit(alert, on) {
      const lists = listsFor(alert)
      const [only] = lists
      if (lists.length === 1 && only) {
        for (const position of only) if (!on(position)) return
        return
      }
      merge(lists, on)
    }
  }
}

/**
 * Visits the positions of all lists in ascending order. No position is in two lists: a rule is
 * indexed by one field, and an alert has one value of it.
 */
function merge(lists: readonly (readonly number[])[], on: (position: number) => boolean): void {
  const next = lists.map(() => 0)
  for (;;) {
    let from = -1
    let least = Number.POSITIVE_INFINITY
    for (let list = 0; list < lists.length; list++) {
      const position = lists[list]?.[next[list] ?? 0]
      if (position !== undefined && position < least) {
        least = position
        from = list
      }
    }
    if (from < 0 || !on(least)) return
    next[from] = (next[from] ?? 0) + 1
  }
}
