/**
 * Finds text that no store accepts: with NUL, or with half of a surrogate pair. On the product API
 * it is a fault of its field. The doors accept it and clean it, because senders cut their texts in
 * the middle of a character and the alert matters more (services/intake/readers.ts).
 */
import type { ErrorDetail } from '../../../schemas/http/common.ts'

/**
 * In JSON that is valid UTF-8, only escapes can bring such text. This may also match valid text: an
 * escaped backslash before a u, a whole pair.
 */
const MAYBE = /\\u(?:0000|d[89a-f])/i
/** The most faults that are reported; one is enough to refuse. */
const MAX_TOLD = 10

// Without the flag `u`, every surrogate matches by itself; with it, only one that has lost its
// other half.
const ILL = /\0|\p{Surrogate}/u

export const mayBeIllFormed = (json: string): boolean => MAYBE.test(json)

export const isIllFormed = (text: string): boolean => ILL.test(text)

const shown = (name: string): string => name.slice(0, 64).replace(/\0|\p{Surrogate}/gu, '\ufffd')

const fault = (path: string, what: string): ErrorDetail => ({
  path,
  rule: 'ill_formed',
  message: `must ${what} without NUL characters (U+0000) and without halves of characters (lone surrogates)`
})

/** Returns the ill-formed strings and field names by their path, at most the first ten. */
export function illFormedIn(value: unknown, path = '', faults: ErrorDetail[] = []): ErrorDetail[] {
  if (faults.length >= MAX_TOLD) return faults
  if (typeof value === 'string') {
    if (isIllFormed(value)) faults.push(fault(path, 'be text'))
  } else if (Array.isArray(value)) {
    for (const [nth, entry] of value.entries()) illFormedIn(entry, `${path}[${nth}]`, faults)
  } else if (value !== null && typeof value === 'object') {
    for (const [name, entry] of Object.entries(value)) {
      const at = path === '' ? shown(name) : `${path}.${shown(name)}`
      if (isIllFormed(name) && faults.length < MAX_TOLD) faults.push(fault(at, 'have a name'))
      illFormedIn(entry, at, faults)
    }
  }
  return faults
}
