/** A person's own shifts in words. Pure. */
import type { Schedule, ShiftItem } from '../../api/shapes.ts'
import { onCallText } from '../../texts/on-call.ts'
import { dayTimeIn } from './zone-days.ts'

export interface Mine {
  shift: ShiftItem
  schedule: Pick<Schedule, 'id' | 'name' | 'time_zone'>
}

/**
 * Returns the answer of the page. `shifts` are in the order in which they begin; `now` is epoch ms.
 */
export function mineAnswer(shifts: readonly Mine[], now: number, zone: string): string {
  const running = shifts.filter(({ shift }) => Date.parse(shift.starts_at) <= now && now < Date.parse(shift.ends_at))
  const [current] = running
  if (current) {
    const names = [...new Set(running.map(({ schedule }) => schedule.name))]
    if (names.length > 1) return onCallText('mine.answer_several', { names: names.join(', ') })
    return onCallText('mine.answer_now', { name: current.schedule.name, time: dayTimeIn(zone, current.shift.ends_at) })
  }
  const next = shifts.find(({ shift }) => Date.parse(shift.starts_at) > now)
  if (!next) return onCallText('mine.answer_none')
  return onCallText('mine.answer_next', { name: next.schedule.name, time: dayTimeIn(zone, next.shift.starts_at) })
}
