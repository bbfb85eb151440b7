/**
 * Writes values in the engine's TabSeparated format. A value that its column cannot hold throws
 * Unfit. Such a record is not a row of its table, so an insert can fail only because the engine is
 * unavailable.
 */

/**
 * The record does not fit its table. The message says which value is wrong, and never contains the
 * value.
 */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}

const SPECIAL = /[\\\t\n\r\0\b\f']/
const ALL_SPECIAL = /[\\\t\n\r\0\b\f']/g
const escapes: Record<string, string> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  "'": "\\'"
}

export const text = (value: string): string =>
  SPECIAL.test(value) ? value.replace(ALL_SPECIAL, (found) => escapes[found] ?? found) : value

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function uuid(value: string, what: string): string {
  if (!UUID.test(value)) throw new Unfit(`${what} is no UUID`)
  return value
}

/**
 * 2100-01-01: later times are errors, and 32-bit seconds end in 2106, to which retention is added.
 */
export const LAST_INSTANT = 4_102_444_800_000

/**
 * Writes epoch ms as a DateTime64(3). The engine takes up to eight digits for a date, so seconds of
 * the first years after 1970 get leading zeros.
 */
export function instant(value: number, what: string): string {
  if (!Number.isInteger(value) || value < 0 || value > LAST_INSTANT) throw new Unfit(`${what} is not between 1970 and 2100`)
  const seconds = Math.floor(value / 1000)
  const rest = value - seconds * 1000
  const digits = seconds < 1_000_000_000 ? String(seconds).padStart(10, '0') : seconds
  return rest < 10 ? `${digits}.00${rest}` : rest < 100 ? `${digits}.0${rest}` : `${digits}.${rest}`
}

export function whole(value: number, what: string, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) throw new Unfit(`${what} is not a whole number from ${min} to ${max}`)
  return value
}

export const flag = (value: boolean): string => (value ? 'true' : 'false')
export const version = (value: number): number => whole(value, 'ver', 0, Number.MAX_SAFE_INTEGER)

/** A duration for a Float32 column, to the microsecond; -1 when there is none. */
export function decimal(value: number | null): string {
  if (value === null) return '-1'
  if (!Number.isFinite(value) || value < 0) throw new Unfit('a duration is negative or no number')
  return String(Math.round(value * 1000) / 1000)
}

const quoted = (value: string): string => `'${text(value)}'`

/** Array(String) */
export const texts = (values: readonly string[]): string => `[${values.map(quoted).join(',')}]`

/** Array(Int64) */
export const numbers = (values: readonly number[]): string => `[${values.join(',')}]`

/** Map(String, String) */
export const pairs = (values: readonly (readonly [string, string])[]): string =>
  `{${values.map(([key, value]) => `${quoted(key)}:${quoted(value)}`).join(',')}}`
