/**
 * The contract of an app that people add to their workspace at a chat service: one file a kind in
 * apps/, named after it, which exports `app`. As a channel it describes requests and judges
 * replies, and does no I/O. Who asked, whether it is theirs, and what is kept is the frame's
 * (services/api/chat/installs.ts).
 * Source: docs/design/outbound-channels.md#s4-6.
 */
import type { InstallProblem } from '../../schemas/http/chat-words.ts'
import type { ChannelEvent, ChannelKind } from '../../schemas/http/notification-words.ts'
import type { Deployment, SendContext, SendOutcome, SendReply, SendRequest } from './channel.ts'
import type { Rooms } from './rooms.ts'

/** Of the operator, at the vendor. */
export interface AppAccount {
  client_id: string
  client_secret: string
}

/** Where the browser comes back, and what it must bring. */
export interface WayBack {
  state: string
  redirect_uri: string
}

/** What a vendor tells when its app was added. */
export interface Installed {
  outcome: 'installed'
  /** Of the channel that is made where there is none for this room. */
  name: string
  /** Fields of `config` as they are kept, but for those that the frame adds. Secrets are plain. */
  config: Record<string, string>
  /** The person at the vendor. */
  installer: string
}

export type InstallOutcome = Installed | { outcome: 'refused'; problem: InstallProblem; why: string }

type Steps<R> = Generator<SendRequest, R, SendReply>

export interface ChatApp {
  kind: ChannelKind
  /** Null: the operator has set none. */
  account(deployment: Deployment): AppAccount | null
  /** Where the browser is sent to be asked. */
  authorizeUrl(account: AppAccount, way: WayBack, context: SendContext): string
  /** What a code is worth. */
  install(account: AppAccount, asked: { code: string; redirect_uri: string }, context: SendContext): Steps<InstallOutcome>
  /** Takes the app away again, where no workspace of ours has it any more. */
  uninstall(account: AppAccount, config: Record<string, unknown>, context: SendContext): Steps<SendOutcome>
  /** Keys of `config`: the vendor's workspace, and the room in it. */
  place: { account: string; room: string }
  /** Keys of `config` that are those of the vendor's workspace: another install changes all. */
  shared: readonly string[]
  /** Rooms that it opens for incidents; missing: none. */
  rooms?: Rooms
  /** What a channel that it makes is told of. */
  events: readonly ChannelEvent[]
}

/** What the frame keeps beside it. */
export interface InstallMarks {
  mode: 'oauth'
  installer_external_id: string
  /** Of ours. */
  installer_user_id: string
  /** ISO 8601. */
  installed_at: string
}

/** A channel that an app made. */
export const isInstalled = (config: Readonly<Record<string, unknown>>): boolean => config.mode === 'oauth'

/** Of every such channel: written by an install, and by nobody else. */
export const installFields = (names: readonly string[], secrets: readonly string[] = []) => [
  ...['mode', ...names, 'installer_external_id', 'installer_user_id', 'installed_at'].map((name) => ({ name, read_only: true as const })),
  ...secrets.map((name) => ({ name, read_only: true as const, secret: true as const }))
]
