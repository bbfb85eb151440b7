/** The data that belongs to a socket, and the limits of each socket. */
import type { Channel } from '../../schemas/http/channels.ts'
import { Bucket } from '../http/rate-buckets.ts'
import type { Socket } from '../http/uws.ts'
import { topicsOfListener } from './channels.ts'
import { type Closing, unknownChannel } from './close-codes.ts'
import type { Ask, Holder } from './identify.ts'

export interface Seat {
  holder: Holder
  ask: Ask
  wanted: Set<Channel>
  /**
   * Decided before the upgrade but sent after it, because a browser's script sees close codes and
   * not HTTP statuses.
   */
  closing: Closing | null
  messages: Bucket
  /** Bytes that waited for the socket at the last look. */
  queued: number
}

export type Seated = Socket<Seat>

export const MAX_QUEUED_BYTES = 256 * 1024
export const MAX_MESSAGE_BYTES = 4096
export const MAX_MESSAGES_PER_SECOND = 10

export const newSeat = (holder: Holder, ask: Ask, channels: { wanted: Set<Channel> } | { unknown: string }): Seat => ({
  holder,
  ask,
  wanted: 'wanted' in channels ? channels.wanted : new Set(),
  closing: 'unknown' in channels ? unknownChannel(channels.unknown) : null,
  messages: new Bucket(MAX_MESSAGES_PER_SECOND, MAX_MESSAGES_PER_SECOND, performance.now()),
  queued: 0
})

/**
 * Subscribes the socket to everything that its holder may hear and wants to hear, and to nothing
 * else.
 */
export function subscribe(socket: Seated): void {
  const { holder, wanted } = socket.getUserData()
  const topics = new Set(topicsOfListener(holder, wanted))
  for (const topic of socket.getTopics()) if (!topics.has(topic)) socket.unsubscribe(topic)
  for (const topic of topics) socket.subscribe(topic)
}
