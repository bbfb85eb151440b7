/**
 * The contract of a channel: one file a kind in channels/, named after it. A channel describes
 * requests and judges replies. It has no clock and does no I/O; one sender performs what it yields.
 * Source: docs/design/outbound-channels.md#s1-1.
 */
import type { Severity } from '../../schemas/generated/events.ts'
import type { ChannelEvent, ChannelKind, MethodKind } from '../../schemas/http/notification-words.ts'

/** What is told. Texts are as people wrote them: a channel cuts first, and then escapes. */
export interface Message {
  event: ChannelEvent | 'test'
  /** Same over all attempts: the idempotency key at the provider. */
  delivery_id: string
  /** Order of the messages of one (channel, incident). */
  seq: number
  /** `svc-inc-<incident id>`: joins what opens and what resolves at the vendor. */
  key: string
  /** Epoch ms: when it happened. */
  at: number
  /** When it was to be sent; over 4 h later the text says that it is late. */
  queued_at: number
  workspace: { tenant_id: string; name: string }
  /** Null for a test and for what concerns no incident. */
  incident: MessageIncident | null
  monitor: { id: string; heartbeat_id: string; name: string; url: string | null } | null
  /** Who acknowledged, assigned or resolved, by name. */
  actor: string | null
  /** Of what has ended. */
  duration_seconds: number | null
  /** True: the failure was never told, so this says both: it was down from when to when. */
  combined: boolean
  /** Of a template of the workspace; null: the channel's own words. */
  title_override: string | null
  body_override: string | null
}

export interface MessageIncident {
  id: string
  key: string
  version: number
  title: string
  summary: string | null
  status: 'ongoing' | 'resolved'
  severity: Severity
  priority: string | null
  /** Address of its page in the dashboard. */
  url: string
  regions: string[]
  labels: Record<string, string>
  source: { kind: string; type: string | null }
  team: string | null
  started_at: number
  acknowledged_at: number | null
  resolved_at: number | null
  resolution_reason: string | null
}

export interface HttpRequest {
  via: 'http'
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  body: string | null
  /** Texts that must not be in what is kept or logged of it. */
  secrets: string[]
  /** True: a workspace names the host, so the address guard judges it. */
  guarded: boolean
}

export interface MailRequest {
  via: 'smtp'
  to: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  secrets: string[]
}

export type SendRequest = HttpRequest | MailRequest

/** What came back: at most 64 KiB of the body. Mail has status 250 and the server's words. */
export interface SendReply {
  status: number
  headers: Record<string, string>
  body: string
}

/** Kept per (channel, incident): the id of a message, a ticket or an alert at the vendor. */
export type RemoteRef = Record<string, string>

export type SendOutcome =
  | { outcome: 'delivered'; remote_ref?: RemoteRef; provider_message_id?: string; confirmed?: true }
  /** Nothing is to be sent for this event. */
  | { outcome: 'skipped'; why: string }
  /** Later, with the same keys. `ambiguous`: it may have arrived. `quota`: until then nothing. */
  | { outcome: 'retry'; why: string; after_ms?: number; ambiguous?: true; quota?: true }
  /** `scope` delivery: this message can never go; channel: the credential or target is dead. */
  | { outcome: 'permanent'; why: string; scope: 'delivery' | 'channel'; at_once?: true; user_text: string }

export interface ChannelField {
  /** Key in `config`. */
  name: string
  secret?: true
  /** Changing the origin of this address asks for the secrets again. */
  origin?: true
}

/** How it behaves when the incident has ended before its failure was told. */
export type Unsent = 'drop' | 'combine' | 'both'

export interface Channel<Config = Record<string, unknown>> {
  kind: ChannelKind | MethodKind
  name: string
  family: 'chat' | 'email' | 'paging' | 'webhook' | 'push' | 'ticketing' | 'topic' | 'telephony'
  /** JSON Schema of `config`, as people send it; forms are made of it. */
  config: object
  fields: readonly ChannelField[]
  /** Default of `events`. */
  events: readonly ChannelEvent[]
  unsent: Unsent
  /** How often an attempt that may have arrived is repeated; null: as any other. */
  max_ambiguous: number | null
  /** What the schema cannot say; the first fault, with its path in `config`. */
  check?(config: Config): { path: string; rule: string; message: string } | null
  /** Yields requests, is given their replies, returns what became of it. */
  steps(message: Message, config: Config, remote_ref: RemoteRef | null): Generator<SendRequest, SendOutcome, SendReply>
}
