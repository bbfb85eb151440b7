/** Shifts as bars on a line of time: where each begins and how long it is. Pure. */
import type { ShiftItem } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'
import { dayTimeIn } from './zone-days.ts'

export interface Bar {
  shift: ShiftItem
  /** Percent of the line. */
  left: number
  width: number
  /** It began before the line does, or ends after it. */
  before: boolean
  after: boolean
}

export interface Line {
  from: number
  to: number
}

/** Percent of the line at an instant. */
export const placeOf = ({ from, to }: Line, at: number): number => ((at - from) / (to - from)) * 100

/** Those that touch the line, in their order. */
export function barsOf(shifts: readonly ShiftItem[], line: Line): Bar[] {
  return shifts.flatMap((shift): Bar[] => {
    const [starts, ends] = [Date.parse(shift.starts_at), Date.parse(shift.ends_at)]
    if (starts >= line.to || ends <= line.from) return []
    const left = placeOf(line, Math.max(starts, line.from))
    const right = placeOf(line, Math.min(ends, line.to))
    return [{ shift, left, width: right - left, before: starts < line.from, after: ends > line.to }]
  })
}

/** Names of those who are on call; of a gap that it is one, and who is asked in it. */
export function whoOf({ user_ids, gap }: Pick<ShiftItem, 'user_ids' | 'gap'>, nameOf: (id: string) => string): string {
  const names = user_ids.map(nameOf).join(', ')
  if (gap) return names === '' ? onCallText('shift.gap') : onCallText('shift.gap_fallback', { names })
  return names === '' ? onCallText('shift.gap') : names
}

/** By what somebody is on call. */
export function originOf({ origin, layer }: Pick<ShiftItem, 'origin' | 'layer'>): string {
  if (origin === 'layer' && layer !== null) return onCallText('origin.layer', { layer })
  return onCallText(`origin.${origin === 'layer' ? 'unknown' : origin}`)
}

/** A shift in one sentence, for its title and for those who hear the page. */
export function sentenceOf(shift: ShiftItem, zone: string, nameOf: (id: string) => string): string {
  const values = { who: whoOf(shift, nameOf), from: dayTimeIn(zone, shift.starts_at), to: dayTimeIn(zone, shift.ends_at) }
  return `${onCallText('shift.sentence', values)} (${originOf(shift)})`
}

/** As many colours as there are in Calendar.module.css. */
export const COLOURS = 8

/** Colours of people, 1 to 8, by the order in which they first stand: neighbours differ. */
export function coloursOf(ids: Iterable<string>): ReadonlyMap<string, number> {
  const colours = new Map<string, number>()
  for (const id of ids) if (!colours.has(id)) colours.set(id, (colours.size % COLOURS) + 1)
  return colours
}
