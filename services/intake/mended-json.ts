/**
 * Mends JSON that a template of the sender made: templates put values into strings as they are, and
 * few can escape for JSON. A control character in a string is written as its escape, and a
 * backslash that begins no escape as two. Nothing else is mended: a quote in a value ends its
 * string, and nobody can say where the string was meant to end.
 *
 * Where strings begin and end, and every byte outside of them, stays. So what the first reading
 * says about brackets and commas holds for the mended text, too.
 *
 * Source: docs/design/inbound-sources.md#s1-4.
 */
const QUOTE = 34
const BACKSLASH = 92
const LETTER_U = 117

/** By byte: 1 when it is in the text. */
function bytesOf(text: string): Uint8Array {
  const found = new Uint8Array(256)
  for (const byte of Buffer.from(text)) found[byte] = 1
  return found
}
/** The letters and signs that JSON allows after a backslash. */
const afterBackslash = bytesOf('"\\/bfnrtu')
const hexDigits = bytesOf('0123456789abcdefABCDEF')
/** The escape of each control character, by its code: `\n`, `\t`, `\u001b` and so on. */
const escapes: readonly Buffer[] = Array.from({ length: 32 }, (_, code) =>
  Buffer.from(JSON.stringify(String.fromCharCode(code)).slice(1, -1))
)
const twoBackslashes = Buffer.from('\\\\')

/**
 * Returns the mended text, or null when there is nothing to mend or the text would be longer than
 * `maxBytes`. Takes time linear in the length.
 */
export function mendedJson(bytes: Buffer, maxBytes: number): Buffer | null {
  const length = write(bytes, null)
  if (length === bytes.length || length > maxBytes) return null
  const mended = Buffer.allocUnsafe(length)
  write(bytes, mended)
  return mended
}

/** Writes the mended text into `target`, if there is one, and returns its length. */
function write(bytes: Buffer, target: Buffer | null): number {
  let length = 0
  let isInside = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    const mended = isInside && (byte < 32 || byte === BACKSLASH) ? mendedAt(bytes, i, byte) : null
    if (mended) {
      if (target) for (let at = 0; at < mended.length; at++) target[length + at] = mended[at] ?? 0
      length += mended.length
      continue
    }
    if (byte === QUOTE) isInside = !isInside
    if (target) target[length] = byte
    length++
    if (!isInside || byte !== BACKSLASH) continue
    // The second byte of an escape ends no string and begins no escape.
    i++
    if (target) target[length] = bytes[i] ?? 0
    length++
  }
  return length
}

/**
 * Returns what is written in place of a control character or a backslash in a string. Returns null
 * when it stays.
 */
function mendedAt(bytes: Buffer, at: number, byte: number): Buffer | null {
  if (byte !== BACKSLASH) return escapes[byte] ?? null
  const next = bytes[at + 1] ?? 0
  return afterBackslash[next] === 1 && (next !== LETTER_U || isHex4(bytes, at + 2)) ? null : twoBackslashes
}

function isHex4(bytes: Buffer, from: number): boolean {
  for (let at = from; at < from + 4; at++) if (hexDigits[bytes[at] ?? 0] !== 1) return false
  return true
}
