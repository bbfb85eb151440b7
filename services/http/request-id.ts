/**
 * The id that follows a request through answers, logs and audit, in every role: the caller's own
 * when it has the form, else a new one. Source: docs/design/api.md#s1-3.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { HttpRequest } from './uws.ts'

const MAX_LENGTH = 64

/** 1 to 64 of [A-Za-z0-9._-]. A loop: doors ask for each request. */
function hasForm(text: string): boolean {
  if (text === '' || text.length > MAX_LENGTH) return false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const fits =
      (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 45 || code === 46 || code === 95
    if (!fits) return false
  }
  return true
}

const boot = Math.random().toString(36).slice(2, 8)
let counted = 0

/** A name of this process and a number: a fraction of what a UUID costs, for doors and sockets. */
export const countedId = (): string => `r-${boot}-${(counted++).toString(36)}`

/** `header` is X-Request-Id as it came: missing or empty, one value, or several, which are none. */
export const requestIdOf = (header: string | readonly string[] | undefined, mint: () => string = () => uuidv7()): string =>
  typeof header === 'string' && hasForm(header) ? header : mint()

/** Of a request to intake or gateway, inside its handler. */
export const idOf = (request: HttpRequest): string => requestIdOf(request.getHeader('x-request-id'), countedId)
