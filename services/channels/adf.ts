/**
 * Builds texts in the Atlassian Document Format. A text is a list of paragraphs; there is no markup
 * to escape.
 */

interface Node {
  type: string
  [key: string]: unknown
}

export interface Doc {
  type: 'doc'
  version: 1
  content: Node[]
}

const paragraph = (content: Node[]): Node => ({ type: 'paragraph', content })
const word = (text: string): Node => ({ type: 'text', text })

/**
 * Makes one paragraph per line. Empty lines are left out, because a text node must not be empty.
 * `url` is added at the end, as a link.
 */
export function adf(lines: readonly string[], url: string | null = null): Doc {
  const paragraphs = lines.filter((line) => line !== '').map((line) => paragraph([word(line)]))
  const link = url === null ? [] : [paragraph([{ ...word(url), marks: [{ type: 'link', attrs: { href: url } }] }])]
  return { type: 'doc', version: 1, content: [...paragraphs, ...link] }
}
