/**
 * Normalises label names to the form that alerts have: [a-zA-Z_][a-zA-Z0-9_.-]{0,63}. Rules,
 * filters and templates match labels by name. So an unusual character must not make a label
 * unreachable, and two names must stay different.
 *
 *   sent                         carried
 *   fits                         as it is
 *   a character beyond ASCII     _uXXXX_: its code point, at least 4 lower-case hex digits
 *   any other that does not fit  _
 *   begins with no letter, no _  _ before it
 *   longer than 64               its first 55, _, and 8 hex digits of the hash of the whole
 *   two come to the same name    the one sent in that form keeps it; the others get the hash
 *
 * Only the last row depends on the other names of the alert. No row depends on their order.
 */
import { MAX_ALERT_LABEL_NAME } from '../../schemas/limits.ts'
import { digest } from './readers.ts'

const HASH_CHARACTERS = 8

export function isFitName(name: string): boolean {
  if (name.length === 0 || name.length > MAX_ALERT_LABEL_NAME) return false
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    const letter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95
    const later = (code >= 48 && code <= 57) || code === 46 || code === 45
    if (!letter && !(later && i > 0)) return false
  }
  return true
}

const spelt = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 127 ? `_u${code.toString(16).padStart(4, '0')}_` : '_'
}

/**
 * Converts a name to ASCII. The result may be longer than a name may be; it is built from the first
 * characters only.
 */
function ascii(name: string): string {
  const fit = name.slice(0, 2 * MAX_ALERT_LABEL_NAME).replace(/[^a-zA-Z0-9_.-]/gu, spelt)
  return fit === '' || /^[a-zA-Z_]/.test(fit) ? fit : `_${fit}`
}

const hashed = (fit: string, name: string): string =>
  `${fit.slice(0, MAX_ALERT_LABEL_NAME - HASH_CHARACTERS - 1)}_${digest(name).slice(0, HASH_CHARACTERS)}`

/** The name by itself. */
function fitName(name: string): string {
  if (isFitName(name)) return name
  const fit = ascii(name)
  return fit.length > MAX_ALERT_LABEL_NAME || name.length > 2 * MAX_ALERT_LABEL_NAME ? hashed(fit, name) : fit
}

/** Returns a function that normalises each name, given all names of one alert. */
export function namesOf(names: readonly string[]): (name: string) => string {
  const changed = names.filter((name) => !isFitName(name))
  if (changed.length === 0) return (name) => name
  const takers = new Map<string, number>()
  for (const name of names) {
    const fit = fitName(name)
    takers.set(fit, (takers.get(fit) ?? 0) + 1)
  }
  return (name) => {
    const fit = fitName(name)
    return isFitName(name) || (takers.get(fit) ?? 0) < 2 ? fit : hashed(fit, name)
  }
}

/**
 * Normalises a name as older versions did: they replaced every other character with an underscore.
 */
export function formerName(name: string): string {
  if (isFitName(name)) return name
  const fit = name.slice(0, MAX_ALERT_LABEL_NAME).replace(/[^a-zA-Z0-9_.-]/g, '_')
  return /^[a-zA-Z_]/.test(fit) || fit === '' ? fit : `_${fit}`.slice(0, MAX_ALERT_LABEL_NAME)
}
