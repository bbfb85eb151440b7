/**
 * Checks what a monitor may depend on: monitors that the person who sets it sees, and no cycle.
 * Source: docs/design/api/monitors.md#dependencies.
 */
import { MAX_PARENTS } from '../../../schemas/http/monitors.ts'
import { beginWatching, leadsBack, seenMonitors } from '../../store/dependencies.ts'
import type { Monitor } from '../../store/monitors.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { invalid } from '../http/errors.ts'

/**
 * Returns the parents to store; if `depends_on` is undefined, they stay as they were. Parents that
 * the caller does not see stay, after the others. The workspace must be locked. Throws
 * VALIDATION_FAILED.
 */
export async function chosenParents(
  tx: Tx,
  tenant_id: string,
  { monitor_id, depends_on: before, parents }: Pick<Monitor, 'monitor_id' | 'depends_on' | 'parents'>,
  given: readonly string[] | undefined
): Promise<string[]> {
  if (given === undefined) return before
  const wanted = given.map((id) => id.toLowerCase())
  const seen = await seenMonitors(tx, tenant_id, wanted)
  for (const [at, id] of wanted.entries()) {
    const path = `depends_on[${at}]`
    if (id === monitor_id) throw invalid(path, 'cycle', 'is the monitor itself')
    if (!seen.has(id)) throw invalid(path, 'unknown_monitor', 'is not a monitor of this workspace')
    if (wanted.indexOf(id) < at) throw invalid(path, 'duplicate', 'is listed twice')
  }
  const others = before.filter((id) => !parents.includes(id) && !wanted.includes(id))
  return seeingAll(tx, async (tx) => {
    const there = await seenMonitors(tx, tenant_id, others)
    const all = [...wanted, ...others.filter((id) => there.has(id))]
    if (all.length > MAX_PARENTS)
      throw invalid('depends_on', 'length', `must name at most ${MAX_PARENTS} monitors, also those of other teams`)
    const fresh = all.filter((id) => !before.includes(id))
    const cycle = await leadsBack(tx, tenant_id, monitor_id, fresh)
    if (cycle !== null) throw invalid(`depends_on[${wanted.indexOf(cycle)}]`, 'cycle', 'depends on this monitor itself, or on what does')
    return all
  })
}

/** Returns those of the parents in `after` that are not in `before`. */
export const freshParents = (before: readonly string[], after: readonly string[]): string[] => after.filter((id) => !before.includes(id))

/**
 * Call this last in a transaction in which monitors begin to depend on `parent_ids`. It locks the
 * keys of these: until the commit their incidents wait, and so does everything that the incident
 * fold has read with them, of any workspace.
 */
export async function watchParents(tx: Tx, tenant_id: string, parent_ids: readonly string[]): Promise<void> {
  const distinct = [...new Set(parent_ids)]
  if (distinct.length > 0) await seeingAll(tx, (tx) => beginWatching(tx, tenant_id, distinct))
}
