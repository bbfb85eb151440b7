/**
 * Answers on a bare socket, where no response is there to write them: the one place that puts a
 * status line and header lines together by hand.
 */
import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ApiError, bodyOf, statusOf } from './errors.ts'

/** How long a client may take to read the last answer. */
const LAST_WORD_MS = 1000

/** Status line and headers up to the blank line. Names and values are ours, or were checked. */
export function headText(status: number, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`))
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n')
}

/** The answer to a refused request, after which the connection ends. */
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

/** Once the client had time to read the last answer, the connection is gone. */
export function destroySoon(socket: Duplex): void {
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref()
}
