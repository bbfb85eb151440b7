/**
 * How intake and gateway answer: the status lines, the one shape of an error (the api uses it,
 * too), and one function that sends every answer, so that none is without X-Request-Id.
 * Source: docs/design/specification.md#s7, docs/design/api.md#s1-3, #s1-5 and #s20.
 */
import type { ErrorBody, ErrorDetail } from '../../schemas/http/common.ts'
import type { HttpRequest, HttpResponse } from './uws.ts'

export const statusLines = {
  200: '200 OK',
  202: '202 Accepted',
  204: '204 No Content',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  408: '408 Request Timeout',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  422: '422 Unprocessable Entity',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable'
} as const

export type Status = keyof typeof statusLines
export type Headers = readonly (readonly [name: string, value: string])[]

export interface Answer {
  status: Status
  /** JSON. */
  body: string
  headers: Headers
  /**
   * The connection ends with the answer. Otherwise the rest of the request would be read as the
   * next request.
   */
  close: boolean
}

/** Why a request is refused. The request id is not part of it. */
export interface Failure {
  status: Status
  code: string
  /** A sentence for people. */
  error: string
  details?: readonly ErrorDetail[]
  /** Further members of the body, after the id. */
  more?: Readonly<Record<string, unknown>>
  headers?: Headers
  close?: boolean
}

const noHeaders: Headers = []

export const accepted = (body: string): Answer => ({ status: 200, body, headers: noHeaders, close: false })

type Told = Pick<Failure, 'code' | 'error' | 'details' | 'more'>

/** The body of an error. */
export const errorBody = ({ code, error, details, more }: Told, request_id: string): ErrorBody => ({
  error,
  code,
  request_id,
  ...more,
  ...(details && { details: [...details] })
})

/**
 * Builds the answer for a failure. `worded` turns our body into the form that a vendor's clients
 * expect.
 */
export function failed(failure: Failure, request_id: string, worded?: (ours: ErrorBody) => object): Answer {
  const { status, headers = noHeaders, close = false } = failure
  const ours = errorBody(failure, request_id)
  return { status, body: JSON.stringify(worded ? worded(ours) : ours), headers, close }
}

/** `seconds`: when the sender may try again. */
export const unavailable = (error: string, seconds: number): Failure => ({
  status: 503,
  code: 'UNAVAILABLE',
  error,
  headers: [['Retry-After', String(seconds)]]
})

export const notFound: Failure = { status: 404, code: 'NOT_FOUND', error: 'There is nothing at this address' }

export const methodNotAllowed = (allow: string): Failure => ({
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  error: `This address takes ${allow}`,
  headers: [['Allow', allow]]
})

export const internal: Failure = { status: 500, code: 'INTERNAL', error: 'Something went wrong here; the request id says where' }

/** The header line of a JSON body, for `send`. */
export const JSON_TYPE = '\r\nContent-Type: application/json'

/** Returns header lines for `send`. The names and values must be our own, or checked. */
export function linesOf(headers: Headers): string {
  let lines = ''
  for (const [name, value] of headers) lines += `\r\n${name}: ${value}`
  return lines
}

/**
 * Ends the response in one write. `lines` are further header lines, each with \r\n before it. All
 * of them are passed as the value of one header, because each call into the server costs as much as
 * writing all of them. With `close` the server itself adds "Connection: close".
 */
export function send(response: HttpResponse, status: Status, request_id: string, lines: string, body?: string, close = false): void {
  response.cork(() => {
    response
      .writeStatus(statusLines[status])
      .writeHeader('X-Request-Id', request_id + lines)
      .end(body, close)
  })
}

/**
 * Answers a request inside its handler, where neither an intake route nor a socket is involved. A
 * HEAD gets no body.
 */
export function tell(response: HttpResponse, request: HttpRequest, { status, body, headers, close }: Answer, request_id: string): void {
  send(response, status, request_id, JSON_TYPE + linesOf(headers), request.getMethod() === 'head' ? '' : body, close)
}
