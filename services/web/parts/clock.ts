/**
 * Writes dates, times and figures for all pages, in the time zone and language of the person's
 * account, or else of the browser. No page formats them by itself
 * (test/services/web/clock.test.ts). Zone names are those of the browser; instants are epoch ms or
 * ISO 8601, days are counted from 1970-01-01.
 */

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Returns the format that splits the local time of a zone into parts. */
export function clockOf(zone: string): Intl.DateTimeFormat {
  const kept = clocks.get(zone)
  if (kept) return kept
  const two = '2-digit' as const
  const fields = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two, hourCycle: 'h23' } as const
  const made = new Intl.DateTimeFormat('en-GB', { ...fields, timeZone: zone })
  clocks.set(zone, made)
  return made
}

function isKnown(zone: string): boolean {
  try {
    clockOf(zone)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Returns the zone, or UTC if this browser does not know it. */
export const knownZone = (name: string): string => (isKnown(name) ? name : 'UTC')

/** The cached zone of the browser: asking for it takes longer than writing a time. */
let seenZone = { zone: '', until: 0 }

/** Returns the browser's zone, read at most once a minute: a laptop may travel. */
export function browserZone(): string {
  const now = Date.now()
  if (now >= seenZone.until) seenZone = { zone: Intl.DateTimeFormat().resolvedOptions().timeZone, until: now + MINUTE_MS }
  return seenZone.zone
}

/** The setting of the account; null: the browser's. */
let chosenZone: string | null = null
let chosenLocale: string | null = null
let change = 0
const listeners = new Set<() => void>()

/** Returns the zone that the person reads times in. */
export const ownZone = (): string => chosenZone ?? browserZone()
/** undefined: the browser's locale. */
const ownLocale = (): string | undefined => chosenLocale ?? undefined

/**
 * Sets how times and figures are written from now on. `locale`: a BCP 47 tag; null: the browser's.
 * A zone that this browser does not know is replaced by the browser's own.
 */
export function setClock({ zone, locale }: { zone: string | null; locale: string | null }): void {
  const known = zone !== null && isKnown(zone) ? zone : null
  if (known === chosenZone && locale === chosenLocale) return
  chosenZone = known
  chosenLocale = locale
  change++
  for (const listener of listeners) listener()
}

/** For useSyncExternalStore: counts how often the settings of the clock changed. */
export const clockChanges = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  count: (): number => change
}

const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const date = { month: 'short', day: 'numeric' } as const
const shapes = {
  exact: { dateStyle: 'medium', timeStyle: 'long' },
  clock: { ...time, second: '2-digit' },
  hour: time,
  dayTime: { ...date, ...time },
  daySecond: { ...date, ...time, second: '2-digit' },
  weekdayTime: { weekday: 'short', ...date, ...time },
  weekdaySecond: { weekday: 'short', ...date, ...time, second: '2-digit' },
  day: date,
  date: { dateStyle: 'short' },
  weekdayDay: { weekday: 'short', ...date },
  longDay: { weekday: 'long', month: 'long', day: 'numeric' },
  month: { month: 'long', year: 'numeric' },
  weekday: { weekday: 'short' },
  longWeekday: { weekday: 'long' }
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>

const formats = new Map<string, Intl.DateTimeFormat>()

function written(shape: keyof typeof shapes, at: string | number, zone = ownZone()): string {
  const key = `${shape} ${zone} ${chosenLocale ?? ''}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat(ownLocale(), { ...shapes[shape], timeZone: zone })
    formats.set(key, format)
  }
  return format.format(new Date(at))
}

/** Returns the instant with its zone. */
export const exact = (at: string | number): string => written('exact', at)
/** `14:03:20`. */
export const clockTime = (at: string | number): string => written('clock', at)
/** `14:03`. */
export const hourTime = (at: string | number): string => written('hour', at)
/** `Nov 22`. */
export const dayOnly = (at: string | number): string => written('day', at)
/** `Nov 22, 14:03:20`. */
export const daySecond = (at: string | number): string => written('daySecond', at)
/** `Nov 22, 14:03`. */
export const dayTime = (at: string | number): string => written('dayTime', at)
/** `Sunday, November 22`. */
export const longDay = (at: string | number): string => written('longDay', at)

/** Returns for example `Mon 2 Mar, 09:00`, in the local time of a zone. */
export const dayTimeIn = (zone: string, at: number | string): string => written('weekdayTime', at, zone)
export const daySecondIn = (zone: string, at: number | string): string => written('weekdaySecond', at, zone)
export const timeIn = (zone: string, at: number): string => written('hour', at, zone)

/** For days, not instants: a day is written the same in every zone. */
export const dayInWords = (day: number): string => written('weekdayDay', day * DAY_MS, 'UTC')
export const shortDayInWords = (day: number): string => written('day', day * DAY_MS, 'UTC')
export const monthInWords = (day: number): string => written('month', day * DAY_MS, 'UTC')
export const weekdayInWords = (day: number): string => written('weekday', day * DAY_MS, 'UTC')
/** `index` 0 is Monday, as 1970-01-05 was. */
export const weekdayName = (index: number): string => written('longWeekday', (index + 4) * DAY_MS, 'UTC')

/** Whether two instants fall on the same day in the person's zone. */
export const isSameDay = (one: string | number, other: string | number): boolean => written('date', one) === written('date', other)

/** Returns `14:03:20`, or `Nov 22, 14:03:20` when `at` is not on the day of `today`. */
export const secondTime = (at: string | number, today: number): string => (isSameDay(at, today) ? clockTime(at) : daySecond(at))

const figures = new Map<string, Intl.NumberFormat>()

function numberFormat(digits: number): Intl.NumberFormat {
  // Figures use the language of the texts: in another language's format they would be misread.
  const locale = chosenLocale ?? 'en'
  const key = `${locale} ${digits}`
  let format = figures.get(key)
  if (!format) {
    format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
    figures.set(key, format)
  }
  return format
}

/** `12,408`. */
export const figure = (count: number): string => numberFormat(0).format(count)
/** Returns the number with this many digits after the decimal point: `1.24`. */
export const decimal = (value: number, digits: number): string => numberFormat(digits).format(value)
