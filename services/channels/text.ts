/**
 * Texts for vendors: made harmless, cut to a limit in its own unit, and escaped. Cut first, then
 * escape. Source: docs/design/outbound-channels.md#s1-7.
 */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const ELLIPSIS = '…'

/** characters: code points; utf16: units as JavaScript counts; bytes: of UTF-8. */
export type Unit = 'characters' | 'utf16' | 'bytes'

export function lengthIn(text: string, unit: Unit): number {
  if (unit === 'utf16') return text.length
  if (unit === 'bytes') return Buffer.byteLength(text)
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Without control characters but line feeds and tabs, which every vendor takes. */
export const plain = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\p{Cs}/gu, '\ufffd')

/** For titles and headers: on one line. */
export const oneLine = (text: string): string => plain(text).replace(/\s+/g, ' ').trim()

/** At most `max` of `unit`, with an ellipsis where something is gone; never half a character. */
export function truncate(text: string, max: number, unit: Unit = 'characters'): string {
  // No unit counts more than three for one of UTF-16: most texts are short, and not counted.
  if (text.length * 3 <= max || lengthIn(text, unit) <= max) return text
  const room = max - lengthIn(ELLIPSIS, unit)
  if (room < 0) return ''
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += lengthIn(segment, unit)
    if (used > room) break
    kept += segment
  }
  return kept.trimEnd() + ELLIPSIS
}

/**
 * As much of `text` as fits into `max` when `write` has escaped it: a text that grows is cut again.
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

/** Three characters, as Slack, Telegram and Google Chat want it. */
export const escapeThree = (text: string): string => text.replace(/[&<>]/g, (character) => HTML[character] ?? character)

export const escapeDiscord = (text: string): string => text.replace(/[\\*_~>#\-[\]():|`]/g, '\\$&')

/** Markdown of cards and chat servers. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\*_[\]()#~|`]/g, '\\$&')

/** A sign that is not seen, behind what would call people or make a link of a chat server. */
export const calledOff = (text: string): string => text.replace(/(?<![\w.])@(?=\w)|<(?=[!@#a-z])/gi, '$&\u200b')

/** Markdown of chat servers, in which nobody is called. */
export const escapeChat = (text: string): string => escapeMarkdown(calledOff(text))
