/** What hangs on a socket, and the limits that hold for each. */
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
  /** Decided before the upgrade, told after it: a browser sees close codes, not HTTP statuses. */
  closing: Closing | null
  messages: Bucket
  /** Bytes that waited for it when last looked at. */
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

/** To all that its holder may hear and wants to, and to nothing else. */
export function subscribe(socket: Seated): void {
  const { holder, wanted } = socket.getUserData()
  const topics = new Set(topicsOfListener(holder, wanted))
  for (const topic of socket.getTopics()) if (!topics.has(topic)) socket.unsubscribe(topic)
  for (const topic of topics) socket.subscribe(topic)
}
