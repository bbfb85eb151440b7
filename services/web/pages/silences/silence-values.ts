/**
 * Values of the silence form, the body that it sends, and the conditions that a silence of an
 * incident or alert starts with. Pure.
 */
import { MAX_CONDITION_TEXT, MAX_CONDITIONS } from '../../../../schemas/http/routing-words.ts'
import type { Alert, NewSilence, Silence } from '../../api/shapes.ts'
import { type ConditionRow, instantOf, localOf, newCondition, rowOf, toCondition } from '../routing/rule-values.ts'

export interface SilenceValues {
  matchers: ConditionRow[]
  comment: string
  /** Value of a browser field, in the person's zone; empty: now. */
  starts: string
  ends: string
}

type Matchers = NewSilence['matchers']

/** The fields that an incident and an alert have in common. */
export type Silenced = Pick<Alert, 'title' | 'labels' | 'source' | 'monitor_id' | 'heartbeat_id' | 'team_id'> & {
  /** The title that the source gave, where a person gave another: silences look at that one. */
  original_title?: string | null
}

/**
 * At most this many labels are used. Labels whose value is longer than `MAX_CONDITION_TEXT` are
 * left out.
 */
const MAX_LABELS = 10

/**
 * Returns conditions that match the same problem when it comes again: by its monitor or heartbeat,
 * or by its integration and labels, otherwise by its title. `isPrivate`: its team is private, so
 * the silence must name the team.
 */
export function matchersOf(
  { title, original_title, labels, source, monitor_id, heartbeat_id, team_id }: Silenced,
  isPrivate: boolean
): Matchers {
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
      : [{ field: 'title', op: 'eq', value: (original_title ?? title).slice(0, MAX_CONDITION_TEXT) }]
  const team: Matchers = isPrivate && team_id !== null ? [{ field: 'team_id', op: 'eq', value: team_id }] : []
  return [...own, ...byLabels, ...byTitle, ...team].slice(0, MAX_CONDITIONS)
}

export const HOUR_MS = 3_600_000

/** If `matchers` is empty, the form starts with one condition. `now` is epoch ms. */
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

/**
 * Returns the change of a silence that may have begun already: its times are sent only if they were
 * changed.
 */
export function changeOf(values: SilenceValues, before: SilenceValues) {
  const { starts_at, ends_at, ...body } = bodyOf(values)
  return {
    ...body,
    ...(values.starts !== before.starts && starts_at !== undefined && { starts_at }),
    ...(values.ends !== before.ends && { ends_at })
  }
}

/** Returns the end of a silence that begins as the form says and lasts `ms`. `now` is epoch ms. */
export const endAfter = (starts: string, ms: number, now: number): string =>
  localOf(new Date(Math.max(now, Date.parse(instantOf(starts) ?? '') || now) + ms).toISOString())
