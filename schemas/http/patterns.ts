/**
 * Patterns whose faults people see. Each has words for what it requires; they complete the phrase
 * “must be”.
 */
export const namePattern = '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$'
export const emailPattern = '^[^\\s@\\u0000-\\u001f\\u007f]+@[^\\s@\\u0000-\\u001f\\u007f]+$'
export const workspaceSlugPattern = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const slugPattern = '^[a-z0-9_-]{1,100}$'
export const httpUrlPattern = '^https?://[^\\s\\u0000-\\u001f\\u007f]+$'
export const incidentPattern = '^(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[iI][nN][cC]-[1-9][0-9]{0,14})$'
export const tagPattern = '^[^\\u0000-\\u0020\\u007f,](?:[^\\u0000-\\u001f\\u007f,]*[^\\u0000-\\u0020\\u007f,])?$'
export const datePattern = '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$'
export const localePattern = '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'
export const clockPattern = '^([01][0-9]|2[0-3]):[0-5][0-9]$'
/** An instant with an offset, or a local time without one. */
export const momentPattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?([zZ]|[+-][0-9]{2}:?[0-9]{2})?$'

const words: ReadonlyMap<string, string> = new Map([
  [namePattern, 'more than blanks, without control characters'],
  [emailPattern, 'an e-mail address, such as ada@example.com'],
  [workspaceSlugPattern, 'lower-case letters and digits, with single hyphens between them'],
  [slugPattern, 'lower-case letters, digits, hyphens and underscores, at most 100'],
  [httpUrlPattern, 'an address that begins with http:// or https://'],
  [incidentPattern, 'the id of an incident, or its key, such as INC-42'],
  [tagPattern, 'without commas and control characters, and with no blank at either end'],
  [clockPattern, 'a time of day, such as 09:00'],
  [datePattern, 'a date, such as 2026-03-02'],
  [momentPattern, 'an instant, or a local time such as 2026-03-02T09:00'],
  [localePattern, 'a language tag, such as en or de-AT']
])

/** Returns the words for a pattern; null when it has none yet. */
export const patternInWords = (pattern: string | RegExp): string | null =>
  words.get(typeof pattern === 'string' ? pattern : pattern.source) ?? null
