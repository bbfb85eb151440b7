/**
 * Finds faults in a page of HTML by looking at its tags: nesting, ids, links within the page, and
 * anything that the content security policy forbids.
 */

const VOID = new Set(['meta', 'link', 'br', 'hr', 'img', 'input'])
/**
 * Elements that others of the same kind, or paragraphs, end without saying so: a page of ours has
 * none of them inside a paragraph.
 */
const BLOCKS = new Set(['p', 'div', 'section', 'table', 'ul', 'ol', 'pre', 'h1', 'h2', 'h3', 'h4', 'details', 'nav', 'main', 'header'])

const TAG = /<(!doctype html|\/?[a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*>/g

export interface Seen {
  faults: string[]
  ids: string[]
  links: string[]
  /** The text in order, without tags. Entities are not decoded. */
  text: string
}

export function look(page: string): Seen {
  const faults: string[] = []
  const ids: string[] = []
  const links: string[] = []
  const open: string[] = []
  const text = page.replaceAll(TAG, (_all, tag: string, attributes: string) => {
    if (tag === '!doctype html') return ''
    if (tag.startsWith('/')) {
      const last = open.pop()
      if (last !== tag.slice(1)) faults.push(`</${tag.slice(1)}> closes ${last ?? 'nothing'}`)
      return ''
    }
    const isOurs = tag === 'script' && attributes === ' type="module" src="/docs/docs.js"'
    if (!isOurs && ['script', 'style', 'iframe', 'object', 'base'].includes(tag)) faults.push(`<${tag}> is not served`)
    if (BLOCKS.has(tag) && open.includes('p')) faults.push(`<${tag}> in a paragraph`)
    if (tag === 'a' && open.includes('a')) faults.push('a link in a link')
    for (const [, name = '', value = ''] of attributes.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)) {
      if (name === 'style' || name.startsWith('on')) faults.push(`${name} on <${tag}>`)
      if (name === 'id') ids.push(value)
      if (name === 'href') links.push(value)
      if (name === 'href' && /^\s*(javascript|data|vbscript):/i.test(value)) faults.push(`href="${value}"`)
    }
    if (!VOID.has(tag)) open.push(tag)
    return ''
  })
  if (open.length > 0) faults.push(`${open.join(' ')} is not closed`)
  if (/[<>]/.test(text)) faults.push(`a stray bracket: ${/.{0,20}[<>].{0,20}/.exec(text)?.[0]}`)
  if (/&(?!amp;|lt;|gt;|quot;|#39;)/.test(text)) faults.push('a stray ampersand')
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`id ${id} stands twice`)
  for (const link of links) if (link.startsWith('#') && !ids.includes(link.slice(1))) faults.push(`${link} leads nowhere`)
  return { faults, ids, links, text }
}
