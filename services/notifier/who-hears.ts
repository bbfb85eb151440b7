/**
 * Decides who hears what about an incident. Pure.
 *
 * In       how far people were told, what has changed since, the incident as it stands, the
 *          channels of its rules or else the default ones, what holds it, and what each target was
 *          told
 * Out      intents, sent or suppressed with the cause, and how far people are told after them
 * Source   docs/design/api/decision-rules.md#s23-5, docs/design/api/notifications.md#s8-5
 *
 *   ongoing, not told yet     down or degraded   to the channels; held: told when no hold is left
 *   ongoing, degraded told    down               once it is down
 *   ongoing, gets worse       down or degraded   to channels that the severity before was too low
 *                                                for; not while it is held or acknowledged
 *   acknowledged, assigned    the same           to channels that heard of the failure, or hear of
 *                                                it now; an acknowledgement also to those that keep
 *                                                an alert, whatever holds or lowers the incident
 *   over                      up                 to everybody who heard of it, or may have
 * A channel gets the end even when its failure was not sent yet; what that says is decided when it
 * is claimed (before-sending.ts). A person whose page still waits gets neither. An incident that
 * was merged into another has no end of its own: those who were told of it hear of the end of the
 * other.
 */
import type { SuppressionKind } from '../../schemas/generated/events.ts'
import type { IntentEvent, IntentReason } from '../../schemas/http/notification-words.ts'
import type { FeedNotice, Intent, JobChange } from '../../streams/define.ts'
import { isDegraded } from '../../streams/incident/degraded.ts'
import type { Hold } from '../../streams/incident/holds.ts'
import { massOutageNotice } from '../../streams/reach/feed-notices.ts'
import type { FailureEvent, Heard, Telling, TellingChannel, TellingFacts } from '../store/tellings.ts'

const KEPT_MS = 24 * 3_600_000
const RANK = { critical: 3, warning: 2, info: 1, unknown: 3 } as const

export interface Hearing extends TellingFacts {
  telling: Telling
  /**
   * Channels of the rules that matched. Null when the rules name none; then the default channels
   * are told.
   */
  ruleChannels: readonly string[] | null
  /** In the order of decision rule 8. */
  holds: readonly Hold[]
  /** Kinds of channels that keep an alert or a ticket by the key of an incident. */
  keepers: ReadonlySet<string>
  uuidv5(namespace: string, name: string): string
}

export interface Heards {
  intents: Intent[]
  telling: Telling
  /** Items of the feed. Members get them, whether or not there are channels. */
  feed: FeedNotice[]
  /** True when the incident is over: deliveries that still wait are looked at now. */
  hurry: boolean
}

/** Returns the name that the ledger has for a hold. */
export function suppressionOf({ kind }: Pick<Hold, 'kind'>): SuppressionKind {
  if (kind === 'matcher_silence') return 'silence'
  // This incident is told together with the others of the outage.
  if (kind === 'mass_outage') return 'dedup'
  return kind === 'entitlement_pause' ? 'entitlement' : kind
}

interface Target {
  channel_id: string | null
  user_id: string | null
  method_id: string | null
  kind: string
}

interface Suppressed {
  by: SuppressionKind
  cause: string | null
}

function intentOf(
  { incident, now, uuidv5 }: Pick<Hearing, 'incident' | 'now' | 'uuidv5'>,
  event: IntentEvent,
  target: Target,
  why: { by: IntentReason; [detail: string]: unknown },
  transition: string,
  suppressed: Suppressed | null
): Intent {
  const { tenant_id, incident_id, ver, team_id, visibility } = incident
  const { channel_id, user_id, method_id, kind } = target
  return {
    tenant_id,
    intent_id: uuidv5(incident_id, `${transition}:${channel_id ?? method_id ?? user_id}`),
    incident_id,
    incident_ver: ver,
    event,
    escalation: null,
    target: channel_id !== null ? { channel_id } : { user_id: user_id ?? '' },
    method_id,
    method_kind: kind === '' ? null : kind,
    urgency: 'default',
    why,
    suppressed_by: suppressed?.by ?? null,
    suppressed_cause: suppressed?.cause ?? null,
    team_id,
    visibility: visibility === 'private' ? 'private' : 'org',
    at: now,
    due_at: now,
    expires_at: now + KEPT_MS
  }
}

const asTarget = ({ channel_id, kind }: TellingChannel): Target => ({ channel_id, user_id: null, method_id: null, kind })

/** Returns why this channel may not hear of the incident, apart from any hold; null when it may. */
function refusalOf(
  { incident, isPrivate }: Pick<Hearing, 'incident' | 'isPrivate'>,
  { works, team_id, allowed_team_ids }: TellingChannel
): Suppressed | null {
  if (!works) return { by: 'disabled', cause: null }
  if (!isPrivate) return null
  const own = incident.team_id
  return own !== null && (team_id === own || allowed_team_ids.includes(own)) ? null : { by: 'not_visible', cause: null }
}

/**
 * Returns the channels that are told of a failure: those of the rules, or else the default ones.
 */
const chosen = ({ channels, ruleChannels }: Hearing): TellingChannel[] =>
  ruleChannels === null
    ? channels.filter(({ is_default }) => is_default)
    : channels.filter(({ channel_id }) => ruleChannels.includes(channel_id))

const wants = ({ events, min_severity }: TellingChannel, event: IntentEvent, severity: keyof typeof RANK): boolean =>
  events.includes(event) && RANK[severity] >= RANK[min_severity]

const failed = ({ event, counts }: Heard): boolean => counts && (event === 'down' || event === 'degraded')

/** Whether an incident is worse than it was when it was decided who hears of it. */
export const isWorse = ({ incident, telling: { severity } }: Pick<Hearing, 'incident' | 'telling'>): boolean =>
  incident.status === 'ongoing' && severity !== null && RANK[incident.severity] > RANK[severity]

/** `since`: only channels that did not want to hear of this severity; null: all. */
function failureIntents(hearing: Hearing, event: FailureEvent, since: Telling['severity'] = null): Intent[] {
  const { incident, holds, heard, merged, ruleChannels } = hearing
  const [hold] = holds
  const told = new Set(heard.filter((one) => one.event === event && one.counts).map(({ target_id }) => target_id))
  // Who was told of an incident that was merged into this one need not hear that this one is worse.
  if (since !== null) for (const { target_id } of merged.flatMap((source) => source.heard.filter(failed))) told.add(target_id)
  const why = { by: ruleChannels === null ? ('default_channel' as const) : ('rule' as const) }
  return chosen(hearing).flatMap((channel) => {
    // A step of the escalation policy has already told this channel.
    if (told.has(channel.channel_id) || !wants(channel, event, incident.severity)) return []
    if (since !== null && wants(channel, event, since)) return []
    const held = hold ? { by: suppressionOf(hold), cause: hold.id } : null
    const suppressed = held ?? refusalOf(hearing, channel)
    const transition = held ? `held:${event}:${incident.ver}` : event
    return [intentOf(hearing, event, asTarget(channel), why, transition, suppressed)]
  })
}

/** Returns the channels to which intents go that nothing suppresses. */
const reachedBy = (intents: readonly Intent[]): string[] =>
  intents.flatMap(({ target, suppressed_by }) => (suppressed_by === null && 'channel_id' in target ? [target.channel_id] : []))

/** Returns intents for the channels that heard of the failure, or are about to (`reached`). */
function followUps({ channels, ...hearing }: Hearing, event: 'acknowledged' | 'assigned', reached: ReadonlySet<string | null>): Intent[] {
  const { incident, holds, keepers } = hearing
  return channels.flatMap((channel) => {
    if (!reached.has(channel.channel_id)) return []
    // What keeps an alert goes on paging people until it hears of the acknowledgement.
    const isOwed = event === 'acknowledged' && keepers.has(channel.kind)
    if (!(isOwed ? channel.events.includes(event) : wants(channel, event, incident.severity))) return []
    const [hold] = isOwed ? [] : holds
    const suppressed = hold ? { by: suppressionOf(hold), cause: hold.id } : refusalOf(hearing, channel)
    return [intentOf(hearing, event, asTarget(channel), { by: 'told_before' }, `${event}:${incident.ver}`, suppressed)]
  })
}

/**
 * Returns the intents of the `nth` reminder (from 1), for channels that heard of the failure. It is
 * valid until the next reminder (`expires_at`, epoch ms).
 */
export function reminderIntents(
  hearing: Omit<Hearing, 'telling' | 'ruleChannels' | 'holds' | 'changes' | 'merged' | 'keepers'>,
  said: NonNullable<Intent['said']>,
  { nth, expires_at }: { nth: number; expires_at: number }
): Intent[] {
  const { incident, channels, heard } = hearing
  const reached = new Set(heard.filter(failed).map(({ channel_id }) => channel_id))
  return channels
    .filter((channel) => reached.has(channel.channel_id) && wants(channel, isDegraded(incident) ? 'degraded' : 'down', incident.severity))
    .map((channel) => ({
      ...intentOf(hearing, 'reminder', asTarget(channel), { by: 'told_before', nth }, `reminder:${nth}`, refusalOf(hearing, channel)),
      expires_at,
      said
    }))
}

/**
 * Starts the reminders, one job per incident, once its failure is told and if its monitor reminds.
 */
export function remindersAfter(
  { incident, remind_seconds, now }: Pick<TellingFacts, 'incident' | 'remind_seconds' | 'now'>,
  { failing, held }: Telling
): JobChange[] {
  if (remind_seconds === null || incident.status !== 'ongoing' || failing === null || held) return []
  const { tenant_id, incident_id } = incident
  const payload = { incident_id, every_seconds: remind_seconds, nth: 1 }
  const run_at = now + remind_seconds * 1000
  return [{ start: 'incident_remind', idem_key: `remind:${incident_id}`, tenant_id, run_at, payload }]
}

const ruledOut = { by: 'rule', cause: 'notify_resolved' } as const

/**
 * Returns the recovery of what went on in this incident, for the targets that keep an alert or a
 * ticket by its key.
 */
function closings(hearing: Hearing): Intent[] {
  const { incident, merged, keepers } = hearing
  return merged.flatMap(({ heard, notify_resolved, ...source }) => {
    const kept = heard.filter((one) => failed(one) && keepers.has(one.kind))
    const targets = [...new Map(kept.map((one) => [one.target_id, one])).values()]
    const own = { ...hearing, incident: { ...incident, ...source } }
    return targets.map((target) => intentOf(own, 'up', target, { by: 'told_before' }, 'up', notify_resolved ? null : ruledOut))
  })
}

/**
 * Returns the recovery for everybody who heard of the failure, or may have: decision rule 5. Among
 * them are those who heard of an incident that went on in this one. Holds do not matter here.
 */
function recoveries(hearing: Hearing, also: readonly Intent[]): Intent[] {
  const { incident, heard, merged, keepers } = hearing
  const others = merged.flatMap((source) => source.heard.filter((one) => failed(one) && !keepers.has(one.kind)))
  const fresh = also.flatMap(({ target, suppressed_by, method_kind }) =>
    suppressed_by === null && 'channel_id' in target
      ? [{ target_id: target.channel_id, channel_id: target.channel_id, user_id: null, method_id: null, kind: method_kind ?? '' }]
      : []
  )
  const targets = new Map([...others, ...heard.filter(failed), ...fresh].map((one) => [one.target_id, one]))
  const texted = new Set([...targets.values()].flatMap((one) => (one.kind === 'sms' && 'number' in one ? [one.number] : [])))
  const unwanted = incident.routing && !incident.routing.notify_resolved ? ruledOut : null
  const own = [...targets.values()]
    // Nobody is called to hear that all is well. The number gets a text message instead, and only
    // one.
    .filter((one) => one.kind !== 'voice' || !('number' in one) || !texted.has(one.number))
    .map((one) => (one.kind === 'voice' ? { ...one, kind: 'sms' } : one))
    .map((target) => intentOf(hearing, 'up', target, { by: 'told_before' }, 'up', unwanted))
  return [...own, ...closings(hearing)]
}

function itemOf({ incident, now, isPrivate }: Hearing, word: FailureEvent | 'up'): FeedNotice {
  const { tenant_id, incident_id, title, summary, severity, source_kind, team_id, monitor_id, heartbeat_id } = incident
  const watched = source_kind === 'monitor' || source_kind === 'heartbeat'
  // The incident of a mass outage sums up all that was part of it.
  const of = source_kind === 'mass_outage' && summary !== null ? ` ${summary}` : ''
  const minutes = Math.round(((incident.resolved_at ?? now) - incident.started_at) / 60_000)
  const isUp = word === 'up'
  const about = { team_id, visibility: isPrivate ? 'private' : 'org' } as const
  if (source_kind === 'mass_outage' && !isUp) return massOutageNotice({ tenant_id, incident_id, about, title, summary, at: now })
  return {
    tenant_id,
    key: `incident:${incident_id}:${word}`,
    type: isUp ? (watched ? 'up' : 'recovered') : watched ? 'down' : 'incident',
    severity: isUp ? 'info' : severity,
    title: isUp ? `Over: ${title}` : title,
    body: isUp ? `It lasted ${minutes < 1 ? 'less than a minute' : `${minutes} min`}.${of}` : (summary ?? ''),
    at: now,
    audience: 'watchers',
    about,
    incident_id,
    monitor_id,
    heartbeat_id
  }
}

export function whoHears(hearing: Hearing): Heards {
  const { incident, telling, changes, heard, holds } = hearing
  const has = (...names: string[]): boolean => changes.some(({ change }) => names.includes(change))
  const word: FailureEvent = isDegraded(incident) ? 'degraded' : 'down'
  const isOver = incident.status === 'resolved'
  const isNew = telling.failing === null || (telling.failing === 'degraded' && word === 'down')
  const after: Telling = { ...telling, told_ver: incident.ver }
  const intents: Intent[] = []
  const feed: FeedNotice[] = []

  // A failure that was held until the incident was over stays untold.
  if (isOver ? telling.failing === null : isNew || (telling.held && holds.length === 0)) {
    intents.push(...failureIntents(hearing, word))
    after.failing = word
    after.held = holds.length > 0
    after.severity = incident.severity
    if (holds.length === 0 && !isOver) feed.push(itemOf(hearing, word))
  } else if (isWorse(hearing) && holds.length === 0 && incident.acknowledged_at === null) {
    intents.push(...failureIntents(hearing, word, telling.severity))
    after.severity = incident.severity
  }
  const isEnd = isOver && has('resolved', 'closed', 'merged')
  if (isEnd) {
    // What was merged goes on in the other incident. When the beginning was not told, the end is
    // not told either.
    const isMerged = incident.resolution_reason === 'merged'
    if (!isMerged) intents.push(...recoveries(hearing, intents))
    if (!isMerged && !after.held) feed.push(itemOf(hearing, 'up'))
  } else if (!isOver) {
    const fresh = reachedBy(intents)
    const reached = new Set([...heard.filter(failed).map(({ channel_id }) => channel_id), ...fresh])
    // Who hears only now of what is acknowledged already must not page people for it.
    if (incident.acknowledged_at !== null)
      intents.push(...followUps(hearing, 'acknowledged', has('acknowledged') ? reached : new Set(fresh)))
    if (has('assigned') && incident.assignee_id !== null) intents.push(...followUps(hearing, 'assigned', reached))
  }
  return { intents, telling: after, feed, hurry: isEnd }
}
