/**
 * Searches the documentation for words. Each part of a page, from one heading to the next, is
 * matched by its heading first and by its text second. Works without script. Pure.
 */
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'

/** Where the form leads. */
export const SEARCH = '/docs/search'
export const MAX_QUERY = 100
const MAX_FOUND = 30
const EXCERPT = 160

/** A part of a page, from one heading to the next. */
export interface Part {
  url: string
  page: string
  heading: string
  text: string
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Returns the words of HTML that this service made. */
const wordsOf = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()

const PART = /<(?:h[1-4]|section)\b[^>]*\bid="([^"]+)"[^>]*>/g

/** Splits a page into parts. The first part is the text before the first named heading. */
export function partsOf(url: string, { title, main }: Page): Part[] {
  const { text } = main
  const begins = [...text.matchAll(PART)]
  const first = { url, page: title, heading: title, text: wordsOf(text.slice(0, begins[0]?.index ?? text.length)) }
  const parts = begins.map((begin, nth): Part => {
    const markup = text.slice(begin.index, begins[nth + 1]?.index)
    const heading = /<h[1-4]\b[^>]*>([\s\S]*?)<\/h[1-4]>/.exec(markup)?.[1]
    return { url: `${url}#${begin[1]}`, page: title, heading: heading === undefined ? title : wordsOf(heading), text: wordsOf(markup) }
  })
  return [first, ...parts].filter((part) => part.text !== '')
}

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The most times that a word counts in a text: a long text must not win by its length. */
const MAX_TIMES = 3
/** More than a word can gain by repetition. */
const WHOLE = 100
const times = (text: string, word: string): number => Math.min(MAX_TIMES, text.split(word).length - 1)

/**
 * All words must occur. A word counts ten times in the heading and five times in the title of the
 * page. A heading that contains all words ranks before headings that repeat one.
 */
function scoreOf(words: readonly string[], { page, heading, text }: Part): number {
  const [title, head, body] = [plain(page), plain(heading), plain(text)]
  const scores = words.map((word) => 10 * times(head, word) + 5 * times(title, word) + times(body, word))
  if (scores.includes(0)) return 0
  const whole = words.every((word) => head.includes(word)) ? WHOLE : 0
  return whole + (head.startsWith(words.join(' ')) ? WHOLE : 0) + scores.reduce((sum, score) => sum + score, 0)
}

export const searchWords = (query: string): string[] =>
  plain(query.slice(0, MAX_QUERY))
    .split(/[^\p{L}\p{N}_.:/{}-]+/u)
    .filter((word) => word.length > 1)

/** Returns the best parts first; equal ones are in the order of the pages. */
export function found(parts: readonly Part[], query: string): Part[] {
  const words = searchWords(query)
  if (words.length === 0) return []
  return parts
    .map((part, nth) => ({ part, nth, score: scoreOf(words, part) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.nth - other.nth)
    .slice(0, MAX_FOUND)
    .map(({ part }) => part)
}

/** Returns the text around the first of the words, with the words marked. */
export function excerptOf({ text }: Part, words: readonly string[]): Html {
  const given = plain(text)
  // Combining marks make the lengths differ. Only with equal lengths do positions in `given` fit
  // `text`.
  const same = given.length === text.length
  const at = same ? Math.min(...words.map((word) => given.indexOf(word)).filter((index) => index >= 0), text.length) : 0
  const from = Math.max(0, Math.min(at, text.length) - EXCERPT / 2)
  const cut = text.slice(from, from + EXCERPT)
  const shown = `${from > 0 ? '… ' : ''}${cut}${from + EXCERPT < text.length ? ' …' : ''}`
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  if (!same || pattern === '') return html`${shown}`
  return html`${shown.split(new RegExp(`(${pattern})`, 'i')).map((piece, nth) => (nth % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}`
}

/** Builds the page of search results. */
export function resultsOf(parts: readonly Part[], query: string): Page {
  const words = searchWords(query)
  const hits = found(parts, query)
  const title = query.trim() === '' ? 'Search' : `Search: ${query.trim().slice(0, MAX_QUERY)}`
  const items = hits.map(
    (hit) =>
      html`<li><a href="${hit.url}">${hit.heading}</a>${hit.heading === hit.page ? null : html` <small>${hit.page}</small>`}<p>${excerptOf(hit, words)}</p></li>\n`
  )
  const outcome =
    words.length === 0
      ? html`<p>Type words of at least two letters.</p>`
      : hits.length === 0
        ? html`<p>Nothing has all of these words.</p>`
        : html`<ul class="entries">\n${items}</ul>`
  return { title, contents: null, main: html`<h1>${title}</h1>\n${outcome}` }
}
