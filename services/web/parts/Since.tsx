/**
 * How long ago, or in how long, in words that update by themselves. The title shows the exact
 * instant in the person's zone.
 */
import { useSyncExternalStore } from 'react'
import { serverNow } from '../live/server-clock.ts'
import { timeText } from '../texts/time.ts'
import { clockTime, daySecond, dayTime, exact, hourTime, isSameDay, secondTime } from './clock.ts'
import { durationInWords } from './duration-words.ts'

export { clockTime, daySecond, dayTime, durationInWords, exact, hourTime }

const listeners = new Set<() => void>()
let now = serverNow()
let timer: ReturnType<typeof setInterval> | null = null

/** One clock for all components. It calls its listeners once a second while the page is visible. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    if (document.hidden) return
    now = serverNow()
    for (const one of listeners) one()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
  }
}

/** `just now`, `3 min ago`, `in 20 s`. */
export function relative(at: number, from: number): string {
  const seconds = Math.round((at - from) / 1000)
  if (seconds > 0) return timeText('relative.in', { time: durationInWords(seconds) })
  return seconds > -2 ? timeText('relative.now') : timeText('relative.ago', { time: durationInWords(-seconds) })
}

/** Returns `14:30`, or `Nov 23, 14:30` when `at` is not on the day of `today`. */
export const endTime = (at: string, today: number): string => (isSameDay(at, today) ? hourTime(at) : dayTime(at))

export interface SinceProps {
  at: string
  /** `ago`: 3 min ago, in 20 s; `for`: 3 min. */
  as?: 'ago' | 'for'
}

export function Since({ at, as = 'ago' }: SinceProps) {
  const instant = Date.parse(at)
  // The snapshot is the text, so a row is drawn again only when its words change.
  const words = useSyncExternalStore(subscribe, () => (as === 'ago' ? relative(instant, now) : durationInWords((now - instant) / 1000)))
  return (
    <time dateTime={at} title={exact(at)}>
      {words}
    </time>
  )
}

/** How often a day may begin in some zone, in seconds. */
const DAYS_BEGIN = 900

/** Returns the time for words that name the day only where it is not today's. */
export const useToday = (): number => useNow(DAYS_BEGIN)

/** A time to the second, with its day if that is not today: `14:03:20`, `Nov 22, 14:03:20`. */
export function Second({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exact(at)}>
      {secondTime(at, useToday())}
    </time>
  )
}

/** Returns the current time of the shared clock, in steps of `everySeconds`. */
export function useNow(everySeconds = 1): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now / (everySeconds * 1000)) * everySeconds * 1000)
}
