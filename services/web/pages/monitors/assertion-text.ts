/**
 * The value of an assertion as text in a field. What `typedValue` writes is read back unchanged.
 * The items of a list are separated by commas. An item in quotes is text as it stands, also with a
 * comma or blanks; in quotes `\"` is a quote and `\\` a backslash. Pure.
 */

export type Scalar = string | number | boolean
type Values = 'number' | 'string' | 'any'

const decimal = /^-?\d+(\.\d+)?$/
const quoted = /^".*"$/
/** An item in quotes, or one without. */
const items = /\s*("(?:[^"\\]|\\.)*")\s*(?:,|$)|([^,]*)(?:,|$)/g

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
const unquote = (text: string): string => text.slice(1, -1).replace(/\\(["\\])/g, '$1')

const isBoolean = (text: string): boolean => text === 'true' || text === 'false'

/** For JSON, `true` and `12` are not text, but in quotes they are. */
export function scalarOf(text: string, values: Values): Scalar {
  const typed = text.trim()
  if (values === 'string') return text
  if (decimal.test(typed)) return Number(typed)
  if (values === 'any' && isBoolean(typed)) return typed === 'true'
  return quoted.test(typed) ? unquote(typed) : text
}

export const listOf = (text: string, values: Values): Scalar[] =>
  [...text.matchAll(items)].flatMap(([, inQuotes, plain = '']) => {
    if (inQuotes !== undefined) return unquote(inQuotes)
    const typed = plain.trim()
    return typed === '' ? [] : scalarOf(typed, values)
  })

/** Whether the text without quotes would be read as something else. */
const isOther = (text: string, values: Values): boolean => scalarOf(text, values) !== text

function typedItem(item: unknown, values: Values): string {
  if (typeof item !== 'string') return String(item)
  const plain = item !== '' && item === item.trim() && !item.includes(',') && !item.startsWith('"')
  return plain && !isOther(item, values) ? item : quote(item)
}

export function typedValue(value: unknown, values: Values): string {
  if (Array.isArray(value)) return value.map((one) => typedItem(one, values)).join(', ')
  if (typeof value === 'string' && values === 'any' && isOther(value, values)) return quote(value)
  return value === undefined ? '' : String(value)
}
