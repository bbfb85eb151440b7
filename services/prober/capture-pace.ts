/**
 * Decides how often the answer of a failing monitor is kept. In a stretch of failures, the first
 * answer is kept, then one every quarter of an hour. A monitor that fails every other time begins a
 * new stretch each time, so any two kept answers are at least a minute apart. Each prober keeps its
 * own pace. Pure.
 * Source: docs/design/api/monitors.md#capture.
 */
import type { Result } from '../../schemas/http/prober.ts'

const APART_MS = 60_000
const AGAIN_MS = 15 * 60_000

export interface CapturePace {
  /** When the last answer was kept, by performance.now(); null: none was. */
  at: number | null
  /** An answer of the current stretch of failures has been kept. */
  hasOne: boolean
}

export const unpaced: CapturePace = { at: null, hasOne: false }

/** `asked`: a person asked for the check and looks at its result. */
export const mayCapture = ({ at, hasOne }: CapturePace, now: number, asked: boolean): boolean =>
  at === null || now - at >= (hasOne && !asked ? AGAIN_MS : APART_MS)

/** The pace after a check. An outcome that says nothing about the target does not end a stretch. */
export const paceAfter = (pace: CapturePace, outcome: Result['outcome']): CapturePace =>
  pace.hasOne && (outcome === 'success' || outcome === 'degraded') ? { ...pace, hasOne: false } : pace
