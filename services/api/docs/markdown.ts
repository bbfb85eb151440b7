/**
 * Renders Markdown of the project's own documents as HTML. Headings get the names that links use,
 * links between documents lead to their pages here, and the name of a page of this site (`/docs/…`)
 * becomes a link to it. HTML in the source is shown as text.
 */
import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import { nameHeadings } from './anchors.ts'
import { type Html, html, trusted } from './html.ts'
import { guideUrl, imageUrl, pictureUrl, places } from './page.ts'

export interface Heading {
  level: number
  name: string
  text: string
}

export interface Rendered {
  /** The first heading. */
  title: string
  /** Words of the first paragraph, without marks. */
  lead: string
  headings: Heading[]
  body: Html
}

/**
 * Returns the page that shows a document of the project; null where there is none. `file` is a path
 * from the project's folder.
 */
export function pageOf(file: string): string | null {
  if (file === 'docs/operations.md') return places.operations.url
  const guide = /^docs\/guides\/((?:channels\/)?[a-z-]+)\.md$/.exec(file)?.[1]
  return guide === undefined ? null : guideUrl(guide)
}

const parser = new MarkdownIt('default', { html: false, linkify: false, typographer: false })

/** Where a link in `file` leads on this site; null: its target is not served. */
function served(href: string, file: string): string | null {
  if (/^https?:/.test(href) || href.startsWith('#')) return href
  const [path = '', anchor] = href.split('#')
  const url = pageOf(posix.normalize(posix.join(posix.dirname(file), path)))
  return url && (anchor === undefined ? url : `${url}#${anchor}`)
}

/** Where a picture named in `file` is served. Throws for a picture that is not this project's. */
function pictureAt(src: string, file: string): string {
  const path = posix.normalize(posix.join(posix.dirname(file), src))
  const name = /^docs\/guides\/pictures\/([a-z-]+)\.svg$/.exec(path)?.[1]
  const image = /^docs\/images\/([a-z-]+)\.webp$/.exec(path)?.[1]
  if (image !== undefined) return imageUrl(image)
  if (name === undefined) throw new Error(`${file} shows ${src}, which is not served`)
  return pictureUrl(name)
}

const OWN_PAGE = /^\/docs(\/[\w-]+)*(#[\w-]+)?$/

type Tokens = ReturnType<typeof parser.parse>
type Token = Tokens[number]

/** Returns the words of an inline token. */
const plain = ({ children, content }: Token): string =>
  (children ?? []).map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('') || content

/**
 * Rewrites the links of a line for the pages. A link that leads to no page is reduced to its words.
 */
function relink(inline: Token, file: string): void {
  const dropped: boolean[] = []
  inline.children = (inline.children ?? []).filter((child) => {
    if (child.type === 'image') child.attrSet('src', pictureAt(String(child.attrGet('src')), file))
    if (child.type === 'link_open') {
      const url = served(String(child.attrGet('href')), file)
      dropped.push(url === null)
      if (url !== null) child.attrSet('href', url)
      return url !== null
    }
    return child.type !== 'link_close' || !dropped.pop()
  })
}

parser.renderer.rules.code_inline = (tokens, at) => {
  const content = tokens[at]?.content ?? ''
  return (OWN_PAGE.test(content) ? html`<a href="${content}"><code>${content}</code></a>` : html`<code>${content}</code>`).text
}
// Keyboard users can scroll a block only when it can take the focus.
parser.renderer.rules.fence = (tokens, at) => {
  const { content, info } = tokens[at] as Token
  const promised = info.trim() === 'text'
  return html`<pre tabindex="0" role="group" class="${promised ? 'seen' : 'code'}" aria-label="${promised ? 'What you see' : 'Code'}"><code>${content}</code></pre>\n`
    .text
}
parser.renderer.rules.table_open = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n'
parser.renderer.rules.table_close = () => '</table></div>\n'

/** Renders a document. `file` is the path of the text from the project's folder. */
export function render(markdown: string, file: string): Rendered {
  const tokens = parser.parse(markdown, {})
  const name = nameHeadings()
  const headings: Heading[] = []
  let lead = ''
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'inline') continue
    const opened = tokens[at - 1]
    if (opened?.type === 'heading_open') {
      const heading = { level: Number(opened.tag.slice(1)), name: name(token.content), text: plain(token) }
      opened.attrSet('id', heading.name)
      headings.push(heading)
    } else if (opened?.type === 'paragraph_open' && lead === '') lead = plain(token)
    relink(token, file)
  }
  const [first] = headings
  return { title: first?.text ?? file, lead, headings, body: trusted(parser.renderer.render(tokens, parser.options, {})) }
}

/** Renders a sentence with code and emphasis, without a paragraph around it. */
export const renderLine = (markdown: string): Html => trusted(parser.renderInline(markdown))
