/**
 * Answers on a bare socket, where there is no response object. This is the only place that builds a
 * status line and header lines by hand.
 */
import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ApiError, bodyOf, statusOf } from './errors.ts'

/** How long a client has to read the last answer. */
const LAST_WORD_MS = 1000

/**
 * Builds the status line and headers up to the blank line. Names and values must come from this
 * service or be checked.
 */
export function headText(status: number, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`))
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n')
}

/** Builds the answer to a refused request, after which the connection ends. */
export function refusalText(error: ApiError, request_id: string): string {
  const body = JSON.stringify(bodyOf(error, request_id))
  const headers = {
    ...error.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': request_id,
    connection: 'close'
  }
  return headText(statusOf[error.code], headers) + body
}

/** Destroys the connection after the client has had time to read the last answer. */
export function destroySoon(socket: Duplex): void {
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref()
}
