/** A part of a document that `npm run generate` writes. It stands between two marker lines. */
export interface Marks {
  begin: string
  end: string
}

/**
 * Returns `document` with `text` between its marks. Throws when the document does not have both
 * marks in this order; `path` is its name in the error.
 */
export function withMarked(path: string, document: string, { begin, end }: Marks, text: string): string {
  const from = document.indexOf(begin)
  const to = document.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`${path}: expected the lines "${begin}" and "${end}"`)
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`
}
