/** Search parameters in the addresses of the on-call pages. */
import { textOf } from '../../search.ts'
import type { View } from './zone-days.ts'

export interface SchedulesSearch {
  /** An instant; the page shows who was or will be on call then. */
  at?: string
  create?: 'yes'
}

export function schedulesSearch({ at, create }: Record<string, unknown>): SchedulesSearch {
  const instant = Date.parse(textOf(at) ?? '')
  return { ...(!Number.isNaN(instant) && { at: new Date(instant).toISOString() }), ...(create === 'yes' && { create }) }
}

/** Does not use the date functions of the pages, because every first load reads this file. */
const isDate = (text: string): boolean => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // `Date.parse` turns 30 February into 2 March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

export interface ScheduleSearch {
  view?: 'month'
  /** A date in the week or month that is shown; if absent, the present one. */
  day?: string
  /** The person's own zone in place of the schedule's. */
  zone?: 'mine'
}

export const viewOf = ({ view = 'week' }: { view?: View }): View => view

export function scheduleSearch({ view, day, zone }: Record<string, unknown>): ScheduleSearch {
  const date = textOf(day)
  return {
    ...(view === 'month' && { view }),
    ...(date !== undefined && isDate(date) && { day: date }),
    ...(zone === 'mine' && { zone })
  }
}
