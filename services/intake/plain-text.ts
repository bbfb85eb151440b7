/**
 * Converts HTML in senders' texts to plain text: tags are removed, blocks become lines, and scripts
 * and styles are removed with their content. Only names of HTML elements are tags: `cpu < 5 and >
 * 3` and `<none>` stay. Dashboards escape all text anyway; this makes texts readable in every
 * channel. One pass, linear in the length of the text.
 *
 * Source: docs/design/inbound-sources.md#s1-2.
 */

const NAMES = new Set(
  `a abbr address article aside audio b base blockquote body br button canvas caption center cite code col colgroup dd del details div dl dt em embed
  fieldset figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark
  meta nav noscript object ol optgroup option p param picture pre q s samp script section select small source span strike strong style sub summary sup svg
  table tbody td template textarea tfoot th thead time title tr tt u ul var video wbr`.split(/\s+/)
)
const LINES = new Set(['br', 'hr', 'p', 'div', 'li', 'tr', 'table', 'ul', 'ol', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'blockquote'])
/** Elements whose content is not shown. */
const UNREAD = new Set(['script', 'style', 'head', 'template'])
const MAX_NAME = 10

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ' }

export function plainText(text: string): string {
  let at = text.indexOf('<')
  if (at < 0) return text
  let plain = ''
  let kept = 0
  while (at >= 0) {
    const tag = text.startsWith('<!--', at) ? { name: '!--', end: after(text, '-->', at) } : tagAt(text, at)
    if (tag) {
      plain += text.slice(kept, at)
      if (LINES.has(tag.name)) plain += '\n'
      kept = UNREAD.has(tag.name) && text[at + 1] !== '/' ? after(text, '>', afterClosing(text, tag.name, tag.end)) : tag.end
      at = kept - 1
    }
    at = text.indexOf('<', at + 1)
  }
  if (kept === 0) return text
  plain += text.slice(kept)
  return plain
    .replace(/&(amp|lt|gt|quot|apos|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/(?<![ \t])[ \t]+\n/g, '\n') // The lookbehind keeps it linear.
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Returns the position after the next `mark`, or the end of the text. */
function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found + mark.length
}

/**
 * Returns the start of the closing tag of an element whose content is removed, or the end of the
 * text.
 */
function afterClosing(text: string, name: string, from: number): number {
  for (let at = text.indexOf('</', from); at >= 0; at = text.indexOf('</', at + 2)) {
    if (text.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at
  }
  return text.length
}

/** Returns the name and the end of the tag that begins here. A tag ends before the next `<`. */
function tagAt(text: string, at: number): { name: string; end: number } | null {
  const first = text[at + 1] === '/' ? at + 2 : at + 1
  let last = first
  while (last - first <= MAX_NAME && isNameCode(text.charCodeAt(last))) last++
  const name = text.slice(first, last).toLowerCase()
  if (!NAMES.has(name) || isNameCode(text.charCodeAt(last)) || text[last] === '-') return null
  const end = text.indexOf('>', last)
  if (end < 0) return null
  const next = text.indexOf('<', last)
  return next >= 0 && next < end ? null : { name, end: end + 1 }
}

const isNameCode = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
