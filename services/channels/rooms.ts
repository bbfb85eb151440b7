/**
 * The contract of rooms that an app opens for an incident: made, told what happens, and shown anew.
 * Source: docs/design/outbound-channels.md#s3-1 (war room).
 */
import type { Message, RemoteRef, SendContext, SendReply, SendRequest } from './channel.ts'

type Steps<R> = Generator<SendRequest, R, SendReply>

export interface WantedRoom {
  /** Of people's words; made fit for the vendor. */
  name: string
  topic: string
  private: boolean
}

export type RoomOutcome =
  /** `problem`: what could not be done beside it, in words for people. */
  | { outcome: 'made'; room: string; name: string; url: string; problem: string | null }
  | { outcome: 'retry'; why: string }
  /** `user_text` says to people what they can do. */
  | { outcome: 'refused'; user_text: string }

export type PostOutcome = { outcome: 'posted'; id: string } | { outcome: 'retry'; why: string } | { outcome: 'refused'; user_text: string }

/** `config`: of the channel whose app it is, with its secrets. */
export interface Rooms {
  open(wanted: WantedRoom, config: Record<string, unknown>, context: SendContext): Steps<RoomOutcome>
  /** A message about the incident with what can be done, or one line. */
  post(said: Message | string, room: string, config: Record<string, unknown>, context: SendContext): Steps<PostOutcome>
  /** What was written there, so that `edit` of its channel shows it anew. */
  refOf(room: string, posts: readonly string[]): RemoteRef
}
