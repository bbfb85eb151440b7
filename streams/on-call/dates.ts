/** Dates as days since 1970-01-01, and times of day as minutes since midnight. */
import type { Weekday } from '../../schemas/http/routing-words.ts'
import { weekdays } from '../../schemas/http/routing-words.ts'
import { DAY_MS } from './zones.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

/** The day of a date; null when the date does not exist. */
export function dayOf(date: string): number | null {
  const found = DATE.exec(date)
  if (!found) return null
  const at = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.getUTCDate() === Number(found[3]) ? at.getTime() / DAY_MS : null
}

/** null: it is no time. */
export function minutesOf(time: string): number | null {
  const found = TIME.exec(time)
  return found ? Number(found[1]) * 60 + Number(found[2]) : null
}

/** Index of the weekday, as in `weekdays`: 0 is Monday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

export const weekdayIndex = (day: Weekday): number => weekdays.indexOf(day)

/** The day of a date in a month. Month 0 is January 1970; `date` is 1 to 28. */
export const dayOfMonth = (month: number, date: number): number => Date.UTC(1970, month, date) / DAY_MS

/** The month of a day, and the date in that month. */
export function monthOf(day: number): { month: number; date: number } {
  const at = new Date(day * DAY_MS)
  return { month: (at.getUTCFullYear() - 1970) * 12 + at.getUTCMonth(), date: at.getUTCDate() }
}
