/** What the wall board counts and says. Pure. */
import type { Heartbeat, Monitor } from '../../api/shapes.ts'
import { wallText } from '../../texts/wall.ts'
import { isTroubled } from '../overview/answer.ts'

export interface Counts {
  /** Incidents that nobody has acknowledged and no silence holds. */
  waiting: number
  ongoing: number
  /** Paused monitors do not count. */
  monitors: number
  up: number
  /** Heartbeats that are paused or never pinged do not count. */
  heartbeats: number
  onTime: number
}

const notOnTime: ReadonlySet<Heartbeat['phase']> = new Set(['grace', 'failed', 'unknown'])

export function countsOf(waiting: number, ongoing: number, monitors: readonly Monitor[], heartbeats: readonly Heartbeat[]): Counts {
  const watched = monitors.filter(({ status }) => status !== 'paused')
  const expected = heartbeats.filter(({ phase }) => phase !== 'paused' && phase !== 'waiting')
  return {
    waiting,
    ongoing,
    monitors: watched.length,
    up: watched.filter((monitor) => !isTroubled(monitor)).length,
    heartbeats: expected.length,
    onTime: expected.filter(({ status, phase }) => status !== 'missed' && !notOnTime.has(phase)).length
  }
}

const isCalm = ({ waiting, ongoing, monitors, up, heartbeats, onTime }: Counts): boolean =>
  waiting === 0 && ongoing === 0 && up === monitors && onTime === heartbeats

/**
 * Red if somebody is needed, amber if something else is wrong or all this may be out of date,
 * otherwise calm.
 */
export function moodOf(counts: Counts, isOld: boolean): 'bad' | 'warn' | 'calm' {
  if (counts.waiting > 0) return 'bad'
  return isCalm(counts) && !isOld ? 'calm' : 'warn'
}

export function answerOf(counts: Counts, isOld: boolean): string {
  const { waiting, ongoing } = counts
  if (waiting > 0) return waiting === 1 ? wallText('answer.one') : wallText('answer.some', { count: waiting })
  if (ongoing > 0) return wallText('answer.taken')
  // Nobody was told of what is wrong, so nobody has it.
  if (!isCalm(counts)) return wallText('answer.unwell')
  return wallText(isOld ? 'answer.calm_then' : 'answer.calm')
}
