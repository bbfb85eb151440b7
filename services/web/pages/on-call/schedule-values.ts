/** Values of the schedule forms, and the bodies that they send. Pure. */
import type { Rotation } from '../../../../schemas/http/on-call-words.ts'
import { type Weekday, weekdays } from '../../../../schemas/http/routing-words.ts'
import type { NewSchedule, Schedule, ScheduleChange, ScheduleLayer } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'
import { dateOf, dayAt, fieldOf, knownZone, ofField, offsetAt, weekdayOf } from './zone-days.ts'

type SentLayer = NewSchedule['layers'][number]

export interface WeeklyValues {
  name: string
  team_id: string
  time_zone: string
  /** In their order. */
  people: readonly string[]
  handoff_day: Weekday
  handoff_time: string
}

/**
 * Returns the date on which the first turn begins, so that it runs at `now` (epoch ms): today if
 * the people have changed today, else yesterday. With yesterday, a change of today would already
 * have ended it.
 */
function firstDayOf({ time_zone, handoff_day, handoff_time }: WeeklyValues, now: number): string {
  const zone = knownZone(time_zone)
  const today = dayAt(zone, now)
  const time = new Date(now + offsetAt(zone, now)).toISOString().slice(11, 16)
  const hasChanged = weekdays[weekdayOf(today)] === handoff_day && time >= handoff_time
  return dateOf(hasChanged ? today : today - 1)
}

/** Builds a schedule whose people take weekly turns. The first of them is on call at once. */
export function weeklyBody(values: WeeklyValues, now: number): NewSchedule {
  const { name, team_id, time_zone, people, handoff_day, handoff_time } = values
  const turns = { participants: [...people], rotation: 'weekly' as const, handoff_day, handoff_time, starts_on: firstDayOf(values, now) }
  return {
    name: name.trim(),
    team_id: team_id === '' ? null : team_id,
    time_zone,
    layers: [{ name: onCallText('new.layer'), ...turns }]
  }
}

export interface RestrictionRow {
  key: number
  days: readonly Weekday[]
  from: string
  to: string
  /** Empty: the same or the next day. */
  to_day: Weekday | ''
}

export interface NoticeRow {
  key: number
  channel_id: string
  when: Schedule['notices'][number]['when']
  /** The time of day, for a notice that has one. */
  at: string
  days: readonly Weekday[]
}

/** Somebody's turn: a person, several together, or nobody. */
export interface TurnRow {
  key: number
  people: readonly string[]
}

export interface LayerRow {
  key: number
  name: string
  /** Empty: the zone of the schedule. */
  time_zone: string
  turns: readonly TurnRow[]
  rotation: Rotation
  /** As the number field holds it: empty while nothing is typed. */
  every: number | ''
  weekday: Weekday
  month_day: number | ''
  shift_hours: number | ''
  handoff_time: string
  starts_on: string
  ends_on: string
  start_index: number
  restrictions: readonly RestrictionRow[]
}

export interface ScheduleValues {
  name: string
  description: string
  team_id: string
  time_zone: string
  layers: readonly LayerRow[]
  fallback: Schedule['fallback']['kind']
  fallback_user: string
  fallback_schedule: string
  min_participants: number | ''
  notices: readonly NoticeRow[]
  /** The address as it is shown, or as it is typed; empty: none. */
  calendar: string
  /** Value of a browser field, in the zone of the schedule; empty: now. */
  effective: string
}

let keys = 0
/** Rows need a key, because what they hold changes while it is typed. */
const newKey = (): number => ++keys

export const newTurn = (people: readonly string[]): TurnRow => ({ key: newKey(), people })
export const newRestriction = (): RestrictionRow => ({
  key: newKey(),
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  to: '17:00',
  to_day: ''
})

export const newNotice = (channel_id: string): NoticeRow => ({ key: newKey(), channel_id, when: 'on_change', at: '09:00', days: [] })

/** `name` is the name of the new layer; `starts_on` is a date. */
export const newLayer = (name: string, people: readonly string[], starts_on: string): LayerRow => ({
  ...{ key: newKey(), name, time_zone: '', turns: people.map((id) => newTurn([id])), rotation: 'weekly', every: 1 },
  ...{ weekday: 'mon', month_day: 1, shift_hours: 12, handoff_time: '09:00', starts_on, ends_on: '', start_index: 0 },
  restrictions: []
})

export function rowOf(layer: ScheduleLayer): LayerRow {
  const { name, time_zone, participants, rotation, every, handoff_day, handoff_time, shift_hours } = layer
  return {
    ...{ key: newKey(), name, time_zone: time_zone ?? '', rotation, every, handoff_time, shift_hours: shift_hours ?? 12 },
    turns: participants.map((one) => newTurn([one ?? []].flat())),
    weekday: typeof handoff_day === 'string' ? handoff_day : 'mon',
    month_day: typeof handoff_day === 'number' ? handoff_day : 1,
    starts_on: layer.starts_on,
    ends_on: layer.ends_on ?? '',
    start_index: layer.start_index,
    restrictions: layer.restrictions.map(({ to_day, ...rest }) => ({ ...rest, key: newKey(), to_day: to_day ?? '' }))
  }
}

/**
 * Returns the instant from which the shown definition counts, if that is later than `now`. Both in
 * epoch ms.
 */
export function plannedFor({ effective_at }: Pick<Schedule, 'effective_at'>, now: number): number | null {
  const at = effective_at === null ? now : Date.parse(effective_at)
  return at > now ? at : null
}

/**
 * A schedule is shown as it was saved last. If that is planned for later, it stays so. `now` in
 * epoch ms.
 */
export function valuesOf(schedule: Schedule, now: number): ScheduleValues {
  const { name, description, team_id, time_zone, layers, fallback, min_participants, notices, ical_overrides_url } = schedule
  const planned = plannedFor(schedule, now)
  return {
    ...{ name, description, team_id: team_id ?? '', time_zone, layers: layers.map(rowOf), fallback: fallback.kind },
    fallback_user: fallback.kind === 'user' ? (fallback.id ?? '') : '',
    fallback_schedule: fallback.kind === 'schedule' ? (fallback.id ?? '') : '',
    notices: notices.map(({ at, ...notice }) => ({ ...notice, key: newKey(), at: at ?? '09:00' })),
    ...{ min_participants, calendar: ical_overrides_url ?? '' },
    effective: planned === null ? '' : fieldOf(knownZone(time_zone), planned)
  }
}

export const emptyValues = (time_zone: string, layer: LayerRow): ScheduleValues => ({
  ...{ name: '', description: '', team_id: '', time_zone, layers: [layer], fallback: 'policy_default' },
  ...{ fallback_user: '', fallback_schedule: '', min_participants: 1, notices: [], calendar: '', effective: '' }
})

/**
 * An empty number field is sent as a value that the schema refuses, so that the field reports it.
 */
const numberOf = (value: number | ''): number => (value === '' ? Number.NaN : value)

export function layerOf(row: LayerRow): SentLayer {
  const { rotation } = row
  const handoff_day = rotation === 'weekly' ? row.weekday : rotation === 'monthly' ? numberOf(row.month_day) : null
  return {
    name: row.name.trim(),
    time_zone: row.time_zone === '' ? null : row.time_zone,
    participants: row.turns.map(({ people }) => (people.length === 0 ? null : people.length === 1 ? (people[0] ?? null) : people)),
    rotation,
    every: rotation === 'hours' ? 1 : numberOf(row.every),
    handoff_time: row.handoff_time,
    handoff_day,
    starts_on: row.starts_on,
    ends_on: row.ends_on === '' ? null : row.ends_on,
    start_index: Math.min(row.start_index, Math.max(0, row.turns.length - 1)),
    restrictions: row.restrictions.map(({ days, from, to, to_day }) => ({
      days: [...days],
      from,
      to,
      to_day: to_day === '' ? null : to_day
    })),
    shift_hours: rotation === 'hours' ? numberOf(row.shift_hours) : null
  } as SentLayer
}

export function bodyOf(values: ScheduleValues): NewSchedule {
  const { fallback, fallback_user, fallback_schedule } = values
  const named = fallback === 'user' ? fallback_user : fallback === 'schedule' ? fallback_schedule : ''
  return {
    name: values.name.trim(),
    description: values.description.trim(),
    team_id: values.team_id === '' ? null : values.team_id,
    time_zone: values.time_zone,
    layers: values.layers.map(layerOf),
    fallback: { kind: fallback, id: named === '' ? null : named },
    min_participants: numberOf(values.min_participants),
    ical_overrides_url: values.calendar.trim() === '' ? null : values.calendar.trim(),
    notices: values.notices.map(({ channel_id, when, at, days }) =>
      when === 'on_change' ? { channel_id, when } : { channel_id, when, at, days: [...days] }
    )
  }
}

/** Returns the change of a schedule. The time when it takes effect is left out if that is now. */
export function changeOf(values: ScheduleValues): ScheduleChange {
  const at = ofField(knownZone(values.time_zone), values.effective)
  return { ...bodyOf(values), ...(at !== null && { effective_at: new Date(at).toISOString() }) }
}

/** Returns the rows with one of them moved by one; the same rows if it is already at that end. */
export function shifted<Row>(rows: readonly Row[], at: number, by: 1 | -1): readonly Row[] {
  const to = at + by
  const [row, other] = [rows[at], rows[to]]
  if (row === undefined || other === undefined) return rows
  return rows.map((one, index) => (index === at ? other : index === to ? row : one))
}
