/**
 * Defines what errors look like to a client: one table of code → status, one shape of the body, and
 * a mapping for everything that can be thrown.
 *
 * Body {error, code, request_id, details?}. Messages say what was expected; codes and rules are the
 * contract. An internal fault is answered as INTERNAL with only the request's id; its cause goes to
 * the log.
 * Source: docs/design/specification.md#s7, docs/design/api.md#s1-5 and #s20.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorBody, ErrorDetail } from '../../../schemas/http/common.ts'
import { Busy } from '../../credentials/credentials.ts'
import { Unavailable } from '../../credentials/tokens.ts'
import { errorBody } from '../../http/answer.ts'
import { TooManyStrangers } from '../../http/strangers.ts'
import { RowMoved } from '../../store/row-moved.ts'
import { RequestInvalid } from './validation.ts'

export const statusOf = {
  MALFORMED_JSON: 400,
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  TOKEN_EXPIRED_OR_REVOKED: 401,
  INVALID_CREDENTIALS: 401,
  INVALID_PROBER_TOKEN: 401,
  INVALID_END_TOKEN: 401,
  FORBIDDEN: 403,
  READ_ONLY_TOKEN: 403,
  ORIGIN_REJECTED: 403,
  IP_NOT_ALLOWED: 403,
  ACCOUNT_DISABLED: 403,
  SIGNATURE_INVALID: 403,
  TIER_LIMIT_EXCEEDED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  NAME_TAKEN: 409,
  SLUG_TAKEN: 409,
  EMAIL_TAKEN: 409,
  LAST_OWNER: 409,
  IN_USE: 409,
  DEFAULT_RULE: 409,
  INCIDENT_RESOLVED: 409,
  ALREADY_PROMOTED: 409,
  MONITOR_PAUSED: 409,
  WRONG_TYPE: 409,
  WINDOW_LIMIT: 409,
  HISTORY_EXPIRED: 410,
  TOKEN_EXPIRED: 410,
  CODE_EXPIRED: 410,
  END_TOKEN_USED: 410,
  WINDOW_EXPIRED: 410,
  VERSION_MISMATCH: 412,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_FAILED: 422,
  PAGE_TOO_DEEP: 422,
  UNPARSEABLE_PAYLOAD: 422,
  PRECONDITION_REQUIRED: 428,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  NOT_IMPLEMENTED: 501,
  UNAVAILABLE: 503,
  NO_PROBER_ONLINE: 503
} as const

export type ErrorCode = keyof typeof statusOf

/**
 * Thrown by routes and plugins. `headers` are set on the answer; `body` is added beside error and
 * code.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[]
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: ErrorDetail[]; headers?: Record<string, string>; body?: Record<string, unknown> } = {}
  ) {
    super(message)
    this.code = code
    this.details = more.details ?? []
    this.headers = more.headers ?? {}
    this.body = more.body ?? {}
  }
}

/** One field is wrong. */
export const invalid = (path: string, rule: string, message: string, more: Partial<ErrorDetail> = {}): ApiError =>
  new ApiError('VALIDATION_FAILED', `${path}: ${message}`, { details: [{ path, rule, message, ...more }] })

/** Throws VALIDATION_FAILED with all faults, if there are any. */
export function refuse(faults: readonly ErrorDetail[]): void {
  const [first] = faults
  if (first) throw new ApiError('VALIDATION_FAILED', `${first.path}: ${first.message}`, { details: [...faults] })
}

export const notFound = (): ApiError => new ApiError('NOT_FOUND', 'No such object exists in this workspace')

const RETRY_AFTER_SECONDS = '5'
/** RATE_LIMITED, with the whole seconds after which the caller may retry. */
export const rateLimited = (message: string, seconds: number): ApiError =>
  new ApiError('RATE_LIMITED', message, { headers: { 'retry-after': String(seconds) } })

const unavailable = (message: string): ApiError => new ApiError('UNAVAILABLE', message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } })

/** Fastify's own refusals of a request. */
const ofFastify: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'The body is larger than this route takes'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['BAD_REQUEST', 'The body is not as long as Content-Length says'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['MALFORMED_JSON', 'The body is not JSON'],
  FST_ERR_BAD_URL: ['NOT_FOUND', 'There is no such path'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND', 'There is no such path']
}

/**
 * SQLSTATE classes and codes, and socket error codes, which mean that the store cannot be reached
 * or cannot keep up.
 */
const STORE_DOWN = /^(08...|53...|57P0.|57014|25P03|40001|40P01|55P03|ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT)$/
const STORE_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

/** Returns the error to answer with; null for an internal fault. */
function meaning(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  if (error instanceof RequestInvalid) {
    // A path parameter of the wrong form cannot name an object.
    if (error.part === 'params') return notFound()
    const first = error.details[0]
    const message = first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'The request is not valid'
    return new ApiError('VALIDATION_FAILED', message, { details: error.details })
  }
  if (error instanceof TooManyStrangers) return rateLimited('Too many unknown credentials. Retry in 1 s', 1)
  if (error instanceof Busy) return unavailable('Too many log-ins at once')
  if (error instanceof Unavailable) return unavailable('Credentials cannot be checked just now')
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = ofFastify[code]
  if (known) return new ApiError(known[0], known[1])
  // Any other refusal by Fastify is also the sender's fault.
  const status = 'statusCode' in error ? Number(error.statusCode) : 0
  if (code.startsWith('FST_ERR_') && status >= 400 && status < 500) return new ApiError('BAD_REQUEST', 'The request is not well formed')
  if (error instanceof RowMoved) return unavailable('It changes too often just now. Try again')
  if (STORE_DOWN.test(code) || STORE_LOST.test(error.message)) return unavailable('The store cannot be reached just now')
  return null
}

export function bodyOf(error: ApiError, request_id: string): ErrorBody {
  const { code, message, details, body } = error
  return errorBody({ code, error: message, more: body, ...(details.length > 0 && { details }) }, request_id)
}

export function send(reply: FastifyReply, request: FastifyRequest, error: ApiError): FastifyReply {
  return reply
    .code(statusOf[error.code])
    .header('x-request-id', request.id) // Set again: requests that the router refuses run no hook.
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(bodyOf(error, request.id)))
}

/** The error as the caller gets it; an internal fault reveals nothing. */
export const toApiError = (error: unknown): ApiError => meaning(error) ?? new ApiError('INTERNAL', 'Something went wrong on our side')

/** Returns the methods that exist for a path; none if the path does not exist. */
export type MethodsOf = (path: string) => readonly string[]

/**
 * The error for a path that does not exist, or does not take this method. If the path takes the
 * method but the router found nothing for its parameters, it counts as a path that does not exist.
 */
export function absent(method: string, url: string, methodsOf: MethodsOf): ApiError {
  const methods = methodsOf(url.split('?', 1)[0] ?? '')
  if (methods.length === 0 || methods.includes(method)) return new ApiError('NOT_FOUND', 'There is no such path')
  return new ApiError('METHOD_NOT_ALLOWED', `This path takes ${methods.join(', ')}`, { headers: { allow: methods.join(', ') } })
}

/** `onRefused` is called with every refusal before the answer is sent. It never rejects. */
export function installErrors(app: FastifyInstance, onRefused: (request: FastifyRequest, error: ApiError) => Promise<void>): void {
  app.setErrorHandler(async (error: FastifyError | Error, request, reply) => {
    const known = meaning(error)
    if (!known) request.log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'request failed')
    else if (known.code === 'UNAVAILABLE')
      request.log.warn({ err: error, request_id: request.id, route: request.routeOptions.url }, 'unavailable')
    if (known) await onRefused(request, known)
    return send(reply, request, toApiError(error))
  })
}
