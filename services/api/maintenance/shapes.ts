/**
 * Converts windows between the API and the store: checks scopes and schedules, and shows windows.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import { iso } from '../../../schemas/http/common.ts'
import type { DeploymentDetail, GivenSchedule, GivenScope, WindowDetail, WindowPreview } from '../../../schemas/http/maintenance.ts'
import { MAX_OCCURRENCES, MAX_WINDOW_AHEAD_DAYS, MAX_WINDOW_DAYS } from '../../../schemas/http/maintenance-words.ts'
import { parseRule } from '../../../streams/maintenance/rrule.ts'
import { nextOccurrences, type Schedule, type Span, without } from '../../../streams/maintenance/spans.ts'
import type { Scope } from '../../../streams/maintenance/windows.ts'
import { dayOf } from '../../../streams/on-call/dates.ts'
import { DAY_MS, tzZones } from '../../../streams/on-call/zones.ts'
import { type StoredWindow, spansOfRow, windowStateAt } from '../../store/maintenance.ts'
import { invalid } from '../http/errors.ts'
import { zoneNamed } from '../http/span.ts'
import { checkedCondition } from '../routing/conditions.ts'

const distinct = (ids: readonly string[] = []): string[] => [...new Set(ids.map((id) => id.toLowerCase()))]

/**
 * Returns the scope as it is stored. Throws VALIDATION_FAILED, with `empty_scope` if it names
 * nothing.
 */
export function checkedScope(given: GivenScope): Scope {
  const scope: Scope = {
    all: given.all ?? false,
    monitor_ids: distinct(given.monitor_ids),
    heartbeat_ids: distinct(given.heartbeat_ids),
    integration_ids: distinct(given.integration_ids),
    tags: [...new Set(given.tags ?? [])],
    matchers: (given.matchers ?? []).map((condition, at) => checkedCondition(condition, `scope.matchers[${at}]`))
  }
  const { all, ...lists } = scope
  const named = Object.entries(lists).find(([, list]) => list.length > 0)
  if (all && named) throw invalid(`scope.${named[0]}`, 'mutually_exclusive', 'is covered by all')
  if (!all && !named) throw invalid('scope', 'empty_scope', 'must name what it covers, or all')
  return scope
}

function momentAt(text: string | null | undefined, path: string): number {
  if (text === undefined || text === null) throw invalid(path, 'required', 'is required')
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw invalid(path, 'pattern', 'must be an instant')
  return at
}

const ofOnce = ['starts_at', 'ends_at'] as const
const ofRecurring = ['rrule', 'time_zone', 'starts_on', 'at', 'duration_minutes', 'until', 'exdates'] as const

function checkedOnce(given: GivenSchedule, before: Schedule | null, now: number): Schedule {
  const wanted = momentAt(given.starts_at, 'schedule.starts_at')
  const ends_at = momentAt(given.ends_at, 'schedule.ends_at')
  // Time that passed before the window was planned was not maintenance.
  const starts_at = before?.kind === 'once' && before.starts_at === wanted ? wanted : Math.max(wanted, now)
  if (starts_at > now + MAX_WINDOW_AHEAD_DAYS * DAY_MS) throw invalid('schedule.starts_at', 'max', 'is too far in the future')
  if (ends_at <= now) throw invalid('schedule.ends_at', 'empty_interval', 'has passed')
  if (ends_at <= starts_at) throw invalid('schedule.ends_at', 'empty_interval', 'must be later than starts_at')
  if (ends_at - starts_at > MAX_WINDOW_DAYS * DAY_MS)
    throw invalid('schedule.ends_at', 'max', `must be at most ${MAX_WINDOW_DAYS} days after starts_at`, {
      limit: MAX_WINDOW_DAYS,
      actual: Math.ceil((ends_at - starts_at) / DAY_MS)
    })
  return { kind: 'once', starts_at, ends_at }
}

function dateAt(text: string, path: string): string {
  if (dayOf(text) === null) throw invalid(path, 'pattern', 'must be an existing date')
  return text
}

function checkedRecurring(given: GivenSchedule, now: number): Schedule {
  const { rrule, time_zone, starts_on, at, duration_minutes } = given
  for (const name of ['rrule', 'time_zone', 'starts_on', 'at', 'duration_minutes'] as const)
    if (given[name] == null) throw invalid(`schedule.${name}`, 'required', 'is required')
  if (rrule == null || time_zone == null || starts_on == null || at == null || duration_minutes == null)
    throw new Error('a schedule is not whole though all of it was looked at')
  const rule = parseRule(rrule)
  if ('fault' in rule) throw invalid('schedule.rrule', 'pattern', rule.fault)
  const schedule: Schedule = {
    kind: 'recurring',
    rrule: rrule.toUpperCase().replace(/^RRULE:/, ''),
    time_zone: zoneNamed(time_zone, 'schedule.time_zone'),
    starts_on: dateAt(starts_on, 'schedule.starts_on'),
    at,
    duration_minutes,
    until: given.until === undefined || given.until === null ? null : momentAt(given.until, 'schedule.until'),
    exdates: [...new Set((given.exdates ?? []).map((date, index) => dateAt(date, `schedule.exdates[${index}]`)))].sort()
  }
  const first = (dayOf(starts_on) ?? 0) * DAY_MS
  if (first > now + MAX_WINDOW_AHEAD_DAYS * DAY_MS) throw invalid('schedule.starts_on', 'max', 'is too far in the future')
  if (first < now - 20 * 366 * DAY_MS) throw invalid('schedule.starts_on', 'min', 'is too far in the past')
  if (nextOccurrences(schedule, tzZones, now, 1).length === 0) throw invalid('schedule', 'empty_interval', 'has no occurrence from now on')
  return schedule
}

/** Answers have the fields of the other kind as null and as an empty list. */
const isSet = (value: GivenSchedule[keyof GivenSchedule]): boolean => value != null && !(Array.isArray(value) && value.length === 0)

/**
 * Returns the schedule as it is stored. `before`: the window's present schedule; `now` in epoch ms.
 * Throws VALIDATION_FAILED.
 */
export function checkedSchedule(given: GivenSchedule, before: Schedule | null, now: number): Schedule {
  const others = given.kind === 'once' ? ofRecurring : ofOnce
  const other = others.find((name) => isSet(given[name]))
  if (other) throw invalid(`schedule.${other}`, 'unknown_field', `is not a field of ${given.kind}`)
  return given.kind === 'once' ? checkedOnce(given, before, now) : checkedRecurring(given, now)
}

const shownSpan = ({ starts_at, ends_at }: Span) => ({ starts_at: iso(starts_at), ends_at: iso(ends_at) })

const shownScope = (scope: Scope): WindowDetail['scope'] => ({
  all: scope.all,
  monitor_ids: [...scope.monitor_ids],
  heartbeat_ids: [...scope.heartbeat_ids],
  integration_ids: [...scope.integration_ids],
  tags: [...scope.tags],
  matchers: [...scope.matchers]
})

function shownSchedule(schedule: Schedule): WindowDetail['schedule'] {
  const none = { rrule: null, time_zone: null, starts_on: null, at: null, duration_minutes: null, until: null, exdates: [] }
  if (schedule.kind === 'once') return { ...none, kind: 'once', starts_at: iso(schedule.starts_at), ends_at: iso(schedule.ends_at) }
  const { kind, rrule, time_zone, starts_on, at, duration_minutes, until, exdates } = schedule
  return {
    kind,
    starts_at: null,
    ends_at: null,
    rrule,
    time_zone,
    starts_on,
    at,
    duration_minutes,
    until: iso(until),
    exdates: [...exdates]
  }
}

/** Returns the occurrences that run now or come later, without the times that were taken out. */
export function occurrencesOf(
  { schedule, holes, cancelled_at }: Pick<StoredWindow, 'schedule' | 'holes' | 'cancelled_at'>,
  now: number
): WindowPreview['next_occurrences'] {
  if (cancelled_at !== null) return []
  const taken = holes.map(([starts_at, ends_at]) => ({ starts_at, ends_at }))
  // One more than shown, because the times taken out may cover a whole occurrence.
  const comes = without(nextOccurrences(schedule, tzZones, now, MAX_OCCURRENCES + 1), taken)
  return comes
    .filter(({ ends_at }) => ends_at > now)
    .slice(0, MAX_OCCURRENCES)
    .map(shownSpan)
}

/** Returns the span that runs now or comes next, else the last one; null: there is none. */
function currentSpan(window: StoredWindow, now: number): Span | null {
  const spans = spansOfRow(window)
  return spans.find(({ ends_at }) => ends_at > now) ?? spans.at(-1) ?? null
}

/** Returns the window's spans between two instants. */
export const inRange = (window: StoredWindow, { from, to }: { from: number; to: number }): NonNullable<WindowDetail['in_range']> =>
  spansOfRow(window)
    .filter(({ starts_at, ends_at }) => starts_at < to && ends_at > from)
    .map(shownSpan)

/** `now` in epoch ms. */
export function toDetail(window: StoredWindow, now: number): WindowDetail {
  const next_occurrences = occurrencesOf(window, now)
  const span = currentSpan(window, now)
  const [next] = next_occurrences
  return {
    id: window.window_id,
    tenant_id: window.tenant_id,
    origin: window.origin,
    name: window.name,
    reason: window.reason,
    scope: shownScope(window.scope),
    effect: window.effect,
    schedule: shownSchedule(window.schedule),
    settle_seconds: window.settle_seconds,
    count_in_uptime: window.count_in_uptime,
    state: windowStateAt(window, now),
    starts_at: span ? iso(span.starts_at) : (next?.starts_at ?? null),
    ends_at: span ? iso(span.ends_at) : (next?.ends_at ?? null),
    next_occurrences,
    created_by: window.created_by,
    created_at: iso(window.created_at),
    updated_at: iso(window.updated_at),
    version: window.version
  }
}

/** Shows a window that a deployment opened. */
export function toDeployment(window: StoredWindow, now: number): DeploymentDetail {
  const { deployment } = window
  if (!deployment) throw new Error('the window is none of a deployment')
  const span = currentSpan(window, now) ?? { starts_at: window.created_at, ends_at: window.created_at }
  const { git } = deployment
  return {
    id: window.window_id,
    tenant_id: window.tenant_id,
    name: window.name,
    scope: shownScope(window.scope),
    effect: window.effect,
    settle_seconds: window.settle_seconds,
    state: windowStateAt(window, now),
    ...shownSpan(span),
    environment: deployment.environment,
    service: deployment.service,
    deployed_version: deployment.version,
    git: { repo: git?.repo ?? null, ref: git?.ref ?? null, sha: git?.sha ?? null, author: git?.author ?? null },
    run_url: deployment.run_url,
    on_expire: deployment.on_expire,
    extended: deployment.extended,
    outcome: deployment.outcome,
    note: deployment.note,
    created_by: window.created_by,
    created_at: iso(window.created_at),
    updated_at: iso(window.updated_at),
    version: window.version
  }
}
