/**
 * Finds when a cron schedule fires by looking at every minute of a calendar. It uses neither a
 * parser nor the product's arithmetic. Each schedule states its meaning in plain fields beside its
 * expression, and a calendar is what temporal-polyfill says of each minute that passes in a zone.
 */
import { Temporal } from 'temporal-polyfill'
import { MINUTE } from './build.ts'

/** One minute that passes in a zone, by its wall clock. */
interface Minute {
  at: number
  date: Temporal.PlainDate
  hour: number
  minute: number
  /** Orders wall clock times: minutes since an arbitrary day, as if clocks never changed. */
  wall: number
}

export interface Meaning {
  expression: string
  /** True when minute and hour have neither `*` nor a step. */
  fixed: boolean
  hour: (hour: number) => boolean
  minute: (minute: number) => boolean
  day: (date: Temporal.PlainDate) => boolean
}

const wallOf = (date: Temporal.PlainDate, hour: number, minute: number): number =>
  Temporal.PlainDate.from('2000-01-01').until(date).days * 1440 + hour * 60 + minute

const calendars = new Map<string, Minute[]>()

/** Every minute from `from` until `to`, both whole minutes of epoch ms; or only every `step`-th. */
function calendar(zone: string, from: number, to: number, step: number): Minute[] {
  const key = `${zone} ${from} ${to} ${step}`
  const known = calendars.get(key)
  if (known) return known
  const minutes: Minute[] = []
  for (let at = from; at < to; at += step * MINUTE) {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
    const date = local.toPlainDate()
    minutes.push({ at, date, hour: local.hour, minute: local.minute, wall: wallOf(date, local.hour, local.minute) })
  }
  calendars.set(key, minutes)
  return minutes
}

const wanted = new Map<string, number[]>()

/**
 * Wall clock times at which a fixed job must run on the days of a calendar, whether or not the
 * clock shows them.
 */
function wallClocks({ expression, hour, minute, day }: Meaning, zone: string, minutes: readonly Minute[]): number[] {
  const key = `${expression} ${zone} ${minutes[0]?.at} ${minutes.length}`
  const known = wanted.get(key)
  if (known) return known
  const walls: number[] = []
  const days = new Map(minutes.map(({ date }) => [date.toString(), date]))
  for (const date of days.values()) {
    if (!day(date)) continue
    for (let h = 0; h < 24; h++) for (let m = 0; m < 60; m++) if (hour(h) && minute(m)) walls.push(wallOf(date, h, m))
  }
  wanted.set(key, walls)
  return walls
}

/**
 * The slots from `from` until `to` (whole minutes, epoch ms), ascending. `step` is the spacing of
 * minutes at which a slot is possible, so that fewer minutes are looked at.
 */
export function slotsBetween(meaning: Meaning, zone: string, from: number, to: number, step = 1): number[] {
  const minutes = calendar(zone, from, to, step)
  if (!meaning.fixed)
    return minutes.filter((now) => meaning.hour(now.hour) && meaning.minute(now.minute) && meaning.day(now.date)).map(({ at }) => at)
  const slots = new Set<number>()
  const first = minutes[0]
  for (const wall of wallClocks(meaning, zone, minutes)) {
    // The first minute that shows this time. If no minute shows it, the first one that shows a
    // later time, which is the end of the gap.
    const now = minutes.find((minute) => minute.wall >= wall)
    if (now && first && wall >= first.wall) slots.add(now.at)
  }
  return [...slots].sort((one, other) => one - other)
}

const any = (): boolean => true
const among =
  (...values: number[]) =>
  (value: number): boolean =>
    values.includes(value)
const every =
  (step: number) =>
  (value: number): boolean =>
    value % step === 0
const isNth = (weekday: number, nth: number) => (date: Temporal.PlainDate) => date.dayOfWeek === weekday && Math.ceil(date.day / 7) === nth
const isLastDay = (date: Temporal.PlainDate): boolean => date.day === date.daysInMonth
const isLast = (weekday: number) => (date: Temporal.PlainDate) => date.dayOfWeek === weekday && date.day + 7 > date.daysInMonth

export const meanings: Meaning[] = [
  { expression: '* * * * *', fixed: false, hour: any, minute: any, day: any },
  { expression: '*/5 * * * *', fixed: false, hour: any, minute: every(5), day: any },
  { expression: '*/17 * * * *', fixed: false, hour: any, minute: every(17), day: any },
  { expression: '10-50/20 * * * *', fixed: false, hour: any, minute: among(10, 30, 50), day: any },
  { expression: '45 * * * *', fixed: false, hour: any, minute: among(45), day: any },
  { expression: '0 */2 * * *', fixed: false, hour: every(2), minute: among(0), day: any },
  { expression: '30 */3 * * *', fixed: false, hour: every(3), minute: among(30), day: any },
  { expression: '*/15 1-3 * * *', fixed: false, hour: among(1, 2, 3), minute: every(15), day: any },
  { expression: '@hourly', fixed: false, hour: any, minute: among(0), day: any },
  { expression: '@daily', fixed: true, hour: among(0), minute: among(0), day: any },
  { expression: '@weekly', fixed: true, hour: among(0), minute: among(0), day: (date) => date.dayOfWeek === 7 },
  { expression: '0 2 * * *', fixed: true, hour: among(2), minute: among(0), day: any },
  { expression: '30 2 * * *', fixed: true, hour: among(2), minute: among(30), day: any },
  { expression: '15 2 * * *', fixed: true, hour: among(2), minute: among(15), day: any },
  { expression: '30 1 * * *', fixed: true, hour: among(1), minute: among(30), day: any },
  { expression: '45 1 * * *', fixed: true, hour: among(1), minute: among(45), day: any },
  { expression: '0 3 * * *', fixed: true, hour: among(3), minute: among(0), day: any },
  { expression: '5,25,45 1,2,3 * * *', fixed: true, hour: among(1, 2, 3), minute: among(5, 25, 45), day: any },
  { expression: '20 0-4 * * *', fixed: true, hour: among(0, 1, 2, 3, 4), minute: among(20), day: any },
  { expression: '30 2 * * SUN', fixed: true, hour: among(2), minute: among(30), day: (date) => date.dayOfWeek === 7 },
  { expression: '0 12 * * mon-fri', fixed: true, hour: among(12), minute: among(0), day: (date) => date.dayOfWeek <= 5 },
  { expression: '30 2 * * 0#1', fixed: true, hour: among(2), minute: among(30), day: isNth(7, 1) },
  { expression: '10 2 * * SUN#2', fixed: true, hour: among(2), minute: among(10), day: isNth(7, 2) },
  { expression: '40 2 * * 7#4', fixed: true, hour: among(2), minute: among(40), day: isNth(7, 4) },
  { expression: '30 2 * * SUNL', fixed: true, hour: among(2), minute: among(30), day: isLast(7) },
  { expression: '50 1 L * *', fixed: true, hour: among(1), minute: among(50), day: isLastDay },
  { expression: '0 */6 L * *', fixed: false, hour: every(6), minute: among(0), day: isLastDay },
  {
    expression: '15 2 1,15 * FRI',
    fixed: true,
    hour: among(2),
    minute: among(15),
    day: (date) => date.day === 1 || date.day === 15 || date.dayOfWeek === 5
  },
  {
    expression: '30 2 */2 * SUN',
    fixed: true,
    hour: among(2),
    minute: among(30),
    day: (date) => date.day % 2 === 1 && date.dayOfWeek === 7
  },
  {
    expression: '0 2 * MAR,APR,OCT,NOV 0',
    fixed: true,
    hour: among(2),
    minute: among(0),
    day: (date) => [3, 4, 10, 11].includes(date.month) && date.dayOfWeek === 7
  }
]

/**
 * From a day before each clock change of 2026 to two days after it, from local midnight to local
 * midnight.
 */
export const changes = [
  { zone: 'Europe/Berlin', day: '2026-03-29' },
  { zone: 'Europe/Berlin', day: '2026-10-25' },
  { zone: 'America/New_York', day: '2026-03-08' },
  { zone: 'America/New_York', day: '2026-11-01' },
  { zone: 'Australia/Lord_Howe', day: '2026-04-05' },
  { zone: 'Australia/Lord_Howe', day: '2026-10-04' }
].map(({ zone, day }) => {
  const date = Temporal.PlainDate.from(day)
  const midnight = (days: number): number => date.add({ days }).toZonedDateTime(zone).epochMilliseconds
  return { zone, day, from: midnight(-1), to: midnight(2) }
})
