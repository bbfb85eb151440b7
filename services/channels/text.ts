/**
 * Prepares texts for vendors: cleans them, cuts them to a limit in the vendor's own unit, and
 * escapes them. Cut first, then escape.
 * Source: docs/design/outbound-channels.md#s1-7.
 */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const ELLIPSIS = '…'

/** characters: code points; utf16: units as JavaScript counts them; bytes: bytes of UTF-8. */
export type Unit = 'characters' | 'utf16' | 'bytes'

export function lengthIn(text: string, unit: Unit): number {
  if (unit === 'utf16') return text.length
  if (unit === 'bytes') return Buffer.byteLength(text)
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Removes control characters, except line feeds and tabs, which every vendor accepts. */
export const plain = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\p{Cs}/gu, '\ufffd')

/** Puts the text on one line, for titles and headers. */
export const oneLine = (text: string): string => plain(text).replace(/\s+/g, ' ').trim()

/** Returns the index of the first code point with which the text needs more than `room`. */
function indexPast(text: string, room: number, unit: Unit): number {
  let used = 0
  let at = 0
  for (const point of text) {
    used += lengthIn(point, unit)
    if (used > room) break
    at += point.length
  }
  return at
}

/**
 * Returns at most `max` of `unit`, with an ellipsis when something was cut. It never cuts through a
 * character.
 */
export function truncate(text: string, max: number, unit: Unit = 'characters'): string {
  // One UTF-16 unit counts as at most three of any unit, so short texts, which are most, need no
  // counting.
  if (text.length * 3 <= max || lengthIn(text, unit) <= max) return text
  const room = max - lengthIn(ELLIPSIS, unit)
  if (room < 0) return ''
  const at = indexPast(text, room, unit)
  // The segmenter needs time for the whole text at every step, so it is asked once. What follows
  // the code point at `at` does not move the edge of the character before it.
  const edge = graphemes.segment(text.slice(0, at + 2)).containing(at)?.index ?? at
  return text.slice(0, edge).trimEnd() + ELLIPSIS
}

/**
 * Returns as much of `text` as fits into `max` after `write` has escaped it. A text that grows by
 * escaping is cut again.
 */
export function escapedWithin(text: string, max: number, write: (text: string) => string, unit: Unit = 'characters'): string {
  let cut = truncate(text, max, unit)
  for (;;) {
    const escaped = write(cut)
    const over = lengthIn(escaped, unit) - max
    if (over <= 0) return escaped
    const shorter = truncate(cut, Math.max(0, lengthIn(cut, unit) - Math.max(1, Math.ceil(over / 6))), unit)
    if (shorter.length >= cut.length) return ''
    cut = shorter
  }
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** HTML and XML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => HTML[character] ?? character)

/** Escapes three characters, as Slack, Telegram and Google Chat require. */
export const escapeThree = (text: string): string => text.replace(/[&<>]/g, (character) => HTML[character] ?? character)

export const escapeDiscord = (text: string): string => text.replace(/[\\*_~>#\-[\]():|`]/g, '\\$&')

/** Escapes the Markdown of cards and chat servers. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\*_[\]()#~|`]/g, '\\$&')

/**
 * Adds an invisible character after everything that would mention people or become a link on a chat
 * server. Only an `@` behind a letter or digit is left, as in an address: Mattermost takes words
 * apart at `.`, `-` and `:`, and ignores `_` before them.
 */
export const calledOff = (text: string): string => text.replace(/(?<![A-Za-z0-9])@(?=\w)|<(?=[!@#a-z])/gi, '$&\u200b')

/** Escapes the Markdown of chat servers, and prevents mentions. */
export const escapeChat = (text: string): string => escapeMarkdown(calledOff(text))
