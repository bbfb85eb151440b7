/** The rows of the list of monitors: with a head over each group, or without. Pure. */
import type { Monitor, MonitorGroup } from '../../api/shapes.ts'

/** A monitor, or the head of a group; `group` null: the head of those that are in none. */
export type ListedMonitor = { id: string; monitor: Monitor; group: null } | { id: string; monitor: null; group: MonitorGroup | null }

const rowOf = (monitor: Monitor): ListedMonitor => ({ id: monitor.id, monitor, group: null })

/** Within a group in the order that they came in; a group of which none is shown has no head. */
export function listedByGroup(monitors: readonly Monitor[], groups: readonly MonitorGroup[], grouped: boolean): ListedMonitor[] {
  if (!grouped || groups.length === 0) return monitors.map(rowOf)
  const known = new Set(groups.map(({ id }) => id))
  const under = (group: MonitorGroup | null): Monitor[] =>
    monitors.filter(({ group_id }) => (group ? group_id === group.id : group_id === null || !known.has(group_id)))
  return [...groups, null].flatMap((group) => {
    const those = under(group)
    const head: ListedMonitor = { id: `group ${group?.id ?? 'none'}`, monitor: null, group }
    return those.length === 0 ? [] : [head, ...those.map(rowOf)]
  })
}
