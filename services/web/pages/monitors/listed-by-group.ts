/** The rows of the list of monitors, with or without a heading over each group. Pure. */
import type { Monitor, MonitorGroup } from '../../api/shapes.ts'

/**
 * A monitor, or the heading of a group. If `monitor` and `group` are both null, it is the heading
 * of the monitors without a group.
 */
export type ListedMonitor = { id: string; monitor: Monitor; group: null } | { id: string; monitor: null; group: MonitorGroup | null }

const rowOf = (monitor: Monitor): ListedMonitor => ({ id: monitor.id, monitor, group: null })

/**
 * Returns the rows. Within a group the monitors keep their order. A group without any shown monitor
 * has no heading.
 */
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
