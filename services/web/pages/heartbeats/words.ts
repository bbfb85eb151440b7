/**
 * Puts a heartbeat into words: its schedule, its state, its pings. Cron follows the rules of
 * services/api: five fields, or a name such as @daily.
 */
import { CircleCheck, CirclePlay, CircleQuestionMark, MessageSquareText, OctagonX } from 'lucide-react'
import type { Heartbeat, Ping } from '../../api/shapes.ts'
import { dayTimeIn, decimal, hourTime, isSameDay, ownZone } from '../../parts/clock.ts'
import type { Look } from '../../parts/Status.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'

export type Schedule = Heartbeat['schedule']

const UNITS = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1]
] as const

/** `Every 5 minutes`, `Every day`. */
export function periodInWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? UNITS[4]
  const count = seconds / size
  return count === 1 ? heartbeatsText(`every.${unit}`) : heartbeatsText(`every.${unit}s`, { count })
}

const SHORT = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1]
] as const

/** Returns the exact duration: `4 h 48 min`, `1 min 30 s`. */
export function spanInWords(seconds: number): string {
  let rest = seconds
  const parts: string[] = []
  for (const [unit, size] of SHORT) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.length === 0 ? '0 s' : parts.join(' ')
}

/**
 * Returns the phase at `now`, in epoch ms. The server changes the phase to `grace` only at its next
 * tick and sends no update for it, so the page derives it from its own clock.
 */
export function phaseNow({ phase, next_expected_at }: Pick<Heartbeat, 'phase' | 'next_expected_at'>, now: number): Heartbeat['phase'] {
  return phase === 'on_time' && next_expected_at !== null && Date.parse(next_expected_at) < now ? 'grace' : phase
}

export type Phase = Heartbeat['phase']

/**
 * The sort order, worst first. Running jobs rank the same as jobs that ran, so that the list does
 * not jump when a healthy job starts.
 */
export const ranks: Readonly<Record<Phase, number>> = {
  missed: 0,
  failed: 0,
  grace: 1,
  unknown: 2,
  on_time: 3,
  running: 3,
  waiting: 4,
  paused: 5
}

export type Counts = Readonly<Record<Phase, number>>

export function countPhases(phases: readonly Phase[]): Counts {
  const counts = { missed: 0, failed: 0, grace: 0, unknown: 0, on_time: 0, running: 0, waiting: 0, paused: 0 }
  for (const phase of phases) counts[phase]++
  return counts
}

/** Returns the headline of the list, which says whether anything is not on time. */
export function answerOf(counts: Counts): string {
  const { missed, failed, grace, unknown, on_time, running, waiting, paused } = counts
  const wrong = [
    missed > 0 && heartbeatsText('list.missed', { count: missed }),
    failed > 0 && heartbeatsText('list.failed', { count: failed }),
    grace > 0 && heartbeatsText('list.late', { count: grace }),
    unknown > 0 && heartbeatsText('list.unknown', { count: unknown })
  ].filter((part) => part !== false)
  // Non-breaking spaces keep each number with its word.
  if (wrong.length > 0) return wrong.map((part) => part.replaceAll(' ', '\u00a0')).join(', ')
  const well = on_time + running
  if (well > 0) return well === 1 ? heartbeatsText('list.one_on_time') : heartbeatsText('list.all_on_time', { count: well })
  if (waiting > 0) return waiting === 1 ? heartbeatsText('list.one_waiting') : heartbeatsText('list.all_waiting', { count: waiting })
  return paused === 1 ? heartbeatsText('list.one_paused') : heartbeatsText('list.all_paused', { count: paused })
}

export function pingLook({ kind, exit_code }: Pick<Ping, 'kind' | 'exit_code'>): Look {
  switch (kind) {
    case 'start':
      return { tone: 'info', icon: CirclePlay, word: heartbeatsText('ping.start') }
    case 'success':
      return { tone: 'good', icon: CircleCheck, word: heartbeatsText('ping.success') }
    case 'fail':
      return { tone: 'bad', icon: OctagonX, word: heartbeatsText('ping.fail') }
    case 'log':
      return { tone: 'off', icon: MessageSquareText, word: heartbeatsText('ping.log') }
    case 'exit':
      return exit_code === 0
        ? { tone: 'good', icon: CircleCheck, word: heartbeatsText('ping.exit') }
        : { tone: 'bad', icon: OctagonX, word: heartbeatsText('ping.exit_failed', { code: exit_code ?? '' }) }
    case 'unknown':
      return { tone: 'off', icon: CircleQuestionMark, word: heartbeatsText('ping.unknown') }
  }
}

export const isGood = ({ kind, exit_code }: Pick<Ping, 'kind' | 'exit_code'>): boolean =>
  kind === 'success' || (kind === 'exit' && exit_code === 0)

/**
 * Returns a duration given in milliseconds in a readable form: `840 ms`, `12.4 s`, `3 min 20 s`.
 */
export function runInWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${decimal(ms / 1000, 1)} s`
  return spanInWords(Math.round(ms / 1000))
}

const networks = ['public', 'private', 'loopback'] as const

/** Returns the kind of network that a ping came from: `a public network`. */
export const networkOf = ({ source_class }: Pick<Ping, 'source_class'>): string =>
  heartbeatsText(`network.${networks.find((one) => one === source_class) ?? 'unknown'}`)

/** `14:00` for today; other days include the date. */
export const wallTime = (at: string, now: number): string => (isSameDay(at, now) ? hourTime(at) : dayTimeIn(ownZone(), at))
