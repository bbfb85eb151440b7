/**
 * Names headings as the sites that show repositories do, so that a link to a heading works there
 * and on the product's own pages.
 */

/** Turns a heading into its name: without marks, and with only the words of a link. */
const named = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** Names headings one after the other; a repeated name gets a number. */
export function nameHeadings(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const name = named(heading)
    const times = seen.get(name) ?? 0
    seen.set(name, times + 1)
    return times === 0 ? name : `${name}-${times}`
  }
}

/** Returns the names of the headings of a Markdown text, in order. */
export function anchorsOf(markdown: string): string[] {
  const name = nameHeadings()
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => name(heading))
}
