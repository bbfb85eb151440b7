/** Shifts as bars on a line of time: where each begins and how long it is. Pure. */
import type { ShiftItem } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'
import { dayTimeIn } from './zone-days.ts'

export interface Bar {
  shift: ShiftItem
  /** Percent of the line. */
  left: number
  width: number
  /** The shift began before the line does (`before`), or ends after it (`after`). */
  before: boolean
  after: boolean
}

export interface Line {
  from: number
  to: number
}

/** Returns the place of an instant on the line, in percent. */
export const placeOf = ({ from, to }: Line, at: number): number => ((at - from) / (to - from)) * 100

/** Returns a bar for each shift that touches the line, in the order of the shifts. */
export function barsOf(shifts: readonly ShiftItem[], line: Line): Bar[] {
  return shifts.flatMap((shift): Bar[] => {
    const [starts, ends] = [Date.parse(shift.starts_at), Date.parse(shift.ends_at)]
    if (starts >= line.to || ends <= line.from) return []
    const left = placeOf(line, Math.max(starts, line.from))
    const right = placeOf(line, Math.min(ends, line.to))
    return [{ shift, left, width: right - left, before: starts < line.from, after: ends > line.to }]
  })
}

/**
 * Returns the names of the people on call. For a gap it says so, with the people who are asked in
 * it.
 */
export function whoOf({ user_ids, gap }: Pick<ShiftItem, 'user_ids' | 'gap'>, nameOf: (id: string) => string): string {
  const names = user_ids.map(nameOf).join(', ')
  if (gap) return names === '' ? onCallText('shift.gap') : onCallText('shift.gap_fallback', { names })
  return names === '' ? onCallText('shift.gap') : names
}

/** Says what put somebody on call. */
export function originOf({ origin, layer }: Pick<ShiftItem, 'origin' | 'layer'>): string {
  if (origin === 'layer' && layer !== null) return onCallText('origin.layer', { layer })
  return onCallText(`origin.${origin === 'layer' ? 'unknown' : origin}`)
}

/** Describes a shift in one sentence, for its title and for screen readers. */
export function sentenceOf(shift: ShiftItem, zone: string, nameOf: (id: string) => string): string {
  const values = { who: whoOf(shift, nameOf), from: dayTimeIn(zone, shift.starts_at), to: dayTimeIn(zone, shift.ends_at) }
  return `${onCallText('shift.sentence', values)} (${originOf(shift)})`
}

/** The number of colours in Calendar.module.css. */
export const COLOURS = 8

/**
 * Gives people colours, 1 to 8, in the order in which they first appear, so that neighbours differ.
 */
export function coloursOf(ids: Iterable<string>): ReadonlyMap<string, number> {
  const colours = new Map<string, number>()
  for (const id of ids) if (!colours.has(id)) colours.set(id, (colours.size % COLOURS) + 1)
  return colours
}
