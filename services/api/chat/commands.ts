/**
 * Reads what people write to the service in a chat app: one of five words, and what it is about.
 * Pure.
 * Source: docs/design/api/notifications.md#s8-6.
 */
import { MAX_SILENCE_MINUTES } from '../../../schemas/limits.ts'
import { oneLine, truncate } from '../../channels/text.ts'

export type ChatCommand =
  | { word: 'status' }
  | { word: 'oncall'; schedule: string | null }
  | { word: 'ack' | 'resolve'; incident: string }
  | { word: 'silence'; incident: string; minutes: number }
  | { word: 'help' }
  /** The sender opened a member's pairing link. */
  | { word: 'pair'; code: string }
  /** A group was chosen through a member's link. */
  | { word: 'settle'; code: string; chat_id: string }
  /** Nothing is done; `say` tells the sender what is wrong. */
  | { word: 'unclear'; say: string }

const MAX_TEXT = 500

const KEY = /^(?:inc-?)?(\d{1,9})$/i
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Reads INC-12, inc12, 12, or an id. Returns null for anything else. */
function incidentIn(text: string): string | null {
  const number = KEY.exec(text)?.[1]
  if (number !== undefined && Number(number) > 0) return `INC-${Number(number)}`
  return UUID.test(text) ? text.toLowerCase() : null
}

/**
 * Reads minutes written as 90, 90m or 2h. Returns null for anything else, or for too long a time.
 */
function minutesIn(text: string): number | null {
  const [, digits, unit = ''] = /^(\d{1,5})(m|min|h)?$/i.exec(text) ?? []
  const minutes = digits === undefined ? 0 : Number(digits) * (unit.toLowerCase() === 'h' ? 60 : 1)
  return minutes >= 1 && minutes <= MAX_SILENCE_MINUTES ? minutes : null
}

const ALIASES = new Map([
  ['acknowledge', 'ack'],
  ['on-call', 'oncall']
])

const unclear = (say: string): ChatCommand => ({ word: 'unclear', say })

function about(word: 'ack' | 'resolve' | 'silence', [first, second, ...more]: readonly string[]): ChatCommand {
  const expected = word === 'silence' ? 'silence INC-12 60' : `${word} INC-12`
  const incident = first === undefined ? null : incidentIn(first)
  if (incident === null) return unclear(`Which incident? Write it like this: ${expected}`)
  if (word !== 'silence') return second === undefined ? { word, incident } : unclear(`One incident at a time: ${expected}`)
  const minutes = second === undefined ? null : minutesIn(second)
  if (minutes === null || more.length > 0)
    return unclear(`For how many minutes, from 1 to ${MAX_SILENCE_MINUTES}? Write it like this: ${expected}`)
  return { word, incident, minutes }
}

/** Reads the words of one message, without the name of the command that carries them. */
export function chatCommandIn(text: string): ChatCommand {
  const [first = 'help', ...words] = text
    .slice(0, MAX_TEXT)
    .split(/\s+/)
    .filter((word) => word !== '')
  const lower = first.toLowerCase()
  const word = ALIASES.get(lower) ?? lower
  switch (word) {
    case 'status':
    case 'help':
      return { word }
    case 'oncall':
      return { word, schedule: words.join(' ') || null }
    case 'ack':
    case 'resolve':
    case 'silence':
      return about(word, words)
    default:
      return unclear('There is no such command.')
  }
}

/**
 * `name`: name of the command that carries the words, such as /watch; empty where each word is a
 * command of its own.
 */
export const helpText = (name: string): string =>
  ['status', 'oncall [schedule]', 'ack INC-12', 'silence INC-12 60', 'resolve INC-12']
    .map((words, nth) => `${name === '' ? '/' : `${name} `}${words}: ${HELP[nth]}`)
    .join('\n')

const HELP = [
  'what is open',
  'who is on call',
  'take an incident',
  'no messages of an incident for so many minutes',
  'end an incident'
] as const

interface OpenIncident {
  number: number
  title: string
  severity: string
  acknowledged_at: number | null
}

const MAX_TITLE = 120
const short = (text: string): string => truncate(oneLine(text), MAX_TITLE)

/** Lists the open incidents, the newest first. `total` counts all that the person sees. */
export function statusText(open: readonly OpenIncident[], total: number): string {
  if (total === 0) return 'Nothing is open.'
  const lines = open.map(
    ({ number, title, severity, acknowledged_at }) =>
      `INC-${number} ${severity}${acknowledged_at === null ? '' : ', acknowledged'}: ${short(title)}`
  )
  const more = total - open.length
  return [`${total} open:`, ...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

interface Duty {
  schedule: string
  /** Names; none: nobody. */
  people: readonly string[]
}

export function onCallText(duties: readonly Duty[], asked: string | null, more: number): string {
  if (duties.length === 0) return asked === null ? 'There is no on-call schedule.' : 'There is no on-call schedule of this name.'
  const lines = duties.map(({ schedule, people }) => `${short(schedule)}: ${people.length === 0 ? 'nobody' : people.map(short).join(', ')}`)
  return [...lines, ...(more > 0 ? [`and ${more} more schedules`] : [])].join('\n')
}
