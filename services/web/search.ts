/**
 * Addresses that people can read and share: `?status=down&tag=db,web`. Every value is text, a list
 * is separated by commas, and empty values are left out.
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
 * Returns the known words of a list, in the order of `known`. Unknown words are dropped, so that an
 * old address still opens.
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

/** Returns the page number of a list, from 1 on; 1 is left out of the address. */
export const pageOf = (value: unknown): number | undefined => {
  const page = Number(value)
  return Number.isInteger(page) && page > 1 && page <= 10_000 ? page : undefined
}

const PLACEHOLDER = 'http://own.invalid'
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop some of them, and read on
const ODD = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/

/**
 * Returns a path of the dashboard, with query and fragment, that is safe to navigate to; undefined
 * for anything that could lead a browser, or a router that decodes it, to another site.
 */
export function ownPathOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/')) return undefined
  let decoded: string
  try {
    // Decoded twice, because a reader of the address may decode it once more.
    decoded = decodeURIComponent(decodeURIComponent(value.split(/[?#]/, 1)[0] ?? ''))
  } catch {
    return undefined
  }
  if (ODD.test(decoded) || ODD.test(value) || decoded.startsWith('//')) return undefined
  if (!URL.canParse(value, PLACEHOLDER)) return undefined
  const { origin, pathname, search, hash } = new URL(value, PLACEHOLDER)
  return origin === PLACEHOLDER && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : undefined
}
