/** A part of a document that is written by `npm run generate`, between two lines of its own. */
export interface Marks {
  begin: string
  end: string
}

/**
 * `document` with `text` between its marks. Throws where `path`, its name for people, does not have
 * both in this order.
 */
export function withMarked(path: string, document: string, { begin, end }: Marks, text: string): string {
  const from = document.indexOf(begin)
  const to = document.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`${path}: expected the lines "${begin}" and "${end}"`)
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`
}
