/**
 * The contract of rooms that an app opens for an incident: it creates a room, posts to it, and
 * edits what was posted.
 * Source: docs/design/outbound-channels.md#s3-1 (war room).
 */
import type { Message, RemoteRef, SendContext, SendReply, SendRequest } from './channel.ts'

type Steps<R> = Generator<SendRequest, R, SendReply>

export interface WantedRoom {
  /** The words that people wrote. The kind makes a valid name of them. */
  name: string
  topic: string
  private: boolean
}

export type RoomOutcome =
  /** `problem`: what failed although the room was created, in words for people. */
  | { outcome: 'made'; room: string; name: string; url: string; problem: string | null }
  | { outcome: 'retry'; why: string }
  /** `user_text` tells people what they can do. */
  | { outcome: 'refused'; user_text: string }

export type PostOutcome = { outcome: 'posted'; id: string } | { outcome: 'retry'; why: string } | { outcome: 'refused'; user_text: string }

/** `name`: the new name; null: the vendor refused it, and the room keeps its own. */
export type RenameOutcome = { outcome: 'renamed'; name: string | null } | { outcome: 'retry'; why: string }

/** `config`: the configuration of the channel that belongs to the app, with its secrets. */
export interface Rooms {
  open(wanted: WantedRoom, config: Record<string, unknown>, context: SendContext): Steps<RoomOutcome>
  /** Posts a message about the incident with its actions, or one line of text. */
  post(said: Message | string, room: string, config: Record<string, unknown>, context: SendContext): Steps<PostOutcome>
  /**
   * Replaces the name and the topic, which everybody at the vendor sees. `name` null: the room
   * keeps its name.
   */
  rename(
    to: { name: string | null; topic: string },
    room: string,
    config: Record<string, unknown>,
    context: SendContext
  ): Steps<RenameOutcome>
  /** Refers to the posts in the room, so that `edit` of the channel can update them. */
  refOf(room: string, posts: readonly string[]): RemoteRef
}
