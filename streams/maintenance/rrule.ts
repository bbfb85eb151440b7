/**
 * The dates on which a window recurs: RFC 5545 rules of days, weeks, months and years. The time of
 * day and the zone are stored beside the rule (spans.ts), so a rule has only dates.
 *
 * In       the text of a rule; the first date on which it may recur
 * Out      its dates in order, or which part of the text is not understood
 * Source   docs/design/api/maintenance.md#recurrence
 *
 * Understood: FREQ DAILY, WEEKLY, MONTHLY, YEARLY; INTERVAL; COUNT or UNTIL; BYDAY, BYMONTHDAY,
 * BYMONTH, BYSETPOS; WKST. The set of a period is all of its dates that every BY part admits. What
 * the rule leaves out comes from the first date: the weekday of a week, the day of a month, the
 * month of a year. The first date counts if the rule admits it. Dates are days since 1970-01-01.
 */
import { DAY_MS } from '../on-call/zones.ts'

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
type Frequency = (typeof frequencies)[number]

/** In the order of weekdayOf: 0 is Monday. */
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/**
 * A weekday. `nth`: only the nth one of the month or year, counted from the end if negative; null:
 * every one.
 */
interface ByDay {
  weekday: number
  nth: number | null
}

export interface Rule {
  frequency: Frequency
  interval: number
  count: number | null
  /** The last day, or the last instant (epoch ms), at which a span may begin. */
  until: { day: number } | { at: number } | null
  /** Empty lists admit everything. */
  days: readonly ByDay[]
  month_days: readonly number[]
  months: readonly number[]
  positions: readonly number[]
  week_start: number
}

export const MAX_RRULE = 500
export const MAX_COUNT = 10_000
const MAX_INTERVAL = 1000
const MAX_LIST = 100

/** What is wrong, in words that follow “rrule”. */
export interface Fault {
  fault: string
}

const whole = (text: string, most: number): number | null => {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  return value >= 1 && value <= most ? value : null
}

/**
 * Whole numbers from 1 to `most`, and from -1 to -most if `negative`; null: the text has others.
 */
function numbers(text: string, most: number, negative: boolean): number[] | null {
  const values = text.split(',').map((one) => (/^[+-]?\d{1,3}$/.test(one) ? Number(one) : 0))
  const fits = (value: number): boolean => value !== 0 && Math.abs(value) <= most && (negative || value > 0)
  return values.length <= MAX_LIST && values.every(fits) ? values : null
}

function weekdays(text: string): ByDay[] | null {
  const days: ByDay[] = []
  for (const one of text.split(',')) {
    const [, nth = '', name = ''] = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(one) ?? []
    if (name === '' || (nth !== '' && (Number(nth) === 0 || Math.abs(Number(nth)) > 53))) return null
    days.push({ weekday: WEEKDAYS.indexOf(name), nth: nth === '' ? null : Number(nth) })
  }
  return days.length <= MAX_LIST ? days : null
}

const UNTIL = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?$/

function untilOf(text: string): Rule['until'] {
  const found = UNTIL.exec(text)
  if (!found) return null
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map((part) => Number(part ?? 0))
  const at = Date.UTC(year, month - 1, date, hour, minute, second)
  // Date.UTC carries a month or an hour that is too large over to the next unit.
  if (new Date(at).toISOString().slice(0, 10) !== `${found[1]}-${found[2]}-${found[3]}` || hour > 23 || minute > 59 || second > 59)
    return null
  return found[4] === undefined ? { day: at / DAY_MS } : { at }
}

interface Parts {
  [name: string]: string | undefined
}

function partsOf(text: string): Parts | Fault {
  if (text.length > MAX_RRULE) return { fault: `must have at most ${MAX_RRULE} characters` }
  const parts: Parts = Object.create(null)
  for (const part of text
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .split(';')) {
    const [, name, value] = /^([A-Z]+)=([A-Z0-9,+-]+)$/.exec(part) ?? []
    if (name === undefined || value === undefined) return { fault: 'must be parts as in FREQ=WEEKLY;BYDAY=SU, with ; between them' }
    if (parts[name] !== undefined) return { fault: `has ${name} twice` }
    parts[name] = value
  }
  return parts
}

const known = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'BYSETPOS', 'WKST']

/** Never throws. */
export function parseRule(text: string): Rule | Fault {
  const parts = partsOf(text)
  if ('fault' in parts && typeof parts.fault === 'string') return { fault: parts.fault }
  const { FREQ, INTERVAL = '1', COUNT, UNTIL: end, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST = 'MO' } = parts as Parts
  const unknown = Object.keys(parts).find((name) => !known.includes(name))
  if (unknown !== undefined) return { fault: `has ${unknown}, which windows do not know` }
  const frequency = frequencies.find((one) => one === FREQ)
  if (!frequency) return { fault: `must have FREQ with one of ${frequencies.join(', ')}` }
  const interval = whole(INTERVAL, MAX_INTERVAL)
  if (interval === null) return { fault: `must have an INTERVAL of 1 to ${MAX_INTERVAL}` }
  const count = COUNT === undefined ? null : whole(COUNT, MAX_COUNT)
  if (COUNT !== undefined && count === null) return { fault: `must have a COUNT of 1 to ${MAX_COUNT}` }
  const until = end === undefined ? null : untilOf(end)
  if (end !== undefined && until === null) return { fault: 'must have UNTIL as in 20270131 or 20270131T235959Z' }
  if (count !== null && until !== null) return { fault: 'has both COUNT and UNTIL' }
  const days = BYDAY === undefined ? [] : weekdays(BYDAY)
  if (!days) return { fault: 'must have BYDAY as in MO,TH or 2TU,-1FR' }
  if (days.some(({ nth }) => nth !== null) && frequency !== 'MONTHLY' && frequency !== 'YEARLY')
    return { fault: 'counts weekdays in BYDAY, which is for MONTHLY and YEARLY' }
  const month_days = BYMONTHDAY === undefined ? [] : numbers(BYMONTHDAY, 31, true)
  if (!month_days) return { fault: 'must have BYMONTHDAY of 1 to 31 or -1 to -31' }
  if (month_days.length > 0 && frequency === 'WEEKLY') return { fault: 'has BYMONTHDAY, which is not for WEEKLY' }
  const months = BYMONTH === undefined ? [] : numbers(BYMONTH, 12, false)
  if (!months) return { fault: 'must have BYMONTH of 1 to 12' }
  const positions = BYSETPOS === undefined ? [] : numbers(BYSETPOS, 366, true)
  if (!positions) return { fault: 'must have BYSETPOS of 1 to 366 or -1 to -366' }
  if (positions.length > 0 && (frequency === 'DAILY' || frequency === 'WEEKLY'))
    return { fault: 'has BYSETPOS, which is for MONTHLY and YEARLY' }
  if (positions.length > 0 && days.length + month_days.length + months.length === 0)
    return { fault: 'has BYSETPOS without another BY part' }
  const week_start = WEEKDAYS.indexOf(WKST)
  if (week_start < 0) return { fault: 'must have WKST with a weekday, as in MO' }
  return { frequency, interval, count, until, days, month_days, months, positions, week_start }
}

interface Civil {
  year: number
  /** 1 to 12. */
  month: number
  date: number
  /** 0 is Monday. */
  weekday: number
}

function civilOf(day: number): Civil {
  const at = new Date(day * DAY_MS)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate(), weekday: (at.getUTCDay() + 6) % 7 }
}

const dayAt = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date) / DAY_MS
const monthLength = (year: number, month: number): number => dayAt(year, month + 1, 1) - dayAt(year, month, 1)

/** Fills in from the first date what the rule leaves out. */
function completed(rule: Rule, first: Civil): Rule {
  const { frequency, days, month_days, months } = rule
  if (days.length + month_days.length > 0) return rule
  if (frequency === 'WEEKLY') return { ...rule, days: [{ weekday: first.weekday, nth: null }] }
  if (frequency === 'MONTHLY') return { ...rule, month_days: [first.date] }
  if (frequency === 'YEARLY') return { ...rule, month_days: [first.date], months: months.length > 0 ? months : [first.month] }
  return rule
}

/**
 * Whether the day is the nth of its weekday in its month, or in its year if a YEARLY rule names no
 * months.
 */
function isNth(nth: number, { frequency, months }: Rule, day: number, { year, month }: Civil): boolean {
  const ofYear = frequency === 'YEARLY' && months.length === 0
  const begin = ofYear ? dayAt(year, 1, 1) : dayAt(year, month, 1)
  const end = ofYear ? dayAt(year + 1, 1, 1) : begin + monthLength(year, month)
  return nth > 0 ? Math.floor((day - begin) / 7) + 1 === nth : Math.floor((end - 1 - day) / 7) + 1 === -nth
}

function admits(rule: Rule, day: number): boolean {
  const civil = civilOf(day)
  const { year, month, date, weekday } = civil
  if (rule.months.length > 0 && !rule.months.includes(month)) return false
  const { month_days, days } = rule
  if (month_days.length > 0 && !month_days.includes(date) && !month_days.includes(date - monthLength(year, month) - 1)) return false
  return days.length === 0 || days.some((one) => one.weekday === weekday && (one.nth === null || isNth(one.nth, rule, day, civil)))
}

/** Begin and end (exclusive) of the period that is `index` periods after that of `first`. */
function periodAt({ frequency, week_start }: Rule, first: number, index: number): [number, number] {
  const { year, month, weekday } = civilOf(first)
  switch (frequency) {
    case 'DAILY':
      return [first + index, first + index + 1]
    case 'WEEKLY': {
      const begin = first - ((weekday - week_start + 7) % 7) + 7 * index
      return [begin, begin + 7]
    }
    case 'MONTHLY':
      return [dayAt(year, month + index, 1), dayAt(year, month + index + 1, 1)]
    case 'YEARLY':
      return [dayAt(year + index, 1, 1), dayAt(year + index + 1, 1, 1)]
  }
}

/** The longest length of a period, in days. Dividing by it skips no period that reaches `from`. */
const LONGEST: Record<Frequency, number> = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 }

function setOf(rule: Rule, first: number, index: number): number[] {
  const [begin, end] = periodAt(rule, first, index)
  const set: number[] = []
  for (let day = begin; day < end; day++) if (admits(rule, day)) set.push(day)
  if (rule.positions.length === 0) return set
  return set.filter((_, at) => rule.positions.includes(at + 1) || rule.positions.includes(at - set.length))
}

/**
 * Yields dates from `from` on and before `to`, in order. `first`: the first date that the rule may
 * have. The caller applies an UNTIL that is an instant, because the caller knows the time of day.
 */
export function* datesOf(given: Rule, first: number, from: number, to: number): Generator<number> {
  const rule = completed(given, civilOf(first))
  const { interval, count, until } = rule
  // With a COUNT, all earlier dates must be counted, so start at the first period.
  const passed = count === null ? Math.floor(Math.max(0, from - first) / LONGEST[rule.frequency]) - 1 : 0
  const last = until !== null && 'day' in until ? Math.min(until.day, to - 1) : to - 1
  let left = count ?? Number.POSITIVE_INFINITY
  for (let index = Math.max(0, Math.floor(passed / interval)) * interval; ; index += interval) {
    const [begin] = periodAt(rule, first, index)
    if (begin > last) return
    for (const day of setOf(rule, first, index)) {
      if (day < first) continue
      if (day > last || left === 0) return
      left -= 1
      if (day >= from) yield day
    }
    if (left === 0) return
  }
}
