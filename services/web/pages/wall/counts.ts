/** What the wall board counts. Pure. */
import type { Heartbeat, Monitor } from '../../api/shapes.ts'
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

export function countsOf(waiting: number, ongoing: number, monitors: readonly Monitor[], heartbeats: readonly Heartbeat[]): Counts {
  const watched = monitors.filter(({ status }) => status !== 'paused')
  const expected = heartbeats.filter(({ phase }) => phase !== 'paused' && phase !== 'waiting')
  return {
    waiting,
    ongoing,
    monitors: watched.length,
    up: watched.filter((monitor) => !isTroubled(monitor)).length,
    heartbeats: expected.length,
    onTime: expected.filter(({ status, phase }) => status !== 'missed' && phase !== 'grace' && phase !== 'failed').length
  }
}

/** Red if somebody is needed, amber if something else is wrong, otherwise calm. */
export const moodOf = ({ waiting, ongoing, monitors, up, heartbeats, onTime }: Counts): 'bad' | 'warn' | 'calm' =>
  waiting > 0 ? 'bad' : ongoing > 0 || up < monitors || onTime < heartbeats ? 'warn' : 'calm'
