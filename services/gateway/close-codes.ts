/**
 * Codes and reasons with which the gateway closes a socket.
 * Source: docs/design/api/realtime.md#s15, #rm-1. A slow client gets no code: its connection is cut
 * off (1006 at the client).
 */
export const closeCodes = {
  /** The instance is stopping: the client should reconnect with jitter. */
  restart: 1001,
  badRequest: 4400,
  unauthenticated: 4401,
  forbidden: 4403,
  unknownChannel: 4404,
  noPong: 4408,
  revoked: 4410,
  tooMany: 4429
} as const

export interface Closing {
  code: number
  reason: string
}

/** A close frame has room for 123 bytes, and it must not end in the middle of a character. */
export const unknownChannel = (name: string): Closing => ({
  code: closeCodes.unknownChannel,
  reason: `unknown channel ${name.slice(0, 64).replace(/[^ -~]/g, '?')}`
})
