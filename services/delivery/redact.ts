/** Removes secrets from what is stored of a request and its reply. Pure. */

export const REDACTED = '[secret]'

/** Shorter texts are not cut out, because they would match text that is no secret. */
const LEAST = 4

/**
 * Returns each secret in all its forms: as it is, in an address, in JSON, and in Base64. The
 * longest comes first.
 */
function formsOf(secrets: readonly string[]): string[] {
  const forms = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < LEAST) continue
    for (const form of [secret, encodeURIComponent(secret), encodeURI(secret), JSON.stringify(secret).slice(1, -1)]) forms.add(form)
    forms.add(Buffer.from(secret).toString('base64'))
  }
  return [...forms].sort((one, other) => other.length - one.length)
}

/** Returns a function that removes every secret from a text. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = formsOf(secrets)
  return (text) => forms.reduce((clean, form) => clean.replaceAll(form, REDACTED), text)
}

/** These headers are always secret, whatever the channel names as secret. */
const SECRET_HEADERS = /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|.*-token|.*-secret)$/i

export const redactHeaders = (headers: Readonly<Record<string, string>>, clean: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SECRET_HEADERS.test(name) ? REDACTED : clean(value)]))

/** Cuts a text to at most `bytes` of UTF-8, at the edge of a character. */
export function cut(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  return `${buffer
    .subarray(0, bytes - 3)
    .toString('utf8')
    .replace(/\uFFFD$/, '')}…`
}
