/**
 * Text that no store takes: with NUL, or with half of a surrogate pair. On the product API it is a
 * fault of its field; the doors take it and clean it, since senders cut their texts in the middle
 * of a character and the alert counts for more (services/intake/readers.ts).
 */
import type { ErrorDetail } from '../../../schemas/http/common.ts'

/**
 * In JSON only escapes can bring it, once the body is valid UTF-8. May also match what is fine: an
 * escaped backslash before a u, a whole pair.
 */
const MAYBE = /\\u(?:0000|d[89a-f])/i
/** Faults that are told; one is enough to refuse. */
const MAX_TOLD = 10

// Without `u` a surrogate is a unit of its own; with it, only one that has lost its other half.
const ILL = /\0|\p{Surrogate}/u

export const mayBeIllFormed = (json: string): boolean => MAYBE.test(json)

export const isIllFormed = (text: string): boolean => ILL.test(text)

const shown = (name: string): string => name.slice(0, 64).replace(/\0|\p{Surrogate}/gu, '\ufffd')

const fault = (path: string, what: string): ErrorDetail => ({
  path,
  rule: 'ill_formed',
  message: `must ${what} without NUL characters (U+0000) and without halves of characters (lone surrogates)`
})

/** Strings and names of fields that are ill-formed, by their path; the first ten. */
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
