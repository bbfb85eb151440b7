/** The order of texts wherever it must be the same on every machine: by UTF-16 unit. */

/** Compares two texts. 0: they are equal. */
export const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Returns a copy with its keys in order, so that equal records are equal as JSON. */
export const sortedByKey = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => byText(one, other)))
