/**
 * The words of a message, which every channel shares: title, body and facts. They are plain text,
 * not yet cut or escaped.
 * Source: docs/design/outbound-channels.md#s1-2 and #s1-5.
 */
import { noticeEvents } from '../../schemas/http/notification-words.ts'
import type { Message } from './channel.ts'
import { oneLine, plain } from './text.ts'

/** Replaces a text that people may no longer read in a room. */
export const NEUTRAL = 'This incident cannot be read here any more.'

/** A text that is sent later than this says that it is late. */
const LATE_MS = 4 * 3_600_000

export const isLate = ({ queued_at }: Message, now: number): boolean => now - queued_at > LATE_MS

/** 2026-01-05 02:15 UTC. */
export const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** For example 4m 10s, 2h 5m, 3d 4h: the two largest units. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
    [whole % 60, 's']
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0s'
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ')
}

/** Whether the event tells that its subject fails. */
export const tellsFailure = (event: Message['event']): boolean => event === 'down' || event === 'degraded'

/** The word in brackets at the start of a title. */
export function label({ event, incident }: Message): string {
  switch (event) {
    case 'down':
      return (incident?.severity ?? 'critical').toUpperCase()
    case 'up':
      return 'RESOLVED'
    case 'acknowledged':
      return 'ACK'
    case 'assigned':
      return 'ASSIGNED'
    case 'degraded':
      return 'DEGRADED'
    case 'ssl_expiry':
      return 'WARNING'
    case 'maintenance':
      return 'MAINTENANCE'
    case 'status_page':
      return 'STATUS PAGE'
    case 'digest':
      return 'DIGEST'
    case 'shift_reminder':
    case 'handoff':
    case 'on_call':
      return 'ON CALL'
    case 'reminder':
      return 'REMINDER'
    case 'test':
      return 'TEST'
  }
}

const ended = ({ duration_seconds }: Message): string => (duration_seconds === null ? '' : ` after ${duration(duration_seconds)}`)

const endInWords = (days: number): string =>
  days < 0 ? 'has expired' : days === 0 ? 'expires in less than a day' : days === 1 ? 'expires in 1 day' : `expires in ${days} days`

/** What the message is about, without the word in brackets. */
export function subjectLine(message: Message): string {
  const { event, incident, subject, certificate, workspace, title_override } = message
  if (title_override !== null) return oneLine(title_override)
  const what = oneLine(incident?.title ?? subject?.name ?? workspace.name)
  switch (event) {
    case 'test':
      return `Notifications from ${oneLine(workspace.name)} work.`
    case 'ssl_expiry':
      return certificate ? `Certificate of ${oneLine(certificate.host)} ${endInWords(certificate.days_left)}` : what
    case 'up':
      if (subject)
        return message.combined
          ? `${oneLine(subject.name)} was down and is up again`
          : `${oneLine(subject.name)} is up again${ended(message)}`
      return `${what}${ended(message)}`
    case 'acknowledged':
    case 'assigned':
      return what
    default:
      return what
  }
}

/** For example `[CRITICAL] api.example.com is down`. */
export const titleOf = (message: Message): string => `[${label(message)}] ${subjectLine(message)}`

/** When it was down, for a message that reports failure and end together. */
const combinedLine = ({ incident }: Message): string | null =>
  incident?.resolved_at == null ? null : `It was down from ${utc(incident.started_at)} to ${utc(incident.resolved_at)}.`

/** The reasons of docs/design/enumerations.json, in words for the readers of a message. */
const endings: ReadonlyMap<string, string> = new Map([
  ['recovered', 'It recovered.'],
  ['api', 'Resolved through the API.'],
  ['user', 'A person resolved it.'],
  ['closed', 'A person closed it.'],
  ['auto_timeout', 'No alert came for the time that its integration sets.'],
  ['monitor_deleted', 'Its monitor or heartbeat was deleted.'],
  ['entitlement', 'A limit of the plan paused its monitor.'],
  ['merged', 'It was merged into another incident.']
])

const endingOf = (reason: string): string => endings.get(reason) ?? plain(reason)

function ownLines(message: Message): (string | null)[] {
  const { event, incident, failure, certificate, actor, combined } = message
  switch (event) {
    case 'test':
      return ['This is a test. Nothing is broken.']
    case 'ssl_expiry':
      return [certificate ? `It is valid until ${utc(certificate.not_after)}.` : null]
    case 'up':
      return [combined ? combinedLine(message) : null, incident?.resolution_reason ? endingOf(incident.resolution_reason) : null]
    case 'acknowledged':
      return [actor ? `Acknowledged by ${oneLine(actor)}.` : 'Acknowledged.']
    case 'assigned':
      return [incident?.assignee ? `Assigned to ${oneLine(incident.assignee.name)}.` : 'Assigned.']
    default:
      return [failure?.message ? plain(failure.message) : null, incident?.summary ? plain(incident.summary) : null]
  }
}

/** The lines of the body, which may be empty. `now`: time of the attempt, in epoch ms. */
export function bodyOf(message: Message, now: number): string {
  const late = isLate(message, now) ? `Delayed delivery: this was to be sent at ${utc(message.queued_at)}.` : null
  const own = message.body_override === null ? ownLines(message) : [plain(message.body_override)]
  return [...new Set([late, ...own].filter((line) => line !== null && line !== ''))].join('\n')
}

/** The facts that people look for, each with name and value. */
export function factsOf(message: Message): [name: string, value: string][] {
  const { event, incident, subject } = message
  if (event === 'test' || !incident) return []
  const facts: [string, string | null][] = [
    ['Incident', incident.key],
    ['Severity', incident.severity],
    ['Monitor', subject?.kind === 'monitor' ? oneLine(subject.name) : null],
    ['Heartbeat', subject?.kind === 'heartbeat' ? oneLine(subject.name) : null],
    ['Regions', incident.regions.join(', ')],
    ['Since', utc(incident.started_at)],
    ['Until', incident.resolved_at === null ? null : utc(incident.resolved_at)],
    ['Team', incident.team ? oneLine(incident.team.name) : null]
  ]
  return facts.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '')
}

/** The address that a person opens. Null: there is none. */
export const linkOf = ({ incident, subject, event, url }: Message): string | null =>
  event === 'test' ? null : (incident?.url ?? subject?.url ?? url ?? null)

/** The name of the broken thing, as vendors call the source. */
export const sourceOf = ({ subject, workspace, incident }: Message): string => oneLine(subject?.name ?? incident?.title ?? workspace.name)

/** Whether it is about no incident, but is a notice that a person asked for. */
const isNotice = (event: Message['event']): boolean => noticeEvents.some((one) => one === event)

export const severityOf = ({ incident, event }: Message): 'critical' | 'warning' | 'info' =>
  event === 'test' || isNotice(event) ? 'info' : event === 'ssl_expiry' ? 'warning' : (incident?.severity ?? 'critical')
