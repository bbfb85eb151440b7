/**
 * What a change of a schedule does to the versions that are planned for later. Pure.
 * Source: docs/design/api/on-call.md#s7-1, rule 7.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Definition } from '../../../schemas/http/on-call-words.ts'
import type { ScheduleVersion } from '../../store/schedules.ts'

/** A version to save. Times are epoch ms; null: now. */
export interface Entry {
  effective_at: number | null
  definition: Definition
}

type Planned = Pick<ScheduleVersion, 'version' | 'effective_at' | 'definition'>

/** Returns the planned definition with what the change gives, except in what the plan changes. */
function carriedOver(planned: Definition, before: Definition, after: Definition): Definition {
  const kept = <Field extends keyof Definition>(field: Field): Definition[Field] =>
    isDeepStrictEqual(planned[field], before[field]) ? after[field] : planned[field]
  return {
    time_zone: kept('time_zone'),
    layers: kept('layers'),
    fallback: kept('fallback'),
    notices: kept('notices'),
    min_participants: kept('min_participants')
  }
}

/**
 * Returns the versions for a change that applies now. Planned versions keep their own changes. A
 * planned version that no longer differs from the one before it is dropped.
 */
export function changedNow(before: Definition, after: Definition, planned: readonly Planned[]): Entry[] {
  const entries: Entry[] = [{ effective_at: null, definition: after }]
  for (const { effective_at, definition } of planned) {
    const next = carriedOver(definition, before, after)
    if (!isDeepStrictEqual(next, entries.at(-1)?.definition)) entries.push({ effective_at, definition: next })
  }
  return entries
}

/**
 * Moves the last planned version to another time (epoch ms). What was planned before that time
 * stays; what is in force stays until then.
 */
export function moved(current: Definition, planned: readonly Planned[], to: number): Entry[] {
  const last = planned.at(-1)
  if (!last) return []
  const entry = { effective_at: to, definition: last.definition }
  if (to <= last.effective_at) return [entry]
  return [{ effective_at: null, definition: current }, ...planned.slice(0, -1), entry]
}
