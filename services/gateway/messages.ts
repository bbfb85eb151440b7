/**
 * Parses what a client may send on its socket: `{action: subscribe | unsubscribe, channels}`, as
 * JSON text.
 */
import type { Channel } from '../../schemas/http/channels.ts'
import { parseChannels } from './channels.ts'
import { type Closing, closeCodes, unknownChannel } from './close-codes.ts'
import { MAX_MESSAGE_BYTES } from './seat.ts'

export interface Message {
  action: 'subscribe' | 'unsubscribe'
  wanted: Set<Channel>
}

/** Returns the client's message, or the reason to close its socket. */
export function parseMessage(message: ArrayBuffer, isBinary: boolean): Message | Closing {
  const bad = (reason: string): Closing => ({ code: closeCodes.badRequest, reason })
  if (isBinary) return bad('messages are text')
  if (message.byteLength > MAX_MESSAGE_BYTES) return bad(`a message has at most ${MAX_MESSAGE_BYTES} bytes`)
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(message).toString())
  } catch {
    return bad('a message is JSON') // The parser's message would quote the client.
  }
  const { action, channels } = (typeof value === 'object' && value !== null ? value : {}) as { action?: unknown; channels?: unknown }
  if (action !== 'subscribe' && action !== 'unsubscribe') return bad('action is subscribe or unsubscribe')
  if (!Array.isArray(channels) || channels.length === 0 || !channels.every((name) => typeof name === 'string'))
    return bad('channels is a list of names')
  const parsed = parseChannels(channels)
  return 'unknown' in parsed ? unknownChannel(parsed.unknown) : { action, wanted: parsed.wanted }
}
