/** What the notifier and the process that reads calendars say to each other. */
import type { CalendarQuestion, CalendarReading } from '../../streams/on-call/calendar-events.ts'

export interface CalendarTask extends Omit<CalendarQuestion, 'zones'> {
  /** The text of the calendar. */
  text: string
}

/** `unreadable`: why the calendar cannot be read, for people. `failed`: our own fault. */
export type CalendarAnswer = { ready: true } | { reading: CalendarReading } | { unreadable: string } | { failed: Error }
