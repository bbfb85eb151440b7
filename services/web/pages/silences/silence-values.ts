/**
 * What the form of a silence shows and what it sends, and what a silence of an incident or alert
 * matches at first. Pure.
 */
import { MAX_CONDITION_TEXT, MAX_CONDITIONS } from '../../../../schemas/http/routing-words.ts'
import type { Alert, NewSilence, Silence } from '../../api/shapes.ts'
import { type ConditionRow, instantOf, localOf, newCondition, rowOf, toCondition } from '../routing/rule-values.ts'

export interface SilenceValues {
  matchers: ConditionRow[]
  comment: string
  /** As a field of the browser has it, in the person's zone; empty: now. */
  starts: string
  ends: string
}

type Matchers = NewSilence['matchers']

/** What an incident and an alert have in common. */
export type Silenced = Pick<Alert, 'title' | 'labels' | 'source' | 'monitor_id' | 'heartbeat_id' | 'team_id'>

/** So much of it is what comes again; labels that say more than a name are left out. */
const MAX_LABELS = 10

/**
 * What comes again like it: what watches it, or its integration and labels; else its title.
 * `isPrivate`: its team is, so that the silence must name it.
 */
export function matchersOf({ title, labels, source, monitor_id, heartbeat_id, team_id }: Silenced, isPrivate: boolean): Matchers {
  const own: Matchers =
    monitor_id !== null
      ? [{ field: 'monitor_id', op: 'eq', value: monitor_id }]
      : heartbeat_id !== null
        ? [{ field: 'heartbeat_id', op: 'eq', value: heartbeat_id }]
        : source.integration_id !== null
          ? [{ field: 'integration_id', op: 'eq', value: source.integration_id }]
          : []
  const named = Object.entries(labels)
    .filter(([name, value]) => name !== 'sender_time' && value !== '' && value.length <= MAX_CONDITION_TEXT)
    .slice(0, MAX_LABELS)
    .map(([name, value]): Matchers[number] => ({ field: `label.${name}`, op: 'eq', value }))
  const byLabels = monitor_id === null && heartbeat_id === null ? named : []
  const byTitle: Matchers =
    own.length > 0 && (byLabels.length > 0 || source.kind !== 'inbound')
      ? []
      : [{ field: 'title', op: 'eq', value: title.slice(0, MAX_CONDITION_TEXT) }]
  const team: Matchers = isPrivate && team_id !== null ? [{ field: 'team_id', op: 'eq', value: team_id }] : []
  return [...own, ...byLabels, ...byTitle, ...team].slice(0, MAX_CONDITIONS)
}

export const HOUR_MS = 3_600_000

/** `matchers` none: one condition to begin with. `now` in epoch ms. */
export const newValues = (matchers: Matchers, comment: string, now: number, zone: string): SilenceValues => ({
  matchers: matchers.length > 0 ? matchers.map((one) => rowOf(one, zone)) : [newCondition(zone)],
  comment,
  starts: '',
  ends: localOf(new Date(now + 2 * HOUR_MS).toISOString())
})

export const valuesOf = ({ matchers, comment, starts_at, ends_at }: Silence, zone: string): SilenceValues => ({
  matchers: matchers.map((one) => rowOf(one, zone)),
  comment,
  starts: localOf(starts_at),
  ends: localOf(ends_at)
})

export function bodyOf({ matchers, comment, starts, ends }: SilenceValues) {
  const starts_at = instantOf(starts)
  return {
    matchers: matchers.map(toCondition),
    comment: comment.trim(),
    ...(starts_at !== null && { starts_at }),
    ends_at: instantOf(ends) ?? ''
  }
}

/** Of a silence that began already: its times are sent only where they were changed. */
export function changeOf(values: SilenceValues, before: SilenceValues) {
  const { starts_at, ends_at, ...body } = bodyOf(values)
  return {
    ...body,
    ...(values.starts !== before.starts && starts_at !== undefined && { starts_at }),
    ...(values.ends !== before.ends && { ends_at })
  }
}

/** The end of one that begins as the form says and lasts so long; `now` in epoch ms. */
export const endAfter = (starts: string, ms: number, now: number): string =>
  localOf(new Date(Math.max(now, Date.parse(instantOf(starts) ?? '') || now) + ms).toISOString())
