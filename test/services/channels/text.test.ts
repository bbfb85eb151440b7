/** Tests of how texts are cut: never through a character, and in little work for long texts. */
import t from 'tap'
import { escapeDiscord, escapedWithin, lengthIn, truncate, type Unit } from '../../../services/channels/text.ts'

const units: readonly Unit[] = ['characters', 'utf16', 'bytes']
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the longest run of whole characters that fits, found by trying one after the other. */
function cutSlowly(text: string, max: number, unit: Unit): string {
  if (lengthIn(text, unit) <= max) return text
  const room = max - lengthIn('…', unit)
  if (room < 0) return ''
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (lengthIn(kept + segment, unit) > room) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

const texts = [
  'Plain words, and  some spaces.  ',
  'Grüße aus Köln: Straße überflutet',
  'e\u0301a\u0308o\u0302n\u0303 and x\u0301\u0302\u0303\u0304\u0305 more',
  '🇩🇪🇫🇷🇮🇹🇪🇸🇵🇹 flags',
  'a🇩🇪🇫🇷',
  '👩‍👩‍👧‍👦👍🏽🧑‍🚒 families ❤️‍🔥1️⃣',
  'क्षत्रिय नमस्ते दुनिया',
  '한국어 텍스트 각각',
  'ก็ที่นี่ไม่มี',
  'line\r\nline\r\n',
  '\ud83d half \udc4d\ud83d',
  'e'.padEnd(60, '\u0301')
]

t.test('a text is cut at the last whole character that fits', async (t) => {
  for (const text of texts)
    for (const unit of units)
      for (let max = 0; max <= lengthIn(text, unit) + 1; max++)
        if (truncate(text, max, unit) !== cutSlowly(text, max, unit)) t.equal(truncate(text, max, unit), cutSlowly(text, max, unit), unit)
  t.equal(truncate('👩‍👩‍👧‍👦👍🏽', 8), '👩‍👩‍👧‍👦…')
})

// A cut that looks at the whole text for each character needs hours for these.
t.test('a long text is cut in one look', async (t) => {
  for (const character of ['x', '🇩🇪', 'e\u0301', '👍🏽']) {
    const cut = truncate(character.repeat(1_000_000), 500_001, 'utf16')
    t.equal(cut, `${character.repeat(500_000 / character.length)}…`, character)
  }
  const stars = escapedWithin('*'.repeat(1_000_000), 500_000, escapeDiscord)
  t.ok(stars.length <= 500_000 && /^(?:\\\*)+…$/.test(stars))
})
