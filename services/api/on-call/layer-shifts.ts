/** Computes what each layer of a schedule gives by itself, for a picture of it. */
import type { ShiftAnswer, ShiftItem } from '../../../schemas/http/on-call.ts'
import type { SchedulePlan } from '../../store/schedule-plans.ts'
import { toShift } from './shapes.ts'

/**
 * Uses the last saved of the versions that count in the span; `plan` may have versions of the days
 * around it. Returns whole turns, without overrides.
 */
export function layerShifts({ plan }: SchedulePlan, schedule_id: string, zone: string, from: number, to: number): ShiftAnswer['layers'] {
  const last = plan.versions
    .filter(({ effective_at }) => effective_at < to)
    .reduce<(typeof plan.versions)[number] | null>((a, b) => (a === null || b.compiled.version > a.compiled.version ? b : a), null)
  if (!last) return []
  const { version, layers } = last.compiled
  return layers.map(({ name, piecesIn }) => ({
    name,
    items: piecesIn(from, to).map(
      ({ starts_at, ends_at, user_ids, turn }): ShiftItem =>
        toShift(schedule_id, zone, {
          ...{ starts_at, ends_at, user_ids, turn, layer: name, origin: 'layer' },
          ...{ override_id: null, fallback: null, schedule_version: version, tzdb: plan.tzdb }
        })
    )
  }))
}
