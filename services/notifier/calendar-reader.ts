/**
 * The notifier's side of the process that reads external calendars (calendar-process.ts). It is a
 * process and not a thread for the reasons of decision 0033. It reads one calendar at a time, in
 * the order in which they came. It is ended when a calendar takes too long, and the next calendar
 * starts another one.
 */
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type CalendarReading, UnreadableCalendar } from '../../streams/on-call/calendar-events.ts'
import { limitTime, processorTime, START, startChild, type TimeLimit } from '../process/child.ts'
import type { Log } from '../process/log.ts'
import type { CalendarAnswer, CalendarTask } from './calendar-frames.ts'

/** A file of 1 MiB needs about half of it. */
const HEAP_MB = 128
/** Limit for one calendar. An ordinary one needs some hundredths of a second. */
const LIMIT: TimeLimit = { processorMs: 3000, clockMs: 30_000 }

/** The calendar took all of its time or memory. The message is for people. */
export class CostlyCalendar extends UnreadableCalendar {}

export interface CalendarProcess {
  /** Rejects with UnreadableCalendar, or with an error that is not the calendar's. */
  read(task: CalendarTask): Promise<CalendarReading>
  /** Ends the process. It starts again when it is needed. */
  end(): void
}

/** The file beside this one, with the same extension, compiled or not. */
const file = fileURLToPath(new URL(`./calendar-process${import.meta.url.slice(-3)}`, import.meta.url))

function start(log: Pick<Log, 'warn'>): ChildProcess {
  // Errors arrive whole.
  const child = startChild(file, HEAP_MB, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' })
  // If an error ends the process, who waits for its answer is told; else the exit event says so.
  child.on('error', (error) => log.warn({ err: error }, 'the process that reads calendars failed'))
  return child
}

const TOO_LONG = new CostlyCalendar('It takes too long to read: rules of its events have no dates, or too many')
const TOO_LARGE = new CostlyCalendar('It takes too much memory to read')

/** Returns what the process says next. Rejects, and ends the process, when it does not in time. */
function heard(child: ChildProcess, limit: TimeLimit): Promise<CalendarAnswer> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      stopClock()
      child.off('message', onMessage).off('exit', onExit).off('error', onError)
      child.unref()
      child.channel?.unref()
      settle()
    }
    const giveUp = (reason: unknown): void => {
      child.kill('SIGKILL')
      end(() => reject(reason))
    }
    const onMessage = (message: unknown): void => end(() => resolve(message as CalendarAnswer))
    const onExit = (code: number | null, by: NodeJS.Signals | null): void => {
      // When memory is used up, the engine aborts (SIGABRT) or the system kills the process.
      const isMemory = by === 'SIGABRT' || by === 'SIGKILL'
      giveUp(isMemory ? TOO_LARGE : new Error(`The process that reads calendars ended (${by ?? code})`))
    }
    const onError = (error: Error): void => giveUp(error)
    const stopClock = limitTime(child.pid, processorTime(child.pid) ?? 0, limit, (isCostly) =>
      giveUp(isCostly ? TOO_LONG : new Error('The process that reads calendars got too little processor time'))
    )
    child.once('message', onMessage).once('exit', onExit).once('error', onError)
    child.ref()
    child.channel?.ref()
  })
}

export function createCalendarProcess(log: Pick<Log, 'warn'>, limit: TimeLimit = LIMIT): CalendarProcess {
  let child: ChildProcess | null = null
  let last: Promise<unknown> = Promise.resolve()

  async function asked(task: CalendarTask): Promise<CalendarAnswer> {
    try {
      if (!child?.connected) {
        child = start(log)
        await heard(child, START)
      }
      const answer = heard(child, limit)
      child.send(task)
      return await answer
    } catch (error) {
      // The process was ended, or cannot be used any more.
      child = null
      throw error
    }
  }

  async function read(task: CalendarTask): Promise<CalendarReading> {
    const said = await asked(task)
    if ('reading' in said) return said.reading
    if ('unreadable' in said) throw new UnreadableCalendar(said.unreadable)
    throw 'failed' in said ? said.failed : new Error('The process that reads calendars spoke out of turn')
  }

  return {
    read(task) {
      const reading = last.then(() => read(task))
      // Whoever asked gets the error. The next calendar is read all the same.
      last = reading.catch(() => undefined)
      return reading
    },
    end() {
      if (child?.connected) child.disconnect()
      child = null
    }
  }
}
