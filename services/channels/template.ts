/**
 * Fills in a workspace's template for a message. Values are plain text, like everything that people
 * wrote: a channel cuts and escapes the text like its own. Pure.
 * Source: docs/design/api/notifications.md#templates.
 */
import { filledIn, LABEL_PREFIX, type Placeholder, type Template } from '../../schemas/http/template-words.ts'
import type { Message } from './channel.ts'
import { duration, utc } from './words.ts'

/** Limit of one value, in characters. A hundred of them fit into the largest message. */
const MAX_VALUE = 4000
/** Limit of a filled-in text, in characters. No channel sends that many. */
const MAX_TEXT = 65_536

const time = (ms: number | null | undefined): string => (ms == null ? '' : utc(ms))

function valuesOf(message: Message): Record<Placeholder, string> {
  const { workspace, event, incident, subject, failure, certificate, actor, duration_seconds } = message
  return {
    'workspace.name': workspace.name,
    event,
    'incident.key': incident?.key ?? '',
    'incident.title': incident?.title ?? '',
    'incident.summary': incident?.summary ?? '',
    'incident.status': incident?.status ?? '',
    'incident.severity': incident?.severity ?? '',
    'incident.priority': incident?.priority ?? '',
    'incident.regions': incident?.regions.join(', ') ?? '',
    'incident.source': incident?.source.kind ?? '',
    'incident.url': incident?.url ?? '',
    'incident.started_at': time(incident?.started_at),
    'incident.acknowledged_at': time(incident?.acknowledged_at),
    'incident.resolved_at': time(incident?.resolved_at),
    'incident.duration': duration_seconds === null ? '' : duration(duration_seconds),
    'incident.resolution_reason': incident?.resolution_reason ?? '',
    'subject.kind': subject?.kind ?? '',
    'subject.name': subject?.name ?? '',
    'subject.target': subject?.kind === 'monitor' ? subject.target : '',
    'subject.url': subject?.url ?? '',
    'failure.message': failure?.message ?? '',
    'team.name': incident?.team?.name ?? '',
    'assignee.name': incident?.assignee?.name ?? '',
    'actor.name': actor ?? '',
    'certificate.host': certificate?.host ?? '',
    'certificate.days_left': certificate === null ? '' : String(certificate.days_left),
    'certificate.not_after': time(certificate?.not_after)
  }
}

/**
 * Returns the message with the template's words. A text that comes out empty keeps the channel's
 * own words.
 */
export function inWordsOf(template: Template | null, message: Message): Message {
  if (template === null) return message
  const values: Readonly<Record<string, string>> = valuesOf(message)
  const labels = message.incident?.labels ?? {}
  const wordsFor = (name: string): string => {
    if (Object.hasOwn(values, name)) return values[name] ?? ''
    const label = name.slice(LABEL_PREFIX.length)
    return name.startsWith(LABEL_PREFIX) && Object.hasOwn(labels, label) ? (labels[label] ?? '') : ''
  }
  const filled = (text: string | null): string | null => {
    if (text === null) return null
    const words = filledIn(text, wordsFor, MAX_VALUE).slice(0, MAX_TEXT)
    return words.trim() === '' ? null : words
  }
  return { ...message, title_override: filled(template.title), body_override: filled(template.body) }
}
