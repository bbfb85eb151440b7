/**
 * The contract of a channel: one file a kind in kinds/, named after it, which exports `channel`. A
 * channel describes requests and judges replies. It has no clock and does no I/O; one sender
 * performs what it yields, and gives it the time and what the deployment has for the vendor.
 * Source: docs/design/outbound-channels.md#s1-1.
 */
import type { TSchema } from 'typebox'
import type { Severity } from '../../schemas/generated/events.ts'
import type { ChannelEvent, ChannelKind, MethodKind, NoticeEvent } from '../../schemas/http/notification-words.ts'

/** What is told. Texts are as people wrote them: a channel cuts first, and then escapes. */
export interface Message {
  event: ChannelEvent | NoticeEvent | 'test'
  /** Same over all attempts: the idempotency key at the provider. */
  delivery_id: string
  /** Of the event: the same for every channel and attempt. */
  event_id: string
  /** Order of the messages of one (channel, incident). */
  seq: number
  /**
   * `svc-inc-<incident id>`, of a certificate `svc-ssl-<monitor id>`, in a test
   * `svc-test-<delivery id>`: joins what opens and resolves.
   */
  key: string
  /** The channel or method: part of what must be the same over the mails of one incident. */
  target_id: string
  /** Epoch ms: when it happened. */
  at: number
  /**
   * When it was to be sent, the same over all attempts; over 4 h later the text says so.
   */
  queued_at: number
  workspace: { tenant_id: string; name: string; slug: string }
  /** Null for a test and for what concerns no incident. */
  incident: MessageIncident | null
  /** The monitor or heartbeat that it is about; null: none opened the incident. */
  subject: MessageMonitor | MessageHeartbeat | null
  /** Of the check that failed. */
  failure: { reason: string | null; message: string | null; http_status: number | null; response_time_ms: number | null } | null
  /** Of `ssl_expiry`; with `up`, of the one in its place. */
  certificate: {
    host: string
    subject: string | null
    issuer: string | null
    not_after: number
    days_left: number
    threshold_days: number
  } | null
  /** Who acknowledged, assigned or resolved, by name. */
  actor: string | null
  /** Of what has ended. */
  duration_seconds: number | null
  /** True: the failure was never told, so this says both: it was down from when to when. */
  combined: boolean
  /** Where it leads, where that is no incident, monitor or heartbeat. */
  url?: string
  /** Of a template of the workspace, or of a digest; null: the channel's own words. */
  title_override: string | null
  body_override: string | null
  /** What a person may answer by SMS, at most 8 letters and digits; null: no answer. */
  reply_code: string | null
  /**
   * Ends mails of a channel, never a person's pages; null: no such link. It takes a POST (RFC
   * 8058), and shows a browser what it would do.
   */
  unsubscribe_url: string | null
  /** What a person may do from a mail: pages that ask first; null: no such links. */
  act_urls: { acknowledge: string; resolve: string } | null
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
  is_major: boolean
  flapping: boolean
  reopened: boolean
  /** Address of its page in the dashboard. */
  url: string
  regions: string[]
  labels: Record<string, string>
  source: { kind: string; type: string | null }
  team: { id: string; name: string } | null
  assignee: { id: string; name: string } | null
  escalation_policy: { id: string; name: string } | null
  started_at: number
  acknowledged_at: number | null
  /** Nobody is told until then. */
  silenced_until: number | null
  resolved_at: number | null
  resolution_reason: string | null
}

export interface MessageMonitor {
  kind: 'monitor'
  id: string
  name: string
  type: string
  target: string
  tags: string[]
  labels: Record<string, string>
  /** Address of its page in the dashboard. */
  url: string
}

export interface MessageHeartbeat {
  kind: 'heartbeat'
  id: string
  name: string
  slug: string | null
  schedule: string | null
  last_ping_at: number | null
  url: string
}

/** What the operator has set, for the kinds that the service itself runs. */
export interface Deployment {
  /** Name that people read in texts. */
  product: string
  user_agent: string
  /** Public address of the API, without a slash at the end: vendors call back under it. */
  api_url: string
  /** Right side of the Message-ID of mails. */
  mail_domain: string
  /** In place of the vendor's own address, by kind (`fcm`, `fcm_token` and `apns` for push). */
  base_urls: Readonly<Record<string, string>>
  /** `credential`: user and password of its API, with a colon between them. */
  twilio: { account_sid: string; credential: string; from: string; messaging_service_sid: string | null } | null
  telegram: { bot_token: string; username: string } | null
  fcm: { project_id: string; client_email: string; private_key: string } | null
  apns: { team_id: string; key_id: string; private_key: string; topic: string; sandbox: boolean } | null
  /** The app that people add to their Slack workspace. */
  slack: { client_id: string; client_secret: string } | null
  /** The app that people add to their Discord server; `bot_token` is good in all of them. */
  discord: { client_id: string; client_secret: string; bot_token: string } | null
}

/** Of one attempt. */
export interface SendContext {
  /** Epoch ms. */
  now: number
  /** From 1. */
  attempt: number
  /** An attempt before this one may have arrived: what must not be there twice is looked up. */
  doubtful: boolean
  deployment: Deployment
}

export interface HttpRequest {
  via: 'http'
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  /** Sent as UTF-8, byte for byte. */
  body: string | null
  /** Texts that must not be in what is kept or logged of it. */
  secrets: string[]
  /** True: a workspace names the host, so the address guard judges it. */
  guarded: boolean
  /** Over HTTP/2 alone. */
  http2?: true
  /**
   * A good reply (200) may stand for the same question of other messages for so long: a token of
   * the vendor. `again`: the one that is kept was refused.
   */
  reuse?: { key: string; for_ms: number; again?: true }
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

/**
 * What came back: at most 64 KiB of the body; names of headers in lower case. Of mail: the code and
 * the words of the server, and the command that it refused as `headers.command`, as `RCPT TO`.
 * Where nothing came back (no connection, a cut, a time-out) the channel is not asked: the sender
 * tries again, and knows from `max_ambiguous` how often.
 */
export interface SendReply {
  status: number
  headers: Record<string, string>
  body: string
}

/** Kept per (channel, incident): the id of a message, a ticket or an alert at the vendor. */
export type RemoteRef = Record<string, string>

export type SendOutcome =
  /** `confirmed`: the other side has it for good; else a provider may still tell. */
  | { outcome: 'delivered'; remote_ref?: RemoteRef; provider_message_id?: string; confirmed?: true }
  /** Nothing is to be sent for this event. */
  | { outcome: 'skipped'; why: string }
  /**
   * Later, with the same keys. `ambiguous`: it may have arrived. `quota`: until then nothing.
   * `operator`: the fault is the deployment's, and its operator is told.
   */
  | { outcome: 'retry'; why: string; after_ms?: number; ambiguous?: true; quota?: true; operator?: true }
  /**
   * `scope` delivery: this message can never go; channel: the credential or target is dead, after
   * three in a row or `at_once`. `user_text` says to people what they can do.
   */
  | { outcome: 'permanent'; why: string; scope: 'delivery' | 'channel'; at_once?: true; operator?: true; user_text: string }

export interface ChannelField {
  /** Key in `config`. */
  name: string
  /** Sealed and never shown. In a list of headers only the values are. */
  secret?: true
  /**
   * An address that the workspace names: judged on save. Another origin asks for the secrets again;
   * an address that is itself a secret is the only one, and is given with it.
   */
  origin?: true
  /** Names a customer of the vendor, and so a host. Changing it asks for the secrets again. */
  host?: true
  /** Written by the service, never by people. */
  read_only?: true
}

/** How it behaves when the incident has ended before its failure was told. */
export type Unsent = 'drop' | 'combine' | 'both'

/** What is wrong with a configuration. */
export interface ConfigFault {
  /** In `config`. */
  path: string
  rule: 'legacy_connector_url' | 'invalid_webhook_url' | 'blocked_target' | 'format' | 'mutually_exclusive'
  message: string
}

export interface Channel<Config = Record<string, unknown>> {
  kind: ChannelKind | MethodKind
  name: string
  /** One sentence: what people need to have at hand. */
  hint: string
  family: 'chat' | 'email' | 'paging' | 'webhook' | 'push' | 'ticketing' | 'topic' | 'telephony'
  /** JSON Schema of `config`, as people send it; forms are made of it. */
  config: TSchema
  fields: readonly ChannelField[]
  /** Default of `events`. */
  events: readonly ChannelEvent[]
  unsent: Unsent
  /** How often an attempt that may have arrived is repeated; null: as any other. */
  max_ambiguous: number | null
  /** True: only a verified address gets more than codes and tests. */
  verified: boolean
  /**
   * What the schema cannot say; the first fault. Secrets that stay as they are stand in `kept`, by
   * name, and not in `config`.
   */
  check?(config: Config, kept?: readonly string[]): ConfigFault | null
  /** As it is stored: an address without what the vendor does not want in it. */
  normalise?(config: Config): Config
  /** Where it goes, in words that are no secret: `ops@ex…`, a host, the last 4 characters. */
  target(config: Config): string
  /** Yields requests, is given their replies, returns what became of it. */
  steps(
    message: Message,
    config: Config,
    remote_ref: RemoteRef | null,
    context: SendContext
  ): Generator<SendRequest, SendOutcome, SendReply>
  /**
   * Makes what was sent look as the incident stands now, and tells nobody. Null: without a word of
   * it, for it may not be read there any more. Where a kind has none, what was sent stays.
   */
  edit?(
    message: Message | null,
    config: Config,
    remote_ref: RemoteRef,
    context: SendContext
  ): Generator<SendRequest, SendOutcome, SendReply>
}
