// Written by `npm run generate` from schemas/events/*.avsc. Never edited by hand.

export type AlertChange = 'opened' | 'promoted' | 'updated' | 'acknowledged' | 'resolved' | 'closed' | 'unknown'

export type CauseKind = 'signal' | 'command' | 'job' | 'unknown'

export interface Cause {
  /** A record of the log, a person or tool, or a timer. */
  kind: CauseKind
  /** topic:partition:offset of the record, actor as kind:id, or job:<id>. */
  src: string
  /** Identity of the causing record. */
  event_id: string | null
  /** X-Request-Id of the causing request. */
  request_id: string | null
  /** The signal or command as the rules saw it, JSON; what a replay feeds them again. */
  input: string | null
}

export type Visibility = 'org' | 'private'

export type IncidentStatus = 'ongoing' | 'resolved' | 'unknown'

export type Severity = 'critical' | 'warning' | 'info'

export type SourceKind = 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'

export interface Link {
  /** Text of the link. */
  title: string
  /** http or https address without user information. */
  url: string
}

export interface IncidentRouting {
  /** Routing rules that matched, in their order. */
  matched_rule_ids: string[]
  /** Rule that says to tell nobody. */
  suppressed_by_rule_id: string | null
  /** A rule gave the severity: a worse repeat does not raise it. */
  severity_by_rule: boolean
  /** Whether its end is told, too. */
  notify_resolved: boolean
  /** Resolves by itself after so many minutes without a signal. */
  auto_resolve_minutes: number | null
  /** Notification channels that a rule names; null: the default ones are told. */
  channel_ids: string[] | null
}

/** One episode of a signal key, from the fire that opens it to what ends it, where it is not the only alert of an incident with the same id. */
export interface Alert {
  /** UUIDv5 of the event that opened it. */
  alert_id: string
  /** Owning workspace. */
  tenant_id: string
  /** Version: grows by one with every change. */
  ver: number
  /** Incident that it belongs to, null while it is not promoted. */
  incident_id: string | null
  /** Signal key that opened it; at most one ongoing alert has it. */
  dedup_key: string
  /** ongoing or resolved, as of an incident. */
  status: IncidentStatus
  /** Raised by a worse repeat, never lowered by one. */
  severity: Severity
  /** At most 300 characters. */
  title: string
  /** Plain text or Markdown. */
  summary: string | null
  /** What kind of signal opened it. */
  source_kind: SourceKind
  /** Source type of the integration for inbound, for example alertmanager. */
  source_type: string | null
  /** For inbound. */
  integration_id: string | null
  /** For monitor. */
  monitor_id: string | null
  /** For heartbeat. */
  heartbeat_id: string | null
  /** Region code where the failure was seen first. */
  region: string | null
  /** Region codes where the failure was seen. */
  affected_regions: string[]
  /** Flag set by people or rules; does not change status. */
  is_major: boolean
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** Who may see it. */
  visibility: Visibility
  /** Policy that tells people, null for none. */
  escalation_policy_id: string | null
  /** Version of the routing rules that decided team, visibility and escalation. */
  routing_version: number
  /** First acknowledgement; not a status. */
  acknowledged_at: number | null
  /** Actor as kind:id. */
  acknowledged_by: string | null
  /** When it was resolved. */
  resolved_at: number | null
  /** Actor as kind:id, null for a recovery. */
  resolved_by: string | null
  /** recovered, api, user, closed, auto_timeout, monitor_deleted, entitlement or merged. */
  resolution_reason: string | null
  /** When a person closed it by hand. */
  manually_closed_at: number | null
  /** User who closed it by hand. */
  manually_closed_by: string | null
  /** When it became part of an incident. */
  promoted_at: number | null
  /** P1 to P5 where the vendor has it. */
  priority: string | null
  /** Labels of the signal that opened it, and those that rules added. */
  labels: Record<string, string>
  /** Links of the signal that opened it. */
  links: Link[]
  /** First failed evidence by the source's time. */
  started_at: number
  /** When the signal was received or confirmed. */
  detected_at: number
  /** Time of the record that opened it. */
  opened_at: number
  /** Time of the last change. */
  updated_at: number
  /** Earlier incident of the same key that a person had resolved while it still failed. */
  reopened_from: string | null
  /** What the routing rules made of it beside the fields above. */
  routing: IncidentRouting | null
}

/** One change of an alert that no IncidentEvent describes: what happened, why, and the alert after it. Event of alert.events.v1; key alert_id; ver grows by one per alert. */
export interface AlertEvent {
  /** UUIDv5 of alert_id and ver; repeats of the relay have the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** The alert. */
  alert_id: string
  /** Version of the alert after the change. */
  ver: number
  /** What happened. */
  change: AlertChange
  /** Time of the cause: of the record for a signal, of the transaction for a command. */
  at: number
  /** Why it happened. */
  cause: Cause
  /** Comment or note that came with a command. */
  comment: string | null
  /** Incident that it belongs to after the change. */
  incident_id: string | null
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** Who may see it. */
  visibility: Visibility
  /** Versions of the configuration that decided, for example routing. */
  config_versions: Record<string, number>
  /** The alert after the change. */
  alert: Alert
}

/** Ceiling and observed usage of a workspace's inbound alerts; the table that doors hold. State of tenant.budgets.v1; key tenant_id. */
export interface Budget {
  /** Derived from the cause. */
  event_id: string
  /** Workspace. */
  tenant_id: string
  /** Version of the row, growing by one. */
  ver: number
  /** Alerts a minute that each door instance admits; doors never go below 1,000. */
  ceiling: number
  /** Alerts admitted in the last minute, all instances. */
  observed_1m: number
  /** Alerts admitted in the last hour, all instances. */
  observed_1h: number
  /** Requests refused in the last hour, all instances. */
  refused_1h: number
  /** topic:partition:offset of the record that led to this version. */
  cause: string
  /** Versions of the configuration that decided, for example budget. */
  config_versions: Record<string, number>
  /** Instant of the change. */
  at: number
}

/** Raised ceiling of a workspace's inbound alerts, in one version. Control record of ingest.usage.v1; key tenant_id. */
export interface BudgetConfig {
  /** UUIDv5 of tenant_id and version; a re-emission has the same. */
  event_id: string
  /** Workspace. */
  tenant_id: string
  /** Version of the configuration, growing with every change. */
  version: number
  /** Instant of the change. */
  at: number
  /** Alerts a minute that each door instance admits; doors never go below 1,000. */
  ceiling: number
  /** The workspace is deleted: its counters are dropped. */
  deleted: boolean
}

export type CheckReason = 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | 'unknown'

export interface CapturedHeader {
  /** In lower case, at most 100 characters. */
  name: string
  /** At most 512 characters; [secret] where the name says that it is one. */
  value: string
}

export type CapturedBody = 'text' | 'binary' | 'none' | 'unknown'

/** The answer of a failed HTTP check, of a monitor that keeps them: cut, and without what looks like a secret. Restricted; key tenant_id|monitor_id. */
export interface CheckCapture {
  /** Id of the check, as its result on checks.results.v1 has it; a repeat by the prober has the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** Monitor checked. */
  monitor_id: string
  /** Region code of the prober, by its token. */
  region: string
  /** Instance name of the prober. */
  prober: string
  /** Instant at which the check ended, by the prober's clock. */
  captured_at: number
  /** Instant at which the door had read it. */
  received_at: number
  /** Version of the monitor's configuration that the prober used. */
  config_version: number
  /** Why the check failed. */
  reason: CheckReason | null
  /** 1.0, 1.1 or 2. */
  http_version: string | null
  /** Status of the answer. */
  status_code: number
  /** What stood behind the status in its line, at most 100 characters. */
  status_text: string | null
  /** Headers of the answer, at most 50. */
  headers: CapturedHeader[]
  /** Headers beyond those. */
  headers_left_out: number
  /** text: body has it. binary: nothing of it is kept. none: it had no body, or none had come. */
  body_kind: CapturedBody
  /** Text of the first 16 KiB as they unpack, at most 16,384 characters, without what looks like a secret. */
  body: string | null
  /** Bytes of the body that the prober read, as they unpack. */
  body_bytes: number
  /** The body had more than is kept of it, or did not come to its end. */
  body_cut: boolean
  /** Days that analytics keeps the record (3). */
  retention_days: number
}

export type CheckKind = 'scheduled' | 'on_demand' | 'unknown'

export type CheckOutcome = 'success' | 'degraded' | 'failure' | 'prober_error' | 'missed_window' | 'rate_limited' | 'unknown'

export interface CheckTimings {
  /** Name resolution, milliseconds. */
  dns: number | null
  /** Connecting, milliseconds. */
  connect: number | null
  /** TLS handshake, milliseconds. */
  tls: number | null
  /** Sending the request, milliseconds. */
  request: number | null
  /** From the end of the request to the first byte of the answer, milliseconds. */
  first_byte: number | null
  /** From the first byte to the last, milliseconds. */
  download: number | null
  /** Whole check without waits between attempts, milliseconds. */
  total: number | null
}

export interface AssertionResult {
  /** Place in the monitor's list, from 0. */
  index: number
  /** It held. */
  ok: boolean
  /** What was found, at most 256 characters. Where that is text of the answer (header, body, JSON, address of a redirect): only for an assertion that failed, without what looks like a secret; else null. */
  actual: string | null
  /** What was expected, at most 256 characters. */
  message: string | null
}

/** Result of one check of a monitor from one region, as its prober pushed it. Fact of checks.results.v1; key monitor_id. */
export interface CheckResult {
  /** Id of the check: UUIDv5 of monitor, region and scheduled_at; a repeat by the prober has the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** Monitor checked. */
  monitor_id: string
  /** Region code of the prober, by its token. */
  region: string
  /** Orders the results of one region: scheduled_at in epoch milliseconds; retries and on-demand checks carry their own. Not above the last one: stored late, never judged. */
  seq: number
  /** Instant of the slot. */
  scheduled_at: number
  /** Instant at which the check started, by the prober's clock. */
  checked_at: number
  /** Instant at which the check ended, by the prober's clock. */
  finished_at: number
  /** Instant at which the door had read the batch. */
  received_at: number
  /** Scheduled more than 5 seconds after it was received: stored, never judged. */
  skewed: boolean
  /** Instance name of the prober. */
  prober: string
  /** Version of the prober's software. */
  prober_version: string | null
  /** What asked for the check. */
  kind: CheckKind
  /** False: stored, not judged, as the on-demand check asked. */
  count: boolean
  /** Attempts within the check, the last included; at least 1, 0 where none was started. */
  attempts: number
  /** success, degraded and failure speak of the target; the others never count as down. */
  outcome: CheckOutcome
  /** The target answered as it should: outcome is success or degraded. False says nothing of the target unless outcome is failure. */
  ok: boolean
  /** Why it failed or degraded, null for success. */
  reason: CheckReason | null
  /** At most 1,000 characters for people, without target, headers, credentials or text of the answer. */
  message: string | null
  /** Status of the protocol where it has one, for example 503 for HTTP. */
  status_code: number | null
  /** Time spent in each phase of the last attempt, null where it was not reached. */
  timings_ms: CheckTimings
  /** Size of the answer in bytes. */
  response_bytes: number | null
  /** Assertions evaluated, at most 20. */
  assertions: AssertionResult[]
  /** End of validity of the certificate that the target showed. */
  certificate_not_after: number | null
  /** Issuer of that certificate. */
  certificate_issuer: string | null
  /** Its chain is complete and trusted. */
  certificate_chain_ok: boolean | null
  /** Expiry of the registered domain, for checks that ask for it. */
  domain_expires_at: number | null
  /** Version of the monitor's configuration that the prober used. */
  config_version: number
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Days that analytics keeps the fact, by the plan at receipt. */
  retention_days: number
}

/** A record that a processor refused, as it was read. Event of dlq.v1; key: source topic. */
export interface DeadLetter {
  /** UUIDv5 of processor, topic, partition and offset. */
  event_id: string
  /** Workspace where the record could be read that far. */
  tenant_id: string | null
  /** Processor that refused it. */
  processor: string
  /** Kafka cluster whose log it stood in; null from versions that did not say. */
  log: string | null
  /** Topic it was read from. */
  topic: string
  /** Partition it was read from. */
  partition: number
  /** Offset it was read at. */
  offset: number
  /** Timestamp of the record on the log. */
  record_at: number
  /** Key of the record. */
  key: Buffer | null
  /** Value of the record, null for a tombstone. */
  value: Buffer | null
  /** Size of the value in bytes before any cut. */
  value_bytes: number
  /** Headers of the record. */
  headers: Record<string, string>
  /** Why, from a short list fit for a metric label, for example decode; skipped: an operator had it passed over. */
  reason: string
  /** What was wrong, in a sentence. */
  error: string
  /** Time of the record that was refused, or of the refusal where it could not be read. */
  at: number
}

export type DeliveryState = 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'retrying' | 'suppressed' | 'expired' | 'fallback_used' | 'unknown'

export type SuppressionKind = 'entitlement' | 'pause' | 'maintenance' | 'silence' | 'dependency' | 'storm' | 'rule' | 'flap' | 'preference' | 'quiet_hours' | 'dedup' | 'acknowledged' | 'stale' | 'unknown' | 'not_visible' | 'no_method' | 'unverified' | 'disabled' | 'quota' | 'merged' | 'nobody'

export type AttemptOutcome = 'accepted' | 'refused' | 'retryable' | 'timeout' | 'network' | 'blocked_target' | 'unknown'

/** One step in the telling of one target: queued, an attempt and its outcome, suppressed or given up. Never the address or the text. Delivery of notification.deliveries.v1; key incident_id, or delivery_id where no incident is behind it. */
export interface Delivery {
  /** UUIDv5 of delivery_id and ver; repeats of the relay have the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** The delivery to one target: same over its attempts; sent as X-Service-Delivery. */
  delivery_id: string
  /** Version of the delivery, growing by one with every step. */
  ver: number
  /** UUIDv5 of incident, transition, step, cycle, target and method. */
  intent_id: string
  /** The incident, null for a certificate's expiry and the like. */
  incident_id: string | null
  /** Version of the incident that it tells of. */
  incident_ver: number | null
  /** What is told, for example monitor.down. */
  event: string
  /** Kind of channel, for example webhook. */
  channel_kind: string
  /** Channel, null for a person's own method. */
  channel_id: string | null
  /** Person told, null for a shared channel. */
  user_id: string | null
  /** Policy whose step asked for it. */
  escalation_policy_id: string | null
  /** Step of the policy, from 0. */
  step: number | null
  /** Round of the policy, from 0. */
  cycle: number | null
  /** State after the step; delivered only where the provider confirms. */
  state: DeliveryState
  /** What kept it from being sent. */
  suppressed_by: SuppressionKind | null
  /** Number of the attempt, from 1; 0 before the first. */
  attempt: number
  /** A person asked for it again. */
  manual: boolean
  /** How the attempt ended, null where there was none. */
  outcome: AttemptOutcome | null
  /** Status of the provider's answer. */
  http_status: number | null
  /** Code of the fault from the channel's list; never text of the provider. */
  error_code: string | null
  /** The provider's id of the message. */
  provider_message_id: string | null
  /** From sending the request to the end of the answer, milliseconds. */
  latency_ms: number | null
  /** Instant of the step. */
  at: number
  /** When the delivery was queued. */
  queued_at: number
  /** When it is tried again. */
  next_attempt_at: number | null
  /** When it is given up. */
  expires_at: number | null
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Why it happened. */
  cause: Cause
  /** Versions of the configuration that decided, by kind, for example monitor. */
  config_versions: Record<string, number>
}

export type DoorGapReason = 'refused' | 'unconfirmed' | 'unknown'

/** A door refused pings or could not confirm them between two instants: deadlines inside move to the end plus grace. Control record on every partition of heartbeat.pings.v1; key: name of the door instance. */
export interface DoorGap {
  /** Minted by the door; the same on every partition. */
  event_id: string
  /** Name of the door instance. */
  instance: string
  /** Identity of the instance's process. */
  boot: string
  /** Instant of the first ping refused or not confirmed. */
  from: number
  /** Instant at which the door accepts again. */
  to: number
  /** refused: answered 503 at once; unconfirmed: no acknowledgement of the log in time. */
  reason: DoorGapReason
}

export type HeartbeatSchedule = 'period' | 'cron' | 'unknown'

/** What the heartbeat fold needs to know of a heartbeat, in one version; re-emitted daily with the same. Never tokens. Control record of heartbeat.pings.v1; key heartbeat_id. */
export interface HeartbeatConfig {
  /** UUIDv5 of heartbeat_id and version; a re-emission has the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** The heartbeat. */
  heartbeat_id: string
  /** Version of the configuration, growing with every change. */
  version: number
  /** Instant of the change. */
  at: number
  /** Name for people, at most 200 characters. */
  name: string
  /** Which of the following fields say when a ping is expected. */
  schedule_kind: HeartbeatSchedule
  /** Seconds from one ping to the next, for period. */
  period_seconds: number | null
  /** Cron expression of five fields, for cron. */
  cron: string | null
  /** IANA zone of its wall clock, for cron. */
  time_zone: string | null
  /** Seconds added to the expected time. */
  grace_seconds: number
  /** Seconds after which a started run has failed, null for no limit. */
  max_run_seconds: number | null
  /** Reported failures in a row that are accepted. */
  fail_tolerance: number
  /** Good pings needed to be up again. */
  recovery_pings: number
  /** The change of schedule keeps the phase; else the heartbeat waits for its first ping again. */
  keep_phase: boolean
  /** Severity of what a miss opens. */
  severity: Severity
  /** Policy that tells people, null where routing decides. */
  escalation_policy_id: string | null
  /** Labels that people gave it; used by routing. */
  labels: Record<string, string>
  /** Tags that people gave it. */
  tags: string[]
  /** Paused: nothing is judged. */
  paused: boolean
  /** user, entitlement, deployment or import; null when not paused. */
  pause_reason: string | null
  /** Deleted: state is dropped; no version follows. */
  deleted: boolean
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Days that analytics keeps pings of the heartbeat. */
  retention_days: number
  /** Of a pause or deletion: an incident ends with it, also one that opens by what was decided before. */
  resolve_open: boolean
  /** Seconds before which a started run that ends well has failed, null for no limit. */
  min_run_seconds: number | null
  /** Of a pause: the next ping ends it. */
  unpause_on_ping: boolean
}

export type PingKind = 'start' | 'success' | 'fail' | 'log' | 'exit' | 'unknown'

export type AddressClass = 'public' | 'private' | 'loopback' | 'unknown'

/** One ping that a door received for a heartbeat. Fact of heartbeat.pings.v1; key heartbeat_id. */
export interface HeartbeatPing {
  /** Minted by the door. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** Heartbeat whose token the sender used. */
  heartbeat_id: string
  /** What the sender reports; exit comes with exit_code and means success at 0, else fail. */
  kind: PingKind
  /** 0 to 255, for exit. */
  exit_code: number | null
  /** Run that the ping belongs to, minted by the sender. */
  run_id: string | null
  /** Instant at which the door had read the ping: the one that counts. */
  received_at: number
  /** The sender's own time; for information only. */
  client_at: number | null
  /** GET, HEAD or POST. */
  method: string
  /** Kind of address that the ping came from; the address itself is not kept. */
  source_class: AddressClass
  /** User-Agent of the sender, at most 200 characters. */
  user_agent: string | null
  /** Size of the body in bytes, 0 without one. */
  body_bytes: number
  /** First 512 characters of a text body with the workspace's redaction patterns applied. */
  body_excerpt: string | null
  /** Name of the door instance. */
  instance: string
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Days that analytics keeps the fact, by the plan at receipt. */
  retention_days: number
}

export type HeartbeatStatus = 'up' | 'missed' | 'unknown'

export type HeartbeatPhase = 'waiting' | 'on_time' | 'running' | 'grace' | 'missed' | 'failed' | 'paused' | 'unknown'

export type HeartbeatReason = 'missed' | 'failed' | 'overrun' | 'unknown' | 'underrun'

/** A heartbeat changed its status or phase: missed, failed, overrun or back. Transition of heartbeat.transitions.v1; key heartbeat_id; ver grows by one per heartbeat. */
export interface HeartbeatTransition {
  /** UUIDv5 of heartbeat_id and ver; repeats of the relay have the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** The heartbeat. */
  heartbeat_id: string
  /** Version of the heartbeat's state after the change. */
  ver: number
  /** Name of the heartbeat for people. */
  name: string
  /** Status before; equal to status where only the phase changed. */
  previous_status: HeartbeatStatus
  /** Status after. */
  status: HeartbeatStatus
  /** Phase before. */
  previous_phase: HeartbeatPhase
  /** Phase after: detail behind the status; unknown while an outage of ours has moved its deadline. */
  phase: HeartbeatPhase
  /** Time of the record that decided. */
  at: number
  /** When the previous status began. */
  previous_at: number | null
  /** Why it is missed, null for a change to up. */
  reason: HeartbeatReason | null
  /** When the ping was expected. */
  expected_at: number | null
  /** Expected time plus grace, gaps included. */
  deadline_at: number | null
  /** Tick that passed the deadline, for a miss or an overrun. */
  tick_at: number | null
  /** By how much gaps of ours moved the deadline, milliseconds. */
  shifted_ms: number
  /** When the last ping was received. */
  last_ping_at: number | null
  /** Run that failed or came back. */
  run_id: string | null
  /** Exit code of that run. */
  exit_code: number | null
  /** Misses in a row, this one included. */
  missed_count: number
  /** Back by a ping received before the deadline but read after the miss: a defect to count. */
  late: boolean
  /** Severity of what the change opens. */
  severity: Severity
  /** Policy that tells people, null where routing decides. */
  escalation_policy_id: string | null
  /** Labels that people gave it; used by routing. */
  labels: Record<string, string>
  /** Tags that people gave it. */
  tags: string[]
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Why it happened. */
  cause: Cause
  /** Versions of the configuration that decided, by kind, for example monitor. */
  config_versions: Record<string, number>
  /** Why its ongoing incident ends with this change though nothing recovered: user, entitlement or monitor_deleted; null: it does not. */
  resolution_reason: string | null
}

export type AlertAction = 'fire' | 'resolve' | 'unknown' | 'note' | 'update'

export type TimeSource = 'sender' | 'door' | 'unknown'

export type SequenceKind = 'position' | 'occurrence' | 'receipt'

/** One alert that an inbound door or the api accepted, normalised by the parser of its source. Fact of alerts.inbound.v1; key tenant_id|dedup_key. */
export interface InboundAlert {
  /** Minted by who accepted it; the identity from which ids of what follows are derived. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** Inbound integration whose token the sender used; of what came by the api, the one of the workspace that is stored nowhere. */
  integration_id: string
  /** Source type that parsed the payload, for example alertmanager; api for what came by the api. */
  source: string
  /** Signal key: int:<integration_id>:<sha256 hex of source and the source's own dedup key>. */
  dedup_key: string
  /** The source's own dedup key, at most 512 characters. */
  source_dedup_key: string
  /** What the source reports: the condition holds (fire) or has ended (resolve); or, of the ongoing incident alone, something was said about it (note) or it is told in other words (update). Symbols that come later open and end nothing either: a reader that does not know one does nothing. */
  action: AlertAction
  /** At most 300 characters. For update, empty where it stays as it is. */
  title: string
  /** Plain text or Markdown, at most 15,000 characters. For note, what was said and by whom; for update, null where it stays as it is. */
  description: string | null
  /** Meaningful for fire; ignored otherwise. */
  severity: Severity
  /** The severity word as the source wrote it. */
  source_severity: string | null
  /** When it happened: the sender's time where it lies between 7 days before and 5 minutes after receipt, else the time of receipt. time_source says which; only the sender's orders. */
  occurred_at: number
  /** Whose clock gave occurred_at. Times of senders are compared with times of senders only; the clock of a door orders nothing. unknown: of a door from before this field, where an occurred_at equal to received_at is the door's. */
  time_source: TimeSource
  /** Instant at which the door had read the payload. */
  received_at: number
  /** Number that grows per dedup key where the source has one (start time in epoch milliseconds, run number). sequence_kind says what it numbers. */
  sequence: number | null
  /** What sequence numbers, as the source declares it. occurrence: one fire and its resolve have the same number; the resolve ends it whatever the times, and the number never fires again. position: a place in the sender's history; the same number may fire again after a resolve. receipt: the place in which this service took it; a number that is not above the last one was taken before, and a higher one says no more than that it was not. Without meaning where sequence is null. */
  sequence_kind: SequenceKind
  /** The sender's id of this delivery; an equal one is an exact repeat. */
  delivery_id: string | null
  /** At most 64 labels; includes sender_time where the sender's time was not used. */
  labels: Record<string, string>
  /** At most 20 links of the source. */
  links: Link[]
  /** Team of the integration, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Days that analytics keeps the fact, by the plan at receipt. */
  retention_days: number
  /** A recovery once more, under the key that an older version gave its alert: it ends what is open there, and nothing comes to be by it. The same delivery has a record of its own under today's key. */
  by_former_key: boolean
}

/** An incident as it stands. State of incident.state.v1, sent from the current row; key incident_id. */
export interface Incident {
  /** UUIDv5 of the event that opened it; UUIDv7 where a person or tool declared it. */
  incident_id: string
  /** Owning workspace. */
  tenant_id: string
  /** Version: grows by one with every change. */
  ver: number
  /** Per workspace, without gaps; shown as INC-<number>. */
  number: number
  /** Signal key that opened it; at most one ongoing incident has it. */
  dedup_key: string
  /** The only two raw values are ongoing and resolved. */
  status: IncidentStatus
  /** Raised by a worse repeat, never lowered by one. */
  severity: Severity
  /** At most 300 characters. */
  title: string
  /** Plain text or Markdown. */
  summary: string | null
  /** What kind of signal opened it. */
  source_kind: SourceKind
  /** Source type of the integration for inbound, for example alertmanager. */
  source_type: string | null
  /** For inbound. */
  integration_id: string | null
  /** For monitor. */
  monitor_id: string | null
  /** For heartbeat. */
  heartbeat_id: string | null
  /** Region code where the failure was seen first. */
  region: string | null
  /** Region codes where the failure was seen. */
  affected_regions: string[]
  /** Flag set by people or rules; does not change status. */
  is_major: boolean
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** Who may see it. */
  visibility: Visibility
  /** Policy that tells people, null for none. */
  escalation_policy_id: string | null
  /** Version of the routing rules that decided team, visibility and escalation. */
  routing_version: number
  /** User it is assigned to. */
  assignee_id: string | null
  /** First acknowledgement; not a status. */
  acknowledged_at: number | null
  /** Actor as kind:id. */
  acknowledged_by: string | null
  /** When it was resolved. */
  resolved_at: number | null
  /** Actor as kind:id, null for a recovery. */
  resolved_by: string | null
  /** recovered, api, user, closed, auto_timeout, monitor_deleted, entitlement or merged. */
  resolution_reason: string | null
  /** When a person closed it by hand. */
  manually_closed_at: number | null
  /** User who closed it by hand. */
  manually_closed_by: string | null
  /** When its alert became an incident. */
  promoted_at: number | null
  /** Nobody is told before this instant. */
  silenced_until: number | null
  /** Actor as kind:id. */
  silenced_by: string | null
  /** P1 to P5 where the vendor has it. */
  priority: string | null
  /** Labels of the alert that opened it. */
  labels: Record<string, string>
  /** Links of the alert that opened it. */
  links: Link[]
  /** First failed evidence by the source's time. */
  started_at: number
  /** When the signal was received or confirmed. */
  detected_at: number
  /** Time of the record that opened it. */
  opened_at: number
  /** Time of the last change. */
  updated_at: number
  /** Earlier incident of the same key that a person had resolved while it still failed. */
  reopened_from: string | null
  /** Title that it opened with, once a person has given it another. */
  original_title: string | null
  /** What the routing rules of the workspace made of it beside the fields above; null: no rule matched. */
  routing: IncidentRouting | null
  /** Alerts that belong to it, ended ones too; 0 for a declared one. */
  alert_count: number
  /** How many of its alerts go on; null: it is its own and only alert, or was declared. */
  ongoing_alerts: number | null
  /** Its monitor changes between up and down too often: nobody is told of each change. */
  flapping: boolean
  /** It opened in a storm of its workspace: nobody is told of it alone before this instant. */
  storm_until: number | null
  /** Incident that took its alerts over. */
  merged_into: string | null
  /** Words that people gave it, sorted. */
  tags: string[]
}

export type IncidentChange = 'created' | 'acknowledged' | 'unacknowledged' | 'resolved' | 'closed' | 'silenced' | 'unsilenced' | 'assigned' | 'updated' | 'comment' | 'merged' | 'reopened' | 'unknown' | 'comment_deleted' | 'alerts_changed' | 'flapping_on' | 'flapping_off' | 'storm_ended' | 'escalated'

/** One change of an incident: what happened, why, and the incident after it. Event of incident.events.v1; key incident_id; ver grows by one per incident. */
export interface IncidentEvent {
  /** UUIDv5 of incident_id and ver; repeats of the relay have the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** The incident. */
  incident_id: string
  /** Version of the incident after the change. */
  ver: number
  /** What happened. A reader that does not know a later symbol finds the incident after the change beside it. */
  change: IncidentChange
  /** Time of the cause: of the record for a signal, of the transaction for a command. */
  at: number
  /** Why it happened. */
  cause: Cause
  /** Comment or note that came with a command. The text of a comment that stands for itself is not here: people can delete it, so it is kept where the api keeps it. */
  comment: string | null
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** Who may see it. */
  visibility: Visibility
  /** Versions of the configuration that decided, for example routing. */
  config_versions: Record<string, number>
  /** Alert that alone made the change; null where several did, and where the incident is its own alert. */
  alert_id: string | null
  /** The incident after the change. */
  incident: Incident
}

export type WindowOrigin = 'planned' | 'deployment' | 'unknown'

export type WindowState = 'scheduled' | 'active' | 'ended' | 'cancelled' | 'unknown'

export type WindowEffect = 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'

export interface WindowScope {
  /** The whole workspace; the lists are then empty. */
  all: boolean
  /** Monitors. */
  monitor_ids: string[]
  /** Heartbeats. */
  heartbeat_ids: string[]
  /** Monitor groups. */
  group_ids: string[]
  /** Inbound integrations. */
  integration_ids: string[]
  /** Tags of monitors and heartbeats. */
  tags: string[]
}

export type WindowSchedule = 'once' | 'recurring' | 'unknown'

export interface WindowSpan {
  /** Begin. */
  starts_at: number
  /** End. */
  ends_at: number
}

/** A maintenance window as it stands. State of maintenance.windows.v1, sent from the current row; key window_id; a tombstone when it is deleted. */
export interface MaintenanceWindow {
  /** The window. */
  window_id: string
  /** Owning workspace. */
  tenant_id: string
  /** Version: grows by one with every change. */
  ver: number
  /** Name for people, at most 200 characters. */
  name: string
  /** Why, for people. */
  reason: string | null
  /** Planned by people, or opened by a deployment. */
  origin: WindowOrigin
  /** Where it stands. */
  state: WindowState
  /** What it does; recoveries pass every effect but pause_checks. */
  effect: WindowEffect
  /** What it covers: whatever one of the lists names. */
  scope: WindowScope
  /** Which of the following fields say when. */
  schedule_kind: WindowSchedule
  /** Begin, for once. */
  starts_at: number | null
  /** End, for once. */
  ends_at: number | null
  /** RFC 5545 rule, for recurring. */
  rrule: string | null
  /** IANA zone of its wall clock, for recurring. */
  time_zone: string | null
  /** First local date as YYYY-MM-DD, for recurring. */
  starts_on: string | null
  /** Local time as HH:MM, for recurring. */
  start_time: string | null
  /** Length of one occurrence in minutes, for recurring. */
  duration_minutes: number | null
  /** No occurrence begins after this instant, for recurring. */
  until: number | null
  /** Local dates as YYYY-MM-DD without an occurrence, for recurring. */
  exdates: string[]
  /** Occurrences worked out: the one that runs or ran last, and those of the next 31 days. */
  spans: WindowSpan[]
  /** Time inside counts in uptime; else it is left out. */
  count_in_uptime: boolean
  /** Seconds after the end before a target that still fails opens an incident. */
  settle_seconds: number
  /** Time of the last change. */
  updated_at: number
  /** Why it happened. */
  cause: Cause
}

export type RegionMode = 'all' | 'round_robin'

export type QuorumRule = 'any' | 'majority' | 'all' | 'count'

export interface FailureRate {
  /** Failed checks of a region that suffice. */
  failures: number
  /** Seconds within which they fall; successes in between are allowed. */
  window_seconds: number
}

export interface Confirmation {
  /** How many of the fresh regions must vote down; majority is strict. */
  regions: QuorumRule
  /** Number of regions, 1 to 30, where regions is count. */
  count: number | null
  /** Failures in a row before a region votes down. */
  rounds: number
  /** And at least so many seconds since the first of them. */
  min_seconds: number
  /** Other way for a region to vote down, null for none. */
  failure_rate: FailureRate | null
  /** Successes in a row before a region votes up again. */
  recovery_rounds: number
  /** And at least so many seconds good. */
  recovery_seconds: number
  /** Seconds after which a region that fails alone raises an advisory. */
  advisory_after_seconds: number
}

export interface FlapRule {
  /** Flapping is looked for. */
  enabled: boolean
  /** Rounds looked back at. */
  window_rounds: number
  /** Share of changes in percent at which flapping begins. */
  high_percent: number
  /** Share of changes in percent at which it ends. */
  low_percent: number
}

/** What the status fold needs to know of a monitor, in one version; re-emitted daily with the same. Never targets or secrets. Control record of checks.results.v1; key monitor_id. */
export interface MonitorConfig {
  /** UUIDv5 of monitor_id and version; a re-emission has the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** The monitor. */
  monitor_id: string
  /** Version of the configuration, growing with every change. */
  version: number
  /** Instant of the change. */
  at: number
  /** Name for people, at most 200 characters. */
  name: string
  /** Type of check, for example http. */
  type: string
  /** Seconds between two checks of one region. */
  interval_seconds: number
  /** Seconds between two checks while validating or down, null for no difference. */
  down_interval_seconds: number | null
  /** Seconds after which a check has failed. */
  timeout_seconds: number
  /** Region codes that vote; a private location is one. */
  regions: string[]
  /** Every region checks in each round, or one after the other. */
  region_mode: RegionMode
  /** When failure becomes down and back. */
  confirmation: Confirmation
  /** Damping: holds notifications, not state. */
  flap: FlapRule
  /** Severity of what a change to down opens. */
  severity_down: Severity
  /** Severity of what a degraded state opens. */
  severity_degraded: Severity
  /** A degraded state opens an alert. */
  open_on_degraded: boolean
  /** Parent monitors, at most 10. */
  depends_on: string[]
  /** Seconds to wait for a parent's verdict, null for the parent's own confirmation time. */
  dependency_hold_seconds: number | null
  /** Days left of a certificate at which people are told; empty for never. */
  tls_expiry_days: number[]
  /** Its settings lead to a connection over TLS, so that a check can see a certificate; null in records of before. */
  over_tls: boolean | null
  /** Days left of a domain at which people are told; empty for never. */
  domain_expiry_days: number[]
  /** Policy that tells people, null where routing decides. */
  escalation_policy_id: string | null
  /** Labels that people gave it; used by routing. */
  labels: Record<string, string>
  /** Tags that people gave it. */
  tags: string[]
  /** Paused: nothing is judged. */
  paused: boolean
  /** user, entitlement, deployment or import; null when not paused. */
  pause_reason: string | null
  /** Deleted: state is dropped; no version follows. */
  deleted: boolean
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Days that analytics keeps results of the monitor. */
  retention_days: number
  /** Of a pause or deletion: an incident ends with it, also one that opens by what was decided before. */
  resolve_open: boolean
}

export type MonitorStatus = 'up' | 'down' | 'paused' | 'unknown'

export type MonitorPhase = 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'maintenance' | 'dependency_down' | 'unconfirmed' | 'no_data' | 'paused' | 'unknown'

export type RegionVerdict = 'up' | 'down' | 'degraded' | 'stale' | 'unknown'

export type DownRule = 'rounds' | 'failure_rate' | 'unknown'

export interface RegionState {
  /** Region code. */
  region: string
  /** What the region votes; stale regions abstain. */
  state: RegionVerdict
  /** Its last result is younger than 2 intervals and a timeout, by tick time. */
  fresh: boolean
  /** Results in a row that agree with the last one. */
  streak: number
  /** seq of its last judged result. */
  last_seq: number | null
  /** Instant at which that result was received. */
  last_at: number | null
  /** Instant at which the region came to this state. */
  since: number | null
  /** Why its last result failed. */
  reason: CheckReason | null
  /** Status of the protocol in its last result. */
  status_code: number | null
  /** Total time of its last result, milliseconds. */
  response_time_ms: number | null
  /** Its failures within the window of failure_rate; 0 where there is no such rule. */
  failures: number
  /** Which rule made it vote down; null while it does not. */
  down_by: DownRule | null
  /** It alone has failed for advisory_after_seconds. */
  advisory: boolean
}

/** A monitor as it stands. State of monitor.state.v1, sent from the current row; key monitor_id; a tombstone when it is deleted. */
export interface MonitorState {
  /** UUIDv5 of monitor_id and ver. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** The monitor. */
  monitor_id: string
  /** Version: grows by one with every transition. */
  ver: number
  /** Name for people. */
  name: string
  /** Type of check, for example http. */
  type: string
  /** up, down or paused. */
  status: MonitorStatus
  /** Detail behind the status. */
  phase: MonitorPhase
  /** When the status began. */
  since: number
  /** Time of the last change. */
  updated_at: number
  /** When the last judged result was received. */
  last_checked_at: number | null
  /** Total time of that result, milliseconds. */
  last_response_time_ms: number | null
  /** What each configured region says. */
  regions: RegionState[]
  /** Damping holds its notifications. */
  flapping: boolean
  /** End of validity of the certificate seen last. */
  certificate_not_after: number | null
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Why it happened. */
  cause: Cause
  /** Versions of the configuration that decided, by kind, for example monitor. */
  config_versions: Record<string, number>
}

export interface Vote {
  /** Regions configured. */
  configured: number
  /** Regions with a fresh result. */
  fresh: number
  /** Fresh regions that vote down. */
  down: number
  /** Fresh regions that vote up. */
  up: number
  /** Votes that the change needed. */
  needed: number
  /** What each configured region says. */
  regions: RegionState[]
}

/** A monitor changed its status or phase, another region joined while it is down, or one has failed alone for long: by which vote and why. Transition of monitor.transitions.v1; key monitor_id; ver grows by one per monitor. */
export interface MonitorTransition {
  /** UUIDv5 of monitor_id and ver; repeats of the relay have the same. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** The monitor. */
  monitor_id: string
  /** Version of the monitor's state after the change. */
  ver: number
  /** Name of the monitor for people. */
  name: string
  /** Type of check, for example http. */
  type: string
  /** Status before; equal to status where only the phase changed. */
  previous_status: MonitorStatus
  /** Status after. */
  status: MonitorStatus
  /** Phase before. */
  previous_phase: MonitorPhase
  /** Phase after: detail behind the status. */
  phase: MonitorPhase
  /** Time of the record that decided. */
  at: number
  /** When the previous status began. */
  previous_at: number | null
  /** First failed evidence of a change to down, by scheduled_at. */
  started_at: number | null
  /** Slot of the result that decided, null where a tick or a configuration did. */
  scheduled_at: number | null
  /** When a door received that result. */
  received_at: number | null
  /** Region code where the failure was seen first. */
  region: string | null
  /** Region codes that vote down. */
  affected_regions: string[]
  /** Why the target failed. */
  reason: CheckReason | null
  /** At most 1,000 characters for people, without target or credentials. */
  message: string | null
  /** Status of the protocol in the result that decided. */
  status_code: number | null
  /** Total time of that result, milliseconds. */
  response_time_ms: number | null
  /** The vote that decided. */
  vote: Vote
  /** The rule that the vote was counted by. */
  confirmation: Confirmation
  /** Damping holds its notifications. */
  flapping: boolean
  /** Severity of what the change opens. */
  severity: Severity
  /** Policy that tells people, null where routing decides. */
  escalation_policy_id: string | null
  /** Labels that people gave it; used by routing. */
  labels: Record<string, string>
  /** Tags that people gave it. */
  tags: string[]
  /** Owning team, null for the whole workspace. */
  team_id: string | null
  /** org: everybody in the workspace sees it; private: the team only. */
  visibility: Visibility
  /** Why it happened. */
  cause: Cause
  /** Versions of the configuration that decided, by kind, for example monitor. */
  config_versions: Record<string, number>
  /** Region that began to vote down while the monitor was down already, null for any other change. */
  joined_region: string | null
  /** A degraded state opens an incident. */
  open_on_degraded: boolean
  /** Why its ongoing incident ends with this change though nothing recovered: user, entitlement or monitor_deleted; null: it does not. */
  resolution_reason: string | null
  /** Regions that have failed alone for advisory_after_seconds with this change. */
  advisory_regions: string[]
}

export type RawOutcome = 'accepted' | 'ignored' | 'rejected' | 'unknown'

/** A payload as a door received it: refused by its parser, or accepted while the integration captures. Restricted; key tenant_id|integration_id. */
export interface RawAlert {
  /** Minted by the door. */
  event_id: string
  /** Owning workspace. */
  tenant_id: string
  /** Inbound integration whose token the sender used. */
  integration_id: string
  /** Source type that parsed, or refused, the payload. */
  source: string
  /** Instant at which the door had read the payload. */
  received_at: number
  /** What became of the payload. */
  outcome: RawOutcome
  /** Error code and message for a rejected payload. */
  reason: string | null
  /** Number of alerts in the payload, 0 where it could not be read. */
  alerts: number
  /** Size of the payload in bytes before any cut. */
  bytes: number
  /** Content-Type header of the sender. */
  content_type: string | null
  /** Hash of the whole payload, hex. */
  payload_sha256: string
  /** The payload with secrets dropped, cut at 256 KiB. */
  payload: Buffer
  /** Days that analytics keeps the record (3). */
  retention_days: number
}

/** The passing of time: one a second to every partition of the timed topics, from the clock role. Control record. */
export interface Tick {
  /** Instant that has come. */
  t: number
  /** Identity of the clock process. */
  boot: string
}

/** Cumulative count of alerts that one door instance admitted and refused for a workspace in one budget window. Fact of ingest.usage.v1; key tenant_id. */
export interface UsageCounter {
  /** Minted by the door. */
  event_id: string
  /** Workspace counted. */
  tenant_id: string
  /** Name of the door instance. */
  instance: string
  /** Identity of the instance's process; counters restart with it. */
  boot: string
  /** Instant at which the 60 s window opened. */
  window: number
  /** Alerts admitted in the window so far. */
  accepted: number
  /** Requests refused in the window so far; they were not parsed, so their alerts are not known. */
  refused: number
  /** Alerts that the window admits. */
  limit: number
  /** Instant of the count. */
  at: number
  /** Days that analytics keeps the count. */
  retention_days: number
}

/** Every record of the log by its Avro name. */
export interface Records {
  AlertEvent: AlertEvent
  Budget: Budget
  BudgetConfig: BudgetConfig
  CheckCapture: CheckCapture
  CheckResult: CheckResult
  DeadLetter: DeadLetter
  Delivery: Delivery
  DoorGap: DoorGap
  HeartbeatConfig: HeartbeatConfig
  HeartbeatPing: HeartbeatPing
  HeartbeatTransition: HeartbeatTransition
  InboundAlert: InboundAlert
  Incident: Incident
  IncidentEvent: IncidentEvent
  MaintenanceWindow: MaintenanceWindow
  MonitorConfig: MonitorConfig
  MonitorState: MonitorState
  MonitorTransition: MonitorTransition
  RawAlert: RawAlert
  Tick: Tick
  UsageCounter: UsageCounter
}

export type RecordName = keyof Records

export const recordNames: readonly RecordName[] = [
  'AlertEvent',
  'Budget',
  'BudgetConfig',
  'CheckCapture',
  'CheckResult',
  'DeadLetter',
  'Delivery',
  'DoorGap',
  'HeartbeatConfig',
  'HeartbeatPing',
  'HeartbeatTransition',
  'InboundAlert',
  'Incident',
  'IncidentEvent',
  'MaintenanceWindow',
  'MonitorConfig',
  'MonitorState',
  'MonitorTransition',
  'RawAlert',
  'Tick',
  'UsageCounter'
]
