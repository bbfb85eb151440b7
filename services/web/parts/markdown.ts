/**
 * Parses the Markdown that people write into a tree of the few elements that a page allows. HTML
 * stays text. Pictures become links, because a page makes no request to other hosts. Headings
 * become bold lines, because the page has headings of its own. A link must lead to the web or to a
 * mail address; otherwise it is no link. Pure.
 */
import MarkdownIt from 'markdown-it'

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true })
// Only text with a protocol becomes a link: `db-1.internal` in a sentence does not.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

type Token = ReturnType<typeof parser.parse>[number]

const tags = [
  'p',
  'strong',
  'em',
  's',
  'code',
  'pre',
  'ul',
  'ol',
  'li',
  'blockquote',
  'hr',
  'br',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td'
] as const

type Tag = (typeof tags)[number]

export interface Branch {
  tag: Tag | 'a'
  /** The address of a link. */
  href?: string
  /** The first number of a numbered list that does not begin with 1. */
  start?: number
  children: Node[]
}

export type Node = string | Branch

const known = (tag: string): Tag | null => tags.find((one) => one === tag) ?? null
const leadsOut = (href: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(href)

/**
 * Returns the branch that an opening token begins, or null if its content is kept without an
 * element around it.
 */
function branchOf(token: Token): Branch | null {
  if (token.hidden) return null
  if (token.type === 'link_open') {
    const href = String(token.attrGet('href') ?? '')
    return leadsOut(href) ? { tag: 'a', href, children: [] } : null
  }
  if (token.type === 'heading_open') return { tag: 'strong', children: [] }
  const tag = known(token.tag)
  if (tag === null) return null
  const start = Number(token.attrGet('start') ?? 1)
  return { tag, ...(start !== 1 && { start }), children: [] }
}

function leafOf(token: Token): Node[] {
  switch (token.type) {
    case 'softbreak':
    case 'hardbreak':
      return [{ tag: 'br', children: [] }]
    case 'hr':
      return [{ tag: 'hr', children: [] }]
    case 'code_inline':
      return [{ tag: 'code', children: [token.content] }]
    case 'fence':
    case 'code_block':
      return [{ tag: 'pre', children: [{ tag: 'code', children: [token.content.replace(/\n$/, '')] }] }]
    case 'image': {
      const src = String(token.attrGet('src') ?? '')
      const words = token.content === '' ? src : token.content
      return leadsOut(src) ? [{ tag: 'a', href: src, children: [words] }] : [words]
    }
    default:
      return token.content === '' ? [] : [token.content]
  }
}

function grow(tokens: readonly Token[]): Node[] {
  const root: Node[] = []
  const open: Node[][] = [root]
  const add = (...nodes: Node[]): void => void open.at(-1)?.push(...nodes)
  for (const token of tokens) {
    if (token.nesting === -1) open.pop()
    else if (token.nesting === 1) {
      const branch = branchOf(token)
      if (branch) add(token.type === 'heading_open' ? { tag: 'p', children: [branch] } : branch)
      open.push(branch?.children ?? open.at(-1) ?? root)
    } else if (token.type === 'inline') add(...grow(token.children ?? []))
    else add(...leafOf(token))
  }
  return root
}

export const toTree = (text: string): Node[] => grow(parser.parse(text, {}))
