/**
 * What notifications on phones and desktops share: a title, a text with facts after it, and how
 * loud it is.
 * Source: docs/design/outbound-channels.md#s1-2 and #s1-7.
 */
import type { Message } from './channel.ts'
import { bodyOf, factsOf, severityOf, subjectLine } from './words.ts'

/** How loud a notification is. */
export type Loudness = 'critical' | 'warning' | 'info' | 'resolved' | 'note'

/** `note`: a test, or the news that somebody has taken the incident. */
export function loudnessOf(message: Message): Loudness {
  const { event } = message
  if (event === 'up') return 'resolved'
  return event === 'acknowledged' || event === 'assigned' || event === 'test' ? 'note' : severityOf(message)
}

/**
 * Plain text that is not yet cut. It is never empty, because some vendors refuse an empty text.
 * `now`: epoch ms.
 */
export function noteOf(message: Message, now: number): string {
  const facts = factsOf(message).map(([name, value]) => `${name}: ${value}`)
  const text = [bodyOf(message, now), facts.join('\n')].filter((part) => part !== '').join('\n\n')
  return text === '' ? subjectLine(message) : text
}

/** The title of a link to the incident, or to what the message is about. */
export const linkTitle = ({ incident }: Message): string => (incident ? 'Open incident' : 'Open')

/** The first instant of the next day, or of the next month, in UTC: when quotas start again. */
export const nextDay = (now: number): number => {
  const day = new Date(now)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate() + 1)
}
export const nextMonth = (now: number): number => {
  const day = new Date(now)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}
