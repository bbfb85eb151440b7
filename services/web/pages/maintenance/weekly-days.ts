/** The days of a rule that repeats weekly. Pure. */

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** Returns the days of a plain weekly rule. Null for any other rule. */
export function weeklyDays(rrule: string): Weekday[] | null {
  const [, days = ''] = /^FREQ=WEEKLY;BYDAY=((?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:MO|TU|WE|TH|FR|SA|SU))*)$/.exec(rrule) ?? []
  return days === '' ? null : WEEKDAYS.filter((day) => days.split(',').includes(day))
}
