/**
 * Incidents that a degraded monitor opened. Whether people are notified that the monitor is down
 * depends on the title of the incident, so the incident takes over the words of the monitor when it
 * goes down. Severity does not matter for that: a rule or a person may have set it. A title that a
 * person gave stays.
 *
 * In       an ongoing incident or alert, and a signal of its monitor or the words of its alert
 * Out      the fields that change; null: none
 * Source   docs/design/api/monitors.md#s3-1 (`open_on_degraded`)
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import type { Signal } from './rules.ts'

export interface Words {
  title: string
  summary: string | null
}

type Titled = Pick<Incident, 'source_kind' | 'title' | 'original_title'>

/** The title that the source gave it. */
export const sourceTitle = ({ original_title, title }: Pick<Titled, 'title' | 'original_title'>): string => original_title ?? title

/** Returns the title of a signal of a monitor or heartbeat: its name and its state. */
export const titleOf = (name: string, state: string): string => `${name} is ${state}`

const DEGRADED_END = titleOf('', 'degraded')

/** Looks for a title of `titleOf`. */
export const isDegraded = (incident: Titled): boolean => incident.source_kind === 'monitor' && sourceTitle(incident).endsWith(DEGRADED_END)

const isDegradedAlert = (alert: Pick<Alert, 'source_kind' | 'title'>): boolean => isDegraded({ ...alert, original_title: null })

/** Returns the incident with the words of its source. */
export const withWords = <One extends Pick<Incident, 'title' | 'original_title' | 'summary'>>(open: One, { title, summary }: Words): One =>
  open.original_title === null ? { ...open, title, summary } : { ...open, original_title: title, summary }

/** Returns the words of a fire if its monitor was degraded and is down now. */
export const wordsOfDown = (open: Titled, { monitor_state, title, summary }: Signal): Words | null =>
  monitor_state === 'down' && isDegraded(open) ? { title, summary } : null

/** The same for an alert with a row of its own. */
export const alertWordsOfDown = (alert: Alert, signal: Signal): Words | null => wordsOfDown({ ...alert, original_title: null }, signal)

/**
 * Returns the new words of an alert for its incident, if the incident still has the words that the
 * alert had while its monitor was degraded.
 */
export const wordsForIncident = (incident: Incident, before: Alert, { title, summary }: Alert): Words | null =>
  isDegradedAlert(before) && title !== before.title && isDegraded(incident) && sourceTitle(incident) === before.title
    ? { title, summary }
    : null
