/**
 * A heartbeat in words: its schedule, its state, its pings. Cron as services/api judges it: five
 * fields, or a name such as @daily.
 */
import { CircleCheck, CirclePlay, CircleQuestionMark, MessageSquareText, OctagonX } from 'lucide-react'
import type { Heartbeat, Ping } from '../../api/shapes.ts'
import { dayTimeIn, decimal, hourTime, isSameDay, ownZone } from '../../parts/clock.ts'
import type { Look } from '../../parts/Status.tsx'

export type Schedule = Heartbeat['schedule']

const UNITS = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1]
] as const

/** `every 5 minutes`, `every day`. */
export function periodInWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? UNITS[4]
  const count = seconds / size
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}

const SHORT = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1]
] as const

/** The whole of it: `4 h 48 min`, `1 min 30 s`; `none` for 0. */
export function spanInWords(seconds: number): string {
  let rest = seconds
  const parts: string[] = []
  for (const [unit, size] of SHORT) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.length === 0 ? 'none' : parts.join(' ')
}

/**
 * The server says `grace` with its next tick, and tells nobody; the clock of the page knows it,
 * too.
 */
export function phaseNow({ phase, next_expected_at }: Pick<Heartbeat, 'phase' | 'next_expected_at'>, now: number): Heartbeat['phase'] {
  return phase === 'on_time' && next_expected_at !== null && Date.parse(next_expected_at) < now ? 'grace' : phase
}

export type Phase = Heartbeat['phase']

/**
 * The worst first. Those that run stand with those that ran: a list does not jump for a job that
 * works.
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

/** The one question of the list: is anything not on time? */
export function answerOf(counts: Counts): string {
  const { missed, failed, grace, unknown, on_time, running, waiting, paused } = counts
  const wrong = [
    missed > 0 && `${missed}\u00a0missed`,
    failed > 0 && `${failed}\u00a0failed`,
    grace > 0 && `${grace}\u00a0late`,
    unknown > 0 && `${unknown}\u00a0unknown`
  ].filter((part) => part !== false)
  if (wrong.length > 0) return wrong.join(', ')
  const well = on_time + running
  if (well > 0) return well === 1 ? '1 heartbeat, on time' : `All ${well} heartbeats on time`
  if (waiting > 0) return waiting === 1 ? '1 heartbeat waits for its first ping' : `${waiting} heartbeats wait for their first ping`
  return paused === 1 ? '1 heartbeat, paused' : `All ${paused} heartbeats are paused`
}

export function pingLook({ kind, exit_code }: Pick<Ping, 'kind' | 'exit_code'>): Look {
  switch (kind) {
    case 'start':
      return { tone: 'info', icon: CirclePlay, word: 'Started' }
    case 'success':
      return { tone: 'good', icon: CircleCheck, word: 'Success' }
    case 'fail':
      return { tone: 'bad', icon: OctagonX, word: 'Failed' }
    case 'log':
      return { tone: 'off', icon: MessageSquareText, word: 'Note' }
    case 'exit':
      return exit_code === 0
        ? { tone: 'good', icon: CircleCheck, word: 'Success, exit 0' }
        : { tone: 'bad', icon: OctagonX, word: `Failed, exit ${exit_code}` }
    case 'unknown':
      return { tone: 'off', icon: CircleQuestionMark, word: 'Unknown' }
  }
}

export const isGood = ({ kind, exit_code }: Pick<Ping, 'kind' | 'exit_code'>): boolean =>
  kind === 'success' || (kind === 'exit' && exit_code === 0)

/** Milliseconds as people say them: `840 ms`, `12.4 s`, `3 min 20 s`. */
export function runInWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${decimal(ms / 1000, 1)} s`
  return spanInWords(Math.round(ms / 1000))
}

export const sources: Readonly<Record<string, string>> = {
  public: 'Public network',
  private: 'Private network',
  loopback: 'This machine'
}

/** `14:00` of today, or with its day. */
export const wallTime = (at: string, now: number): string => (isSameDay(at, now) ? hourTime(at) : dayTimeIn(ownZone(), at))
