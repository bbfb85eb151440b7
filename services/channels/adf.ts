/** The Atlassian Document Format: a text is a list of paragraphs, and has no markup to escape. */

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

/** A paragraph a line; a text node is never empty. `url` stands at the end, as a link. */
export function adf(lines: readonly string[], url: string | null = null): Doc {
  const paragraphs = lines.filter((line) => line !== '').map((line) => paragraph([word(line)]))
  const link = url === null ? [] : [paragraph([{ ...word(url), marks: [{ type: 'link', attrs: { href: url } }] }])]
  return { type: 'doc', version: 1, content: [...paragraphs, ...link] }
}
