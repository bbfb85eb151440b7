/**
 * The id that follows a request through answers, logs and audit, in every role. It is the caller's
 * own id when that has the right form, otherwise a new one.
 * Source: docs/design/api.md#s1-3.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { HttpRequest } from './uws.ts'

const MAX_LENGTH = 64

/** 1 to 64 of [A-Za-z0-9._-]. A loop for speed: this runs for each request. */
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

/**
 * Returns a name of this process and a number. It costs a fraction of a UUID and is used for intake
 * and sockets.
 */
export const countedId = (): string => `r-${boot}-${(counted++).toString(36)}`

/**
 * `header` is X-Request-Id as it came: missing or empty, one value, or several. Several count as
 * none.
 */
export const requestIdOf = (header: string | readonly string[] | undefined, mint: () => string = () => uuidv7()): string =>
  typeof header === 'string' && hasForm(header) ? header : mint()

/** The id of a request to intake or gateway. Call it inside the handler. */
export const idOf = (request: HttpRequest): string => requestIdOf(request.getHeader('x-request-id'), countedId)
