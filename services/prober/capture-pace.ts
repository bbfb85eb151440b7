/**
 * How often the answer of a failing monitor is kept: the first of a stretch of failures that has
 * one, then one in a quarter of an hour while it lasts. A monitor that fails every other time
 * begins a new stretch each time, so there is a minute between any two. Each prober has a pace of
 * its own. Pure. Source: docs/design/api/monitors.md#capture.
 */
import type { Result } from '../../schemas/http/prober.ts'

const APART_MS = 60_000
const AGAIN_MS = 15 * 60_000

export interface CapturePace {
  /** By performance.now(), of the last answer that was kept; null: none was. */
  at: number | null
  /** The stretch of failures that lasts has one. */
  hasOne: boolean
}

export const unpaced: CapturePace = { at: null, hasOne: false }

/** `asked`: a person asked for the check, and looks at what it gives. */
export const mayCapture = ({ at, hasOne }: CapturePace, now: number, asked: boolean): boolean =>
  at === null || now - at >= (hasOne && !asked ? AGAIN_MS : APART_MS)

/** After a check. What says nothing of the target ends no stretch. */
export const paceAfter = (pace: CapturePace, outcome: Result['outcome']): CapturePace =>
  pace.hasOne && (outcome === 'success' || outcome === 'degraded') ? { ...pace, hasOne: false } : pace
