/**
 * Describes what happened to an incident in one line for its room. Pure. The line is null for what
 * nobody needs to read there: what the first message already says, and what goes on by itself.
 * Source: docs/design/api/incidents.md#in-16 and #in-21.
 */
import { oneLine, plain, truncate } from '../channels/text.ts'
import { utc } from '../channels/words.ts'
import type { TimelineItem } from '../store/incident-reads.ts'

const MAX_SAID = 2000

const text = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null)
const listed = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

/** Returns the ids of the people whose names a line needs. */
export function peopleIn({ actor, data }: TimelineItem): string[] {
  const actors = actor.startsWith('user:') ? [actor.slice('user:'.length)] : []
  return [...actors, ...[data.assignee_id].flatMap((id) => text(id) ?? []), ...listed(data.user_ids)]
}

export type Names = ReadonlyMap<string, string>

/** Returns who acted, in words that begin a sentence. */
function whoIn(actor: string, names: Names): string {
  const [kind, id = ''] = actor.split(':')
  if (kind === 'user') return oneLine(names.get(id) ?? 'Somebody')
  return kind === 'token' ? 'A token' : kind === 'integration' ? 'The source' : 'The service'
}

const until = (value: unknown): string => {
  const at = text(value)
  return at === null || Number.isNaN(Date.parse(at)) ? '' : ` until ${utc(Date.parse(at))}`
}

function escalatedLine(who: string, actor: string, { outcome, user_ids, channel_ids }: TimelineItem['data'], names: Names): string {
  if (outcome === 'exhausted') return 'The escalation is at its end: nobody is left to ask.'
  const people = listed(user_ids).map((id) => oneLine(names.get(id) ?? 'somebody'))
  const rooms = listed(channel_ids).length
  const whom = [...people, ...(rooms === 0 ? [] : [rooms === 1 ? 'a channel' : `${rooms} channels`])].join(', ') || 'nobody'
  return actor.startsWith('user:') ? `${who} asked ${whom}.` : `Asked: ${whom}.`
}

function sentence({ type, actor, data }: TimelineItem, names: Names): string | null {
  const who = whoIn(actor, names)
  switch (type) {
    case 'acknowledged':
      return `${who} acknowledged it.`
    case 'unacknowledged':
      return actor.startsWith('user:') ? `${who} took the acknowledgement back.` : 'The acknowledgement has run out.'
    case 'assigned': {
      const id = text(data.assignee_id)
      return id === null ? `${who} assigned it to nobody.` : `${who} assigned it to ${oneLine(names.get(id) ?? 'somebody')}.`
    }
    case 'escalated':
      return escalatedLine(who, actor, data, names)
    case 'silenced':
      return `${who} silenced it${until(data.until)}.`
    case 'unsilenced':
      return 'It is not silenced any more.'
    case 'comment':
      return data.comment === undefined ? null : `${who} wrote:`
    case 'severity_changed':
      return `Its severity is ${oneLine(text(data.severity) ?? 'another')} now.`
    case 'updated':
      return /^(?:user|token):/.test(actor) ? `${who} changed ${Object.keys(data).join(', ') || 'it'}.` : null
    case 'merged':
      return data.into_id
        ? `It went into ${oneLine(text(data.key) ?? 'another incident')}.`
        : `${oneLine(text(data.key) ?? 'Another incident')} went into it.`
    case 'reopened':
      return 'It is open again.'
    case 'recovered':
      return 'It works again.'
    case 'resolved':
      return `${who} resolved it.`
    case 'closed':
      return `${who} closed it.`
    default:
      return null
  }
}

/** Returns the line; null when nothing is told. */
export function roomLine(item: TimelineItem, names: Names): string | null {
  const line = sentence(item, names)
  if (line === null) return null
  const { data } = item
  const said = text(data.comment) ?? text(data.note) ?? text(data.reason) ?? text(data.message)
  return said === null ? line : `${line}\n${truncate(plain(said), MAX_SAID)}`
}
