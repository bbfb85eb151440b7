/**
 * Text that is known to be HTML, and the only way to make it. A template escapes every value that
 * is not already HTML.
 */

/** Safe to send. Only `html` and `trusted` make it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Part = string | number | Html | null | readonly Part[]

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const written = (part: Part): string => {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(written).join('')
  return String(part).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Template tag for HTML. A null value adds nothing. Attributes must stand in quotes. */
export const html = (words: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(words.map((word, at) => word + written(parts[at] ?? null)).join(''))

/** For the output of a renderer that does its own escaping. */
export const trusted = (text: string): Html => new Html(text)
