/**
 * Answers requests that are not HTTP, or never finish, on the bare socket. They get an error in the
 * common shape, and then the connection ends.
 */
import type { Socket } from 'node:net'
import { requestIdOf } from '../../http/request-id.ts'
import { ApiError } from './errors.ts'
import { destroySoon, refusalText } from './raw-answer.ts'

export function clientErrors(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const answer =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new ApiError('REQUEST_TIMEOUT', 'The request did not arrive in time')
      : new ApiError('BAD_REQUEST', error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too large' : 'This is not an HTTP request')
  socket.end(refusalText(answer, requestIdOf(undefined)))
  // A peer that keeps sending is no longer read.
  destroySoon(socket)
}
