/**
 * Writes the schedule of a heartbeat for other programs: cron and Kubernetes, and systemd's
 * calendar.
 *
 * Source: crontab(5), systemd.time(7).
 */
import type { Heartbeat } from '../../api/shapes.ts'

type Schedule = Heartbeat['schedule']

/** cron does not know `L`, `W` and `#`. */
const PLAIN = /^[\d*,/a-z\s-]+$/i
const SPECIAL = /(^|[\s,\d])L(?![a-z])|\dW|#/i
const isPlain = (expression: string): boolean => PLAIN.test(expression) && !SPECIAL.test(expression)

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *'
}

/**
 * Returns five cron fields that run the job when it is expected. Null when cron cannot express the
 * schedule.
 */
export function toCron({ kind, period_seconds = 0, expression = '' }: Schedule): string | null {
  if (kind === 'cron') {
    const written = NICKNAMES[expression.trim().toLowerCase()] ?? expression.trim()
    return isPlain(written) ? withDays(written) : null
  }
  const minutes = period_seconds / 60
  if (minutes === 1) return '* * * * *'
  if (Number.isInteger(minutes) && minutes < 60 && 60 % minutes === 0) return `*/${minutes} * * * *`
  const hours = minutes / 60
  if (hours === 1) return '0 * * * *'
  if (Number.isInteger(hours) && hours < 24 && 24 % hours === 0) return `0 */${hours} * * *`
  if (hours === 24) return '0 3 * * *'
  return hours === 168 ? '0 3 * * 1' : null
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const numbered = (text: string, names: readonly string[], first: number): string => {
  const at = names.indexOf(text.toLowerCase())
  return at < 0 ? text : String(at + first)
}

/**
 * Converts one field: lists keep their commas, `a-b` becomes `a..b`, and steps count from the first
 * value.
 */
const calendarField = (field: string, first: number, names: readonly string[] = []): string =>
  field
    .split(',')
    .map((part) => {
      const [range = '*', step] = part.split('/')
      const [from = '', to] = range.split('-').map((end) => numbered(end, names, first))
      const written = range === '*' ? (step === undefined ? '*' : String(first)) : to === undefined ? from : `${from}..${to}`
      return step === undefined ? written : `${written}/${step}`
    })
    .join(',')

/**
 * Returns the days that a part of the field means, from 0 for Sunday. At the end of a range, Sunday
 * is 7.
 */
function daysOf(part: string): number[] {
  const [range = '*', step = '1'] = part.split('/')
  const [from = 0, to = from] = range === '*' ? [0, 6] : range.split('-').map((end) => Number(numbered(end, WEEKDAYS, 0)))
  const days: number[] = []
  for (let day = from; day <= (to < from ? to + 7 : to); day += Number(step)) days.push(day)
  return days
}

/**
 * Names the days of parts that reach Sunday as day 7 one by one: cron refuses `FRI-SUN`, and
 * Kubernetes knows no day 7.
 */
function withDays(expression: string): string {
  const fields = expression.split(/\s+/)
  const parts = (fields.pop() ?? '').split(',').map((part) => {
    const days = daysOf(part)
    return days.includes(7) ? [...new Set(days.map((day) => day % 7))].join(',') : part
  })
  return [...fields, parts.join(',')].join(' ')
}

/** Returns the names of the weekdays that the field means. Null for all of them. */
function weekdaysOf(field: string): string | null {
  if (field === '*') return null
  const meant = new Set(field.split(',').flatMap((part) => daysOf(part).map((day) => day % 7)))
  return [...meant]
    .sort((one, other) => ((one + 6) % 7) - ((other + 6) % 7))
    .map((day) => capital(WEEKDAYS[day] ?? ''))
    .join(',')
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/**
 * Returns the lines of a timer's section that run the job when it is expected. Null when a timer
 * cannot express the schedule.
 */
export function toTimer(schedule: Schedule): string[] | null {
  const { kind, period_seconds = 0, time_zone = 'UTC' } = schedule
  if (kind === 'period') return ['OnActiveSec=0', `OnUnitActiveSec=${period_seconds}s`, 'AccuracySec=1s']
  const cron = toCron(schedule)
  if (cron === null) return null
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = cron.split(/\s+/)
  const days = weekdaysOf(weekday)
  const time = `${clockField(hour)}:${clockField(minute)}:00 ${time_zone}`
  const months = calendarField(month, 1, MONTHS)
  const dated = (named: string | null, of: string): string =>
    `OnCalendar=${named === null ? '' : `${named} `}*-${months}-${calendarField(of, 1)} ${time}`
  // When both day fields are restricted, either may match, so each gets a line. When one begins
  // with *, both must match.
  if (days !== null && !day.startsWith('*') && !weekday.startsWith('*')) return [dated(days, '*'), dated(null, day)]
  return [dated(days, day)]
}

/** Hours and minutes count from 0 and are written with two digits. */
const clockField = (field: string): string => calendarField(field, 0).replace(/(?<![\d/])\d(?!\d)/g, '0$&')
