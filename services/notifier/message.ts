/** Builds the message of a delivery from the facts that were stored when it was decided. Pure. */
import type { Template } from '../../schemas/http/template-words.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { SaidCertificate } from '../../streams/define.ts'
import type { Message, MessageHeartbeat, MessageIncident, MessageMonitor } from '../channels/channel.ts'
import { replyCodeOf } from '../channels/reply-code.ts'
import { inWordsOf } from '../channels/template.ts'
import { utc } from '../channels/words.ts'
import { mintLink } from '../credentials/links.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import type { DeliveryFacts } from '../store/delivery-facts.ts'

function incidentOf({ incident, team, assignee, escalation_policy = null }: DeliveryFacts, publicUrl: string): MessageIncident {
  return {
    id: incident.incident_id,
    key: `INC-${incident.number}`,
    version: incident.ver,
    title: incident.title,
    summary: incident.summary,
    status: incident.status === 'resolved' ? 'resolved' : 'ongoing',
    severity: incident.severity,
    priority: incident.priority,
    is_major: incident.is_major,
    flapping: incident.flapping,
    reopened: incident.reopened_from !== null,
    url: `${publicUrl}/incidents/${incident.incident_id}`,
    regions: incident.affected_regions,
    labels: incident.labels,
    source: { kind: incident.source_kind, type: incident.source_type },
    team,
    assignee,
    escalation_policy,
    started_at: incident.started_at,
    acknowledged_at: incident.acknowledged_at,
    silenced_until: incident.silenced_until,
    resolved_at: incident.resolved_at,
    resolution_reason: incident.resolution_reason
  }
}

function subjectOf({ subject }: DeliveryFacts, publicUrl: string): MessageMonitor | MessageHeartbeat | null {
  if (subject === null) return null
  if (subject.kind === 'monitor') return { ...subject, url: `${publicUrl}/monitors/${subject.id}` }
  return { ...subject, last_ping_at: subject.last_ping_at ?? null, url: `${publicUrl}/heartbeats/${subject.id}` }
}

function atOf(event: DeliveryRow['event'], { incident }: DeliveryFacts): number {
  if (event === 'up') return incident.resolved_at ?? incident.updated_at
  if (event === 'acknowledged') return incident.acknowledged_at ?? incident.updated_at
  return event === 'down' || event === 'degraded' ? incident.started_at : incident.updated_at
}

function actorOf(event: DeliveryRow['event'], facts: DeliveryFacts): string | null {
  if (event === 'up') return facts.resolved_by
  return event === 'acknowledged' ? facts.acknowledged_by : null
}

/**
 * Returns the failure, or for an end the result that ended it. What a check said is the summary of
 * the incident; a ping says nothing.
 */
function failureOf(event: DeliveryRow['event'], { incident, checks }: DeliveryFacts): Message['failure'] {
  const { monitor_id, heartbeat_id, summary } = incident
  if (monitor_id === null && heartbeat_id === null) return null
  const said = { reason: null, message: monitor_id === null ? null : summary, http_status: null, response_time_ms: null }
  return { ...said, ...(event === 'up' ? checks?.newest : checks?.failure) }
}

/** The part of a message that describes the incident. */
function aboutOf(event: DeliveryRow['event'], facts: DeliveryFacts, publicUrl: string) {
  const { incident } = facts
  const { resolved_at, started_at } = incident
  return {
    incident: incidentOf(facts, publicUrl),
    subject: subjectOf(facts, publicUrl),
    failure: failureOf(event, facts),
    actor: actorOf(event, facts),
    duration_seconds: resolved_at === null ? null : Math.max(0, Math.round((resolved_at - started_at) / 1000))
  }
}

/**
 * How long the links that act are valid after the time until which the page may be sent. A page may
 * wait for quiet hours, a silence or its mail server.
 */
const ACT_MS = 24 * 3_600_000
/** How long the link that unsubscribes is valid. */
const STOP_MS = 365 * 24 * 3_600_000

type Addresses = Pick<Message, 'unsubscribe_url' | 'act_urls'>

/**
 * Returns the links of a mail: a member may act on the incident, a reader of a channel's mails may
 * unsubscribe. Every attempt has the same links.
 */
function linksOf(row: DeliveryRow, { publicUrl, secretsKey, recipient }: MessageOptions): Addresses {
  const none: Addresses = { unsubscribe_url: null, act_urls: null }
  const { tenant_id, incident_id, user_id, channel_id, queued_at, expires_at } = row
  if (row.kind !== 'email' || secretsKey === '') return none
  const seconds = (ms: number): number => Math.floor(ms / 1000)
  if (channel_id !== null && recipient !== null) {
    const link = { act: 'stop', tenant_id, object_id: channel_id, user_id: null, until: seconds(queued_at + STOP_MS) } as const
    return { ...none, unsubscribe_url: `${publicUrl}/api/v1/notifications/links/${mintLink(secretsKey, link, recipient)}` }
  }
  const tells = row.event === 'down' || row.event === 'degraded'
  if (user_id === null || incident_id === null || !tells) return none
  const act = (what: 'acknowledge' | 'resolve'): string =>
    `${publicUrl}/links/${mintLink(secretsKey, { act: what, tenant_id, object_id: incident_id, user_id, until: seconds(expires_at + ACT_MS) })}`
  return { ...none, act_urls: { acknowledge: act('acknowledge'), resolve: act('resolve') } }
}

export interface MessageOptions {
  publicUrl: string
  /** When empty, mails have no links that act. */
  secretsKey: string
  /** Address of a mail channel; null when the channel sends no mail. */
  recipient: string | null
  /** When the first attempt was due, epoch ms. Null: when the delivery was decided. */
  due_at: number | null
}

/** What quiet hours or a delay of the person's own held is not late. */
const dueOf = ({ queued_at }: DeliveryRow, { due_at }: MessageOptions): number => Math.max(queued_at, due_at ?? 0)

/** Builds a message whose words were stored, such as a digest or reminder. */
function noticeOf(row: DeliveryRow, said: NonNullable<DeliveryRow['said']>, options: MessageOptions): Message {
  const { event, delivery_id, queued_at } = row
  return {
    event,
    delivery_id,
    event_id: delivery_id,
    seq: row.seq,
    key: `svc-notice-${delivery_id}`,
    target_id: row.target_id,
    at: queued_at,
    queued_at: dueOf(row, options),
    workspace: { tenant_id: row.tenant_id, ...said.workspace },
    incident: null,
    subject: null,
    failure: null,
    certificate: null,
    actor: null,
    duration_seconds: null,
    combined: false,
    url: `${options.publicUrl}${said.path}`,
    title_override: said.title,
    body_override: said.body,
    reply_code: null,
    ...linksOf(row, options)
  }
}

/**
 * Returns the id by which a receiver recognizes an event. The event is part of it: one look at an
 * incident may decide on several events at its latest `ver`, that it failed and that it is over.
 */
const eventIdOf = (incident_id: string, ver: number | null, event: Message['event']): string => uuidv5(incident_id, `${ver}:${event}`)

/**
 * Builds the message about a certificate. A certificate that ends is described in the words of the
 * channel or its template; the end of that warning uses the words that were stored. Both have one
 * key, so that a receiver closes what it opened.
 */
function certificateMessage(row: DeliveryRow, certificate: SaidCertificate, notice: Message, publicUrl: string): Message {
  const { event_id, monitor, ...rest } = certificate
  const message: Message = {
    ...notice,
    event_id,
    key: `svc-ssl-${monitor.id}`,
    subject: { kind: 'monitor', ...monitor, url: `${publicUrl}/monitors/${monitor.id}` },
    certificate: { ...rest, subject: null }
  }
  if (row.event !== 'ssl_expiry') return { ...message, body_override: notice.body_override || `It is valid until ${utc(rest.not_after)}.` }
  return inWordsOf(row.template, { ...message, title_override: null, body_override: null })
}

/**
 * Builds the message that shows an incident as it stands, for updating earlier messages and for
 * rooms. `now`: epoch ms.
 */
export function standingMessage(
  facts: DeliveryFacts,
  template: Template | null,
  target_id: string,
  publicUrl: string,
  now: number
): Message {
  const { incident, workspace } = facts
  const { incident_id, tenant_id, ver } = incident
  const event = incident.status === 'resolved' ? 'up' : incident.acknowledged_at === null ? 'down' : 'acknowledged'
  const message: Message = {
    event,
    delivery_id: uuidv5(target_id, `${incident_id}:${ver}`),
    event_id: eventIdOf(incident_id, ver, event),
    seq: 0,
    key: `svc-inc-${incident_id}`,
    target_id,
    at: atOf(event, facts),
    queued_at: now,
    workspace: { tenant_id, ...workspace },
    ...aboutOf(event, facts, publicUrl),
    certificate: null,
    combined: false,
    title_override: null,
    body_override: null,
    reply_code: null,
    unsubscribe_url: null,
    act_urls: null
  }
  return inWordsOf(template, message)
}

/** Builds the message of a delivery; null when its facts are no longer known. */
export function messageOf(row: DeliveryRow, options: MessageOptions, combined: boolean): Message | null {
  const { publicUrl } = options
  const { facts, event, incident_id, incident_ver } = row
  if (row.said) {
    const notice = noticeOf(row, row.said, options)
    return row.said.certificate ? certificateMessage(row, row.said.certificate, notice, publicUrl) : notice
  }
  if (!facts || incident_id === null) return null
  const { workspace } = facts
  const message: Message = {
    event,
    delivery_id: row.delivery_id,
    event_id: eventIdOf(incident_id, incident_ver, event),
    seq: row.seq,
    key: `svc-inc-${incident_id}`,
    target_id: row.target_id,
    at: atOf(event, facts),
    queued_at: dueOf(row, options),
    workspace: { tenant_id: row.tenant_id, ...workspace },
    ...aboutOf(event, facts, publicUrl),
    certificate: null,
    combined,
    title_override: null,
    body_override: null,
    // A person's own number shows who answers; a channel's number does not.
    reply_code: row.user_id !== null && (row.kind === 'sms' || row.kind === 'voice') ? replyCodeOf(incident_id) : null,
    ...linksOf(row, options)
  }
  return inWordsOf(row.template, message)
}
