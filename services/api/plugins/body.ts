/**
 * Reads bodies: JSON in valid UTF-8, nested at most 32 deep, without `__proto__`; an empty body
 * counts as {}. Anything else is 400 MALFORMED_JSON, another content type 415, and text that no
 * store accepts 422 (ill-formed.ts).
 * Source: docs/design/api.md#s1-1 and #s1-6.
 */
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../http/errors.ts'
import { illFormedIn, mayBeIllFormed } from '../http/ill-formed.ts'
import { RequestInvalid } from '../http/validation.ts'

export const MAX_BODY_BYTES = 1024 * 1024
const MAX_DEPTH = 32

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Returns the deepest nesting of arrays and objects in JSON text, ignoring text in quotes. Reads
 * each character once.
 */
export function depthOf(text: string): number {
  let [depth, deepest, quoted] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (quoted) {
      if (character === 0x5c) at++
      else if (character === 0x22) quoted = false
    } else if (character === 0x22) quoted = true
    else if (character === 0x7b || character === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (character === 0x7d || character === 0x5d) depth--
  }
  return deepest
}

const malformed = (message: string): ApiError => new ApiError('MALFORMED_JSON', message)

export function installBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1]
    if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
      return done(new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be in UTF-8'))
    }
    if (body.length === 0) return done(null, {})
    let text: string
    try {
      text = utf8.decode(body)
    } catch {
      return done(malformed('The body is not valid UTF-8'))
    }
    if (depthOf(text) > MAX_DEPTH) return done(malformed(`The body is nested more than ${MAX_DEPTH} deep`))
    parse(request, text, (error, value) => {
      if (error) return done(malformed('The body is not JSON, or has a key that is not allowed'))
      const isAnyText = request.routeOptions.config.endpoint?.any_text === true
      const faults = !isAnyText && mayBeIllFormed(text) ? illFormedIn(value) : []
      if (faults.length > 0) return done(new RequestInvalid('body', faults))
      done(null, value)
    })
  })
}
