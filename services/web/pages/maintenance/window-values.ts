/** The values in the form of a window, and the body that it sends. Pure. */
import { SETTLE_SECONDS, type WindowEffect } from '../../../../schemas/http/maintenance-words.ts'
import type { MaintenanceWindow, NewWindow } from '../../api/shapes.ts'
import { type ConditionRow, instantOf, localOf, rowOf, toCondition } from '../routing/rule-values.ts'
import { WEEKDAYS, type Weekday, weeklyDays } from './weekly-days.ts'

export type Pattern = 'daily' | 'weekly' | 'monthly' | 'own'

export interface WindowValues {
  name: string
  reason: string
  all: boolean
  monitor_ids: string[]
  heartbeat_ids: string[]
  integration_ids: string[]
  /** Separated by commas. */
  tags: string
  /** Tags of the window that contain a comma themselves. They stay whole. */
  comma_tags: string[]
  matchers: ConditionRow[]
  kind: 'once' | 'recurring'
  /** In the format of a browser field, in the person's time zone. Empty: now. */
  starts: string
  ends: string
  pattern: Pattern
  days: Weekday[]
  rrule: string
  zone: string
  starts_on: string
  at: string
  duration_seconds: number
  /** Same format as `starts`. Empty: without end. */
  until: string
  exdates: string[]
  effect: WindowEffect
  settle_seconds: number
  count_in_uptime: boolean
}

const HOUR_MS = 3_600_000

const dateOf = (now: number): string => localOf(new Date(now).toISOString()).slice(0, 10)

/** `monitor_id` is the monitor that the window is planned for, or null. `now` is in epoch ms. */
export const newValues = (monitor_id: string | null, now: number, zone: string): WindowValues => ({
  name: '',
  reason: '',
  all: false,
  monitor_ids: monitor_id === null ? [] : [monitor_id],
  heartbeat_ids: [],
  integration_ids: [],
  tags: '',
  comma_tags: [],
  matchers: [],
  kind: 'once',
  starts: '',
  ends: localOf(new Date(now + 2 * HOUR_MS).toISOString()),
  pattern: 'weekly',
  days: ['SU'],
  rrule: 'FREQ=MONTHLY;BYDAY=1SU',
  zone,
  starts_on: dateOf(now),
  at: '02:00',
  duration_seconds: 7200,
  until: '',
  exdates: [],
  effect: 'suppress_notifications',
  settle_seconds: SETTLE_SECONDS,
  count_in_uptime: false
})

function patternOf(rrule: string): Pick<WindowValues, 'pattern' | 'days' | 'rrule'> {
  const none = { days: ['SU'] as Weekday[], rrule }
  if (rrule === 'FREQ=DAILY') return { ...none, pattern: 'daily' }
  if (rrule === 'FREQ=MONTHLY') return { ...none, pattern: 'monthly' }
  const days = weeklyDays(rrule)
  return days ? { pattern: 'weekly', days, rrule } : { ...none, pattern: 'own' }
}

export function valuesOf(window: MaintenanceWindow, now: number, zone: string): WindowValues {
  const { scope, schedule } = window
  const { rrule, duration_minutes } = schedule
  const empty = newValues(null, now, schedule.time_zone ?? zone)
  return {
    ...empty,
    name: window.name,
    reason: window.reason ?? '',
    all: scope.all,
    monitor_ids: scope.monitor_ids,
    heartbeat_ids: scope.heartbeat_ids,
    integration_ids: scope.integration_ids,
    tags: scope.tags.join(', '),
    comma_tags: scope.tags.filter((tag) => tag.includes(',')),
    matchers: scope.matchers.map((one) => rowOf(one, zone)),
    kind: schedule.kind,
    starts: schedule.starts_at === null ? '' : localOf(schedule.starts_at),
    ends: schedule.ends_at === null ? empty.ends : localOf(schedule.ends_at),
    ...(rrule !== null && patternOf(rrule)),
    starts_on: schedule.starts_on ?? empty.starts_on,
    at: schedule.at ?? empty.at,
    duration_seconds: duration_minutes === null ? empty.duration_seconds : duration_minutes * 60,
    until: localOf(schedule.until),
    exdates: schedule.exdates,
    effect: window.effect,
    settle_seconds: window.settle_seconds,
    count_in_uptime: window.count_in_uptime
  }
}

/** Returns the values for a copy of an earlier window. The copy starts now and lasts as long. */
export function likeBefore(window: MaintenanceWindow, now: number, zone: string): WindowValues {
  const values = valuesOf(window, now, zone)
  const { starts_at, ends_at } = window.schedule
  const lasted = starts_at !== null && ends_at !== null ? Date.parse(ends_at) - Date.parse(starts_at) : 2 * HOUR_MS
  return { ...values, starts: '', ends: localOf(new Date(now + lasted).toISOString()) }
}

export function rruleOf({ pattern, days, rrule }: Pick<WindowValues, 'pattern' | 'days' | 'rrule'>): string {
  if (pattern === 'daily') return 'FREQ=DAILY'
  if (pattern === 'monthly') return 'FREQ=MONTHLY'
  if (pattern === 'own') return rrule.trim()
  return `FREQ=WEEKLY;BYDAY=${WEEKDAYS.filter((day) => days.includes(day)).join(',')}`
}

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Returns the tags in a text. Each of `commaTags` has a comma itself, and is one tag. */
function tagsOf(text: string, commaTags: readonly string[]): string[] {
  const parts = partsOf(text)
  // The longest comes first, because one may begin with another.
  const whole = commaTags.filter((tag) => partsOf(tag).length > 0).sort((one, other) => other.length - one.length)
  const tags = new Set<string>()
  for (let nth = 0; nth < parts.length; ) {
    const found = whole.find((tag) => partsOf(tag).every((part, n) => part === parts[nth + n]))
    tags.add(found ?? parts[nth] ?? '')
    nth += found === undefined ? 1 : partsOf(found).length
  }
  return [...tags]
}

function scopeOf(values: WindowValues): NewWindow['scope'] {
  if (values.all) return { all: true }
  const { monitor_ids, heartbeat_ids, integration_ids } = values
  const tags = tagsOf(values.tags, values.comma_tags)
  return { monitor_ids, heartbeat_ids, integration_ids, tags, matchers: values.matchers.map(toCondition) }
}

function scheduleOf(values: WindowValues, now: number): NewWindow['schedule'] {
  if (values.kind === 'once')
    return { kind: 'once', starts_at: instantOf(values.starts) ?? new Date(now).toISOString(), ends_at: instantOf(values.ends) ?? '' }
  return {
    kind: 'recurring',
    rrule: rruleOf(values),
    time_zone: values.zone,
    starts_on: values.starts_on,
    at: values.at,
    duration_minutes: Math.round(values.duration_seconds / 60),
    until: instantOf(values.until),
    exdates: values.exdates
  }
}

/** `now` in epoch ms. */
export const bodyOf = (values: WindowValues, now: number): NewWindow => ({
  name: values.name.trim(),
  reason: values.reason.trim() === '' ? null : values.reason.trim(),
  scope: scopeOf(values),
  effect: values.effect,
  schedule: scheduleOf(values, now),
  settle_seconds: values.settle_seconds,
  count_in_uptime: values.count_in_uptime
})

const targets = ['all', 'monitor_ids', 'heartbeat_ids', 'integration_ids', 'tags', 'matchers'] as const
const times = ['kind', 'starts', 'ends', 'pattern', 'days', 'rrule', 'zone', 'starts_on', 'at', 'duration_seconds', 'until'] as const

/**
 * Returns the body of a change. The schedule is sent only when it was changed, because the window
 * may have started already. So is the scope: the form may not show all that a scope can say.
 */
export function changeOf(values: WindowValues, before: WindowValues, now: number) {
  const { schedule, scope, ...body } = bodyOf(values, now)
  const isSame = (names: readonly (keyof WindowValues)[]): boolean =>
    names.every((name) => JSON.stringify(values[name]) === JSON.stringify(before[name]))
  return { ...body, ...(!isSame(targets) && { scope }), ...(!isSame(times) && { schedule }) }
}
