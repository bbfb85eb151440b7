/**
 * Addresses that people can read and pass on: `?status=down&tag=db,web`. Every value is text; a
 * list is written with commas; what is empty is left out.
 */
export type Search = Readonly<Record<string, string | undefined>>

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

export function stringifySearch(search: object): string {
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === false) continue
    const words = Array.isArray(value) ? value.join(',') : String(value)
    if (words !== '') written.set(name, words)
  }
  const text = written.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return text === '' ? '' : `?${text}`
}

/**
 * The words of a list that are known, in its own order; others are dropped: an old address still
 * opens.
 */
export const wordsOf = <Word extends string>(value: unknown, known: readonly Word[]): Word[] => {
  const given = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(String) : []
  return known.filter((word) => given.includes(word))
}

export const wordOf = <Word extends string>(value: unknown, known: readonly Word[]): Word | undefined =>
  known.find((word) => word === value)

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** An id as the api writes it. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? value.toLowerCase() : undefined

/** A page of a list, from 1 on; 1 is left out of the address. */
export const pageOf = (value: unknown): number | undefined => {
  const page = Number(value)
  return Number.isInteger(page) && page > 1 && page <= 10_000 ? page : undefined
}

const PLACEHOLDER = 'http://own.invalid'
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop some of them, and read on
const ODD = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/

/**
 * A path of our own, with its query and fragment, for an address to go to; undefined for anything
 * by which a browser, or a router that decodes it, could leave.
 */
export function ownPathOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/')) return undefined
  let decoded: string
  try {
    // Twice: whoever reads the address may decode it once more.
    decoded = decodeURIComponent(decodeURIComponent(value.split(/[?#]/, 1)[0] ?? ''))
  } catch {
    return undefined
  }
  if (ODD.test(decoded) || ODD.test(value) || decoded.startsWith('//')) return undefined
  if (!URL.canParse(value, PLACEHOLDER)) return undefined
  const { origin, pathname, search, hash } = new URL(value, PLACEHOLDER)
  return origin === PLACEHOLDER && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : undefined
}
