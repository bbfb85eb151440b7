/**
 * The contract of an app that people add to their workspace at a chat service. Each kind has one
 * file in apps/, named after the kind, which exports `app`. Like a channel, it describes requests
 * and judges replies, and does no I/O. The caller (services/api/chat/installs.ts) handles who
 * asked, whether they may, and what is stored.
 * Source: docs/design/outbound-channels.md#s4-6.
 */
import type { InstallProblem } from '../../schemas/http/chat-words.ts'
import type { ChannelEvent, ChannelKind } from '../../schemas/http/notification-words.ts'
import type { Deployment, SendContext, SendOutcome, SendReply, SendRequest } from './channel.ts'
import type { Rooms } from './rooms.ts'

/** The operator's account at the vendor. */
export interface AppAccount {
  client_id: string
  client_secret: string
}

/** The address to which the browser returns, and the state that it must bring. */
export interface WayBack {
  state: string
  redirect_uri: string
}

/** What a vendor reports when its app was added. */
export interface Installed {
  outcome: 'installed'
  /** The name of the channel that is created when this room has none yet. */
  name: string
  /**
   * The stored fields of `config`, without those that the caller adds. Secrets are in plain text.
   */
  config: Record<string, string>
  /** The person at the vendor who added the app. */
  installer: string
}

export type InstallOutcome = Installed | { outcome: 'refused'; problem: InstallProblem; why: string }

type Steps<R> = Generator<SendRequest, R, SendReply>

export interface ChatApp {
  kind: ChannelKind
  /** Null: the operator has not configured the app. */
  account(deployment: Deployment): AppAccount | null
  /** The vendor's page to which the browser is sent to give consent. */
  authorizeUrl(account: AppAccount, way: WayBack, context: SendContext): string
  /** Exchanges the code of the consent page for the credentials of the install. */
  install(account: AppAccount, asked: { code: string; redirect_uri: string }, context: SendContext): Steps<InstallOutcome>
  /** Removes the app at the vendor when no workspace of this service uses it any more. */
  uninstall(account: AppAccount, config: Record<string, unknown>, context: SendContext): Steps<SendOutcome>
  /** The keys of `config` that hold the vendor's workspace and the room in it. */
  place: { account: string; room: string }
  /**
   * The keys of `config` that belong to the vendor's whole workspace: a new install changes them in
   * all channels.
   */
  shared: readonly string[]
  /** The rooms that the app opens for incidents. Missing: it opens none. */
  rooms?: Rooms
  /** The events that a channel of this app is created with. */
  events: readonly ChannelEvent[]
}

/** The fields of `config` that the caller adds to those of the vendor. */
export interface InstallMarks {
  mode: 'oauth'
  installer_external_id: string
  /** The user of this service who installed it. */
  installer_user_id: string
  /** ISO 8601. */
  installed_at: string
}

/** Whether an app created the channel. */
export const isInstalled = (config: Readonly<Record<string, unknown>>): boolean => config.mode === 'oauth'

/** The fields of every such channel. Only an install writes them. */
export const installFields = (names: readonly string[], secrets: readonly string[] = []) => [
  ...['mode', ...names, 'installer_external_id', 'installer_user_id', 'installed_at'].map((name) => ({ name, read_only: true as const })),
  ...secrets.map((name) => ({ name, read_only: true as const, secret: true as const }))
]
