/**
 * Shows schedules and shifts in answers.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import { Temporal } from 'temporal-polyfill'
import { iso } from '../../../schemas/http/common.ts'
import type { ScheduleDetail, ScheduleWarning, ShiftItem } from '../../../schemas/http/on-call.ts'
import type { Definition } from '../../../schemas/http/on-call-words.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Shift } from '../../../streams/on-call/timeline.ts'
import type { ScheduleCalendar } from '../../store/schedule-calendars.ts'
import { type SchedulePlan, timelineOf, zoneData } from '../../store/schedule-plans.ts'
import type { Schedule, ScheduleVersion } from '../../store/schedules.ts'

export const DAY_MS = 86_400_000
/** A shift is shown whole, if it reaches no further than this beyond the span. */
export const BEYOND_MS = 60 * DAY_MS
const NEXT_SHIFTS = 5
const NEXT_MS = 100 * DAY_MS

function local(at: number, zone: string): string {
  const text = Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(zone)
    .toString({ timeZoneName: 'never', fractionalSecondDigits: 0 })
  return text
}

/** A shift has the same id in every answer that has its begin. */
const shiftId = (schedule_id: string, { starts_at, layer, user_ids, override_id }: Shift): string =>
  uuidv5(schedule_id, [starts_at, layer ?? '', override_id ?? '', ...user_ids].join('|'))

export const toShift = (schedule_id: string, zone: string, shift: Shift): ShiftItem => ({
  id: shiftId(schedule_id, shift),
  user_ids: [...shift.user_ids],
  starts_at: iso(shift.starts_at),
  ends_at: iso(shift.ends_at),
  local_start: local(shift.starts_at, zone),
  local_end: local(shift.ends_at, zone),
  origin: shift.origin,
  layer: shift.layer,
  override_id: shift.override_id,
  gap: shift.fallback !== null
})

/** The span for what is on call now and next. The plan must be loaded for it. */
export const comingSpan = (now: number) => ({ from: now - BEYOND_MS, to: now + NEXT_MS })

const layersOf = ({ layers }: Definition): ScheduleDetail['layers'] =>
  layers.map((layer) => ({
    ...layer,
    participants: [...layer.participants],
    restrictions: layer.restrictions.map((one) => ({ ...one, days: [...one.days] }))
  }))

/** The calendar's address without the part that gives access to it. */
export const shownAddress = ({ host }: Pick<ScheduleCalendar, 'host'>): string => `https://${host}/…`

const calendarShown = (calendar: ScheduleCalendar | null) => ({
  ical_overrides_url: calendar && shownAddress(calendar),
  ical_overrides: calendar && {
    read_at: calendar.read_at === null ? null : iso(calendar.read_at),
    error: calendar.error,
    events: calendar.events,
    unmatched: calendar.unmatched
  }
})

/**
 * Shows a schedule without `next_shifts` and `warnings`. `coming`: its shifts that run at `now`
 * (epoch ms) or come, in order.
 */
export function toItem(
  schedule: Schedule,
  { version, effective_at, definition }: ScheduleVersion,
  coming: readonly Shift[],
  now: number,
  calendar: ScheduleCalendar | null
) {
  const { fallback, min_participants, notices, time_zone } = definition
  const current = coming.find(({ starts_at }) => starts_at <= now)
  return {
    id: schedule.schedule_id,
    tenant_id: schedule.tenant_id,
    name: schedule.name,
    description: schedule.description,
    team_id: schedule.team_id,
    labels: schedule.labels,
    time_zone,
    layers: layersOf(definition),
    fallback,
    notices: notices.map((notice) => ({ ...notice, days: [...notice.days] })),
    min_participants,
    ...calendarShown(calendar),
    effective_at: Number.isFinite(effective_at) ? iso(effective_at) : null,
    definition_version: version,
    tzdb_version: zoneData.tzdb,
    current: current ? toShift(schedule.schedule_id, time_zone, current) : null,
    created_at: iso(schedule.created_at),
    updated_at: iso(schedule.updated_at),
    version: schedule.ver
  }
}

/** Returns shifts that run now or come. `since`: no shift begins earlier. Both in epoch ms. */
export const comingShifts = (plan: SchedulePlan, now: number, since = -Infinity): Shift[] => {
  const { from, to } = comingSpan(now)
  return timelineOf(plan, Math.max(from, since), to).filter(({ ends_at }) => ends_at > now)
}

export function toDetail(
  schedule: Schedule,
  version: ScheduleVersion,
  plan: SchedulePlan,
  warnings: ScheduleWarning[],
  now: number,
  { since = -Infinity, calendar }: { since?: number; calendar: ScheduleCalendar | null }
): ScheduleDetail {
  const coming = comingShifts(plan, now, since)
  // Only these are formatted, because that takes longer than finding all of them.
  const next = coming.filter(({ starts_at }) => starts_at > now).slice(0, NEXT_SHIFTS)
  const shown = next.map((shift) => toShift(schedule.schedule_id, version.definition.time_zone, shift))
  return { ...toItem(schedule, version, coming, now, calendar), next_shifts: shown, warnings }
}
