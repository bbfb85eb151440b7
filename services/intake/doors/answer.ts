/**
 * What a door answers: status, headers and body of every outcome, written in one go.
 * Every answer is JSON and carries X-Request-Id; those to a known sender also where its budget stands.
 * Source: docs/design/specification.md#s7 and #s8, docs/design/api.md#s1-5, docs/design/api/alerts-and-routing.md#s6-7, docs/design/api.md#s20; docs/design/inbound-sources.md#s1-7.
 */
import type { HttpResponse } from '../../http/uws.ts'
import type { Detail } from '../source.ts'
import { type Standing, WINDOW_SECONDS } from './budget.ts'

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

export interface Answer {
  status: Status
  /** JSON. */
  body: string
  headers: readonly (readonly [name: string, value: string])[]
  /** The connection ends with the answer: what is left of the request would be taken for the next one. */
  close: boolean
}

const noHeaders: Answer['headers'] = []

export const accepted = (body: string): Answer => ({ status: 200, body, headers: noHeaders, close: false })

/** What is wrong, without the request's id. */
export interface Failure {
  status: Status
  code: string
  error: string
  details?: readonly Detail[]
  headers?: Answer['headers']
  close?: boolean
}

export function failed(failure: Failure, request_id: string): Answer {
  const { status, code, error, details, headers = noHeaders, close = false } = failure
  return { status, body: JSON.stringify({ error, code, request_id, ...(details ? { details } : {}) }), headers, close }
}

/** Over the budget: the body repeats the headers. */
export function overBudget({ limit, reset_seconds }: Standing, request_id: string): Answer {
  const body = `{"error":"Over the budget of ${limit} alerts a minute of this workspace: nothing was stored, try again in ${reset_seconds} s","code":"RATE_LIMITED","request_id":"${request_id}","name":"ingest_tenant","limit":${limit},"remaining":0,"retry_after":${reset_seconds},"window_seconds":${WINDOW_SECONDS}}`
  return { status: 429, body, headers: [['Retry-After', String(reset_seconds)]], close: false }
}

export const unavailable = (error: string, retry_after: number): Failure => ({
  status: 503,
  code: 'UNAVAILABLE',
  error,
  headers: [['Retry-After', String(retry_after)]]
})

export const notFound: Failure = { status: 404, code: 'NOT_FOUND', error: 'There is nothing at this address' }

export const methodNotAllowed = (allow: string): Failure => ({
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  error: `This address takes ${allow}`,
  headers: [['Allow', allow]]
})

export const internal: Failure = { status: 500, code: 'INTERNAL', error: 'Something went wrong here; the request id says where' }

/** Ends the response to a request that no door has taken. The headers go out as the value of one, as in ../exchange.ts. */
export function write(response: HttpResponse, { status, body, headers, close }: Answer, request_id: string): void {
  let lines = `application/json\r\nX-Request-Id: ${request_id}`
  for (const [name, value] of headers) lines += `\r\n${name}: ${value}`
  if (close) lines += '\r\nConnection: close'
  response.cork(() => {
    response.writeStatus(statusLines[status]).writeHeader('Content-Type', lines).end(body, close)
  })
}

const boot = Math.random().toString(36).slice(2, 8)
let minted = 0

/** The caller's own id where it is 1 to 64 of [A-Za-z0-9._-], else one of ours. */
export function requestId(header: string): string {
  return header !== '' && isRequestId(header) ? header : `r-${boot}-${(minted++).toString(36)}`
}

function isRequestId(text: string): boolean {
  if (text.length > 64) return false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const fits =
      (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 45 || code === 46 || code === 95
    if (!fits) return false
  }
  return true
}
