/**
 * Requests that are no HTTP, or never finish: answered on the bare socket in the shape of every
 * error, then the connection ends.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { requestIdOf } from '../../http/request-id.ts'
import { ApiError, bodyOf, statusOf } from './errors.ts'

export function clientErrors(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const answer =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new ApiError('REQUEST_TIMEOUT', 'The request did not arrive in time')
      : new ApiError('BAD_REQUEST', error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too large' : 'This is not an HTTP request')
  const request_id = requestIdOf(undefined)
  const body = JSON.stringify(bodyOf(answer, request_id))
  const status = statusOf[answer.code]
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${request_id}`,
      'connection: close',
      '',
      body
    ].join('\r\n')
  )
  // A peer that goes on sending is not listened to.
  setTimeout(() => socket.destroy(), 1000).unref()
}
