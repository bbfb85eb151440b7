/**
 * Writes figures as CSV (RFC 4180): a line of names, then one line per item. Nested values become
 * columns with a dot in their name.
 */

type Cell = string | number | boolean | null

/** An item's values by column. */
function flat(item: object, prefix = ''): [string, Cell][] {
  return Object.entries(item).flatMap(([name, value]): [string, Cell][] =>
    value !== null && typeof value === 'object' ? flat(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]]
  )
}

/**
 * Text that a spreadsheet would take for a formula is written so that it shows as text. A
 * spreadsheet whose separator is `;`, as in German, reads no quotes within a cell, so a cell also
 * begins behind each `;` and each line break.
 */
function cell(value: Cell | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = value.replace(/^(?=[=+\-@\t\r])|(?<=[;\r\n])(?=[=+\-@\t])/g, "'")
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Columns are in the order in which the items first have them. A column that is null in one item
 * may have nested parts in another.
 */
export function csvOf(items: readonly object[]): string {
  const rows = items.map((item) => new Map(flat(item)))
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))]
  if (columns.length === 0) return ''
  const lines = [columns.map(cell), ...rows.map((row) => columns.map((name) => cell(row.get(name))))]
  return `${lines.map((line) => line.join(',')).join('\r\n')}\r\n`
}
