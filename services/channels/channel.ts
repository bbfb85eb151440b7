/**
 * The contract of a channel. Each kind has one file in kinds/, named after the kind, which exports
 * `channel`. A channel describes requests and judges replies. It has no clock and does no I/O: the
 * sender performs the requests that it yields, and passes it the time and the deployment's vendor
 * settings.
 * Source: docs/design/outbound-channels.md#s1-1.
 */
import type { TSchema } from 'typebox'
import type { Severity } from '../../schemas/generated/events.ts'
import type { ChannelEvent, ChannelKind, MethodKind, NoticeEvent } from '../../schemas/http/notification-words.ts'

/**
 * A message to send. Texts are as people wrote them: a channel cuts them first and escapes them
 * after.
 */
export interface Message {
  event: ChannelEvent | NoticeEvent | 'test'
  /** The same in all attempts: the idempotency key at the provider. */
  delivery_id: string
  /**
   * The id of the event: the same for every attempt, and for every channel that is told at the same
   * version of the incident.
   */
  event_id: string
  /** The order of the messages of one (channel, incident). */
  seq: number
  /**
   * Joins the messages that open and resolve the same thing: `svc-inc-<incident id>`, for a
   * certificate `svc-ssl-<monitor id>`, for a test `svc-test-<delivery id>`.
   */
  key: string
  /**
   * The id of the channel or contact method. It is part of the ids that must be the same in all
   * mails of one incident.
   */
  target_id: string
  /** When the event happened, in epoch ms. */
  at: number
  /**
   * When the message was due, the same in all attempts. A text that is sent over 4 h later says so.
   */
  queued_at: number
  workspace: { tenant_id: string; name: string; slug: string }
  /** Null for a test, and for messages that concern no incident. */
  incident: MessageIncident | null
  /** The monitor or heartbeat that the message is about. Null when neither opened the incident. */
  subject: MessageMonitor | MessageHeartbeat | null
  /** The failure of the check. */
  failure: { reason: string | null; message: string | null; http_status: number | null; response_time_ms: number | null } | null
  /** The certificate of `ssl_expiry`; with `up`, the certificate that replaced it. */
  certificate: {
    host: string
    subject: string | null
    issuer: string | null
    not_after: number
    days_left: number
    threshold_days: number
  } | null
  /** The name of the person who acknowledged or resolved. Null where no person did. */
  actor: string | null
  /** How long the failure lasted. Null while it is ongoing. */
  duration_seconds: number | null
  /**
   * True: the failure was never sent, so this message says both, that it was down and from when to
   * when.
   */
  combined: boolean
  /** The link of a message that is about no incident, monitor or heartbeat. */
  url?: string
  /** The text of a workspace's template, or of a digest. Null: the channel's own words. */
  title_override: string | null
  body_override: string | null
  /**
   * The code that a person may answer by SMS, at most 8 letters and digits. Null: an answer is not
   * possible.
   */
  reply_code: string | null
  /**
   * The link that stops the mails of a channel. It never stops a person's pages. Null: no such
   * link. It accepts a POST (RFC 8058), and shows a browser what it would do.
   */
  unsubscribe_url: string | null
  /** Links in a mail to pages that ask for confirmation before they act. Null: no such links. */
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
  /** The address of the incident's page in the dashboard. */
  url: string
  regions: string[]
  labels: Record<string, string>
  source: { kind: string; type: string | null }
  team: { id: string; name: string } | null
  assignee: { id: string; name: string } | null
  escalation_policy: { id: string; name: string } | null
  started_at: number
  acknowledged_at: number | null
  /** No notifications are sent until then. */
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
  /** The address of its page in the dashboard. */
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

/** The operator's settings for the kinds whose account belongs to the deployment. */
export interface Deployment {
  /** The product name that people read in texts. */
  product: string
  user_agent: string
  /**
   * The public address of the API, without a slash at the end. Vendors call back to paths below it.
   */
  api_url: string
  /** The right side of the Message-ID of mails. */
  mail_domain: string
  /** Replacements of the vendor's own address, by kind (`fcm`, `fcm_token` and `apns` for push). */
  base_urls: Readonly<Record<string, string>>
  /** `credential`: the user and password of its API, with a colon between them. */
  twilio: { account_sid: string; credential: string; from: string; messaging_service_sid: string | null } | null
  telegram: { bot_token: string; username: string } | null
  fcm: { project_id: string; client_email: string; private_key: string } | null
  apns: { team_id: string; key_id: string; private_key: string; topic: string; sandbox: boolean } | null
  /** The app that people add to their Slack workspace. */
  slack: { client_id: string; client_secret: string } | null
  /**
   * The app that people add to their Discord server. `bot_token` is valid in all of these servers.
   */
  discord: { client_id: string; client_secret: string; bot_token: string } | null
}

/** What a send knows of its attempt. */
export interface SendContext {
  /** Epoch ms. */
  now: number
  /** The number of the attempt, from 1. */
  attempt: number
  /**
   * True: an earlier attempt may have arrived. A kind that must not create something twice looks it
   * up first.
   */
  doubtful: boolean
  deployment: Deployment
}

export interface HttpRequest {
  via: 'http'
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  /** Sent as UTF-8, without any change to the bytes. */
  body: string | null
  /** Texts that must be removed from what is stored or logged about this request. */
  secrets: string[]
  /** True: a workspace chose the host, so the address guard checks it. */
  guarded: boolean
  /**
   * The status alone counts: a reply whose body does not end, or is cut, is given with what came.
   */
  status_counts?: true
  /** Over HTTP/2 alone. */
  http2?: true
  /**
   * A 200 reply may be reused for `for_ms` when other messages send the same request: for example a
   * token of the vendor. `again`: the stored reply was refused.
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
 * The reply: at most 64 KiB of the body; header names in lower case. For mail: the code and the
 * text of the SMTP server, and the command that it refused as `headers.command`, for example `RCPT
 * TO`. When no reply came (no connection, a cut, a timeout) the channel is not asked: the sender
 * retries, and `max_ambiguous` says how often.
 */
export interface SendReply {
  status: number
  headers: Record<string, string>
  body: string
}

/** The vendor's id of a message, a ticket or an alert. It is stored per (channel, incident). */
export type RemoteRef = Record<string, string>

export type SendOutcome =
  /**
   * `confirmed`: the other side has it for good. Without it, a provider may still report what
   * became of it.
   */
  | { outcome: 'delivered'; remote_ref?: RemoteRef; provider_message_id?: string; confirmed?: true }
  /** This event needs no message. */
  | { outcome: 'skipped'; why: string }
  /**
   * Retry later, with the same keys. `ambiguous`: it may have arrived. `quota`: send nothing until
   * then. `operator`: the fault is the deployment's, and its operator is notified.
   */
  | { outcome: 'retry'; why: string; after_ms?: number; ambiguous?: true; quota?: true; operator?: true }
  /**
   * `scope` delivery: this message can never be sent. `scope` channel: the credential or the target
   * is dead, and the channel is turned off after three in a row or `at_once`. `user_text` tells
   * people what they can do.
   */
  | { outcome: 'permanent'; why: string; scope: 'delivery' | 'channel'; at_once?: true; operator?: true; user_text: string }

export interface ChannelField {
  /** Key in `config`. */
  name: string
  /** Sealed and never shown. In a list of headers only the values are secret. */
  secret?: true
  /**
   * An address that the workspace chooses, checked when it is saved. When its origin changes, the
   * secrets must be entered again. An address that is itself a secret is the only secret, and is
   * entered with it.
   */
  origin?: true
  /**
   * Names a customer of the vendor, and so a host. When it changes, the secrets must be entered
   * again.
   */
  host?: true
  /** Written by the service, never by people. */
  read_only?: true
}

/** What to do when the incident has ended before its failure was sent. */
export type Unsent = 'drop' | 'combine' | 'both'

/** An error in a configuration. */
export interface ConfigFault {
  /** The path of the field in `config`. */
  path: string
  rule: 'legacy_connector_url' | 'invalid_webhook_url' | 'blocked_target' | 'format' | 'mutually_exclusive'
  message: string
}

export interface Channel<Config = Record<string, unknown>> {
  kind: ChannelKind | MethodKind
  name: string
  /** One sentence: what people need before they set up the channel. */
  hint: string
  family: 'chat' | 'email' | 'paging' | 'webhook' | 'push' | 'ticketing' | 'topic' | 'telephony'
  /** The JSON Schema of `config`, as people send it. Forms are generated from it. */
  config: TSchema
  fields: readonly ChannelField[]
  /** Default of `events`. */
  events: readonly ChannelEvent[]
  unsent: Unsent
  /** How often an attempt that may have arrived is repeated. Null: like any other attempt. */
  max_ambiguous: number | null
  /** True: an address that is not verified gets only codes and tests. */
  verified: boolean
  /**
   * Checks what the schema cannot express, and returns the first error. The names of secrets that
   * stay unchanged are in `kept`; those secrets are not in `config`.
   */
  check?(config: Config, kept?: readonly string[]): ConfigFault | null
  /**
   * Returns the configuration as it is stored, for example an address without parts that the vendor
   * does not accept.
   */
  normalise?(config: Config): Config
  /** Describes the target without a secret: `ops@ex…`, a host, the last 4 characters. */
  target(config: Config): string
  /** Yields requests, receives their replies, and returns the outcome. */
  steps(
    message: Message,
    config: Config,
    remote_ref: RemoteRef | null,
    context: SendContext
  ): Generator<SendRequest, SendOutcome, SendReply>
  /**
   * Changes the message that was sent to show the incident's current state, and notifies nobody.
   * With a null message it removes the content, because people may no longer read it there. A kind
   * without `edit` leaves sent messages as they are.
   */
  edit?(
    message: Message | null,
    config: Config,
    remote_ref: RemoteRef,
    context: SendContext
  ): Generator<SendRequest, SendOutcome, SendReply>
}
