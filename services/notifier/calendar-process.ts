/**
 * The entry file of a process that reads external calendars for the notifier, one after the other.
 * A calendar is a program: its rules may have no occurrence, or too many. The notifier ends the
 * process when it takes too long.
 *
 * In: a CalendarTask on the IPC channel. Out: a CalendarAnswer. The process ends when that channel
 * closes, and it holds no credential.
 */
import { readCalendar, UnreadableCalendar } from '../../streams/on-call/calendar-events.ts'
import { tzZones } from '../../streams/on-call/zones.ts'
import { serveParent } from '../process/child.ts'
import type { CalendarAnswer, CalendarTask } from './calendar-frames.ts'

function answer({ text, ...question }: CalendarTask): CalendarAnswer {
  try {
    return { reading: readCalendar(text, { ...question, zones: tzZones }) }
  } catch (error) {
    if (error instanceof UnreadableCalendar) return { unreadable: error.message }
    return { failed: error instanceof Error ? error : new Error('A calendar could not be read', { cause: error }) }
  }
}

const say = (said: CalendarAnswer): void => void process.send?.(said)

serveParent('notifier calendars')
process.on('message', (task) => say(answer(task as CalendarTask)))
say({ ready: true })
