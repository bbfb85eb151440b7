/** Converts pairs of a name and a value between the rows of a form and the request body. Pure. */

export interface Pair<Value extends string = string> {
  name: string
  value: Value
}

export const pairsOf = <Value extends string>(record: Readonly<Record<string, Value>>): Pair<Value>[] =>
  Object.entries(record).map(([name, value]) => ({ name, value }))

/** Rows without a name are left out. If two rows have the same name, the last one counts. */
export const recordOf = <Value extends string>(pairs: readonly Pair<Value>[]): Record<string, Value> =>
  Object.fromEntries(pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]))
