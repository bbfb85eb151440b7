/** A group of monitors in words. Pure. */
import type { MonitorGroup } from '../../api/shapes.ts'
import { monitorGroupsText } from '../../texts/monitor-groups.ts'
import { countedMonitors } from './counted-monitors.ts'

/** `4 monitors, 1 down`. */
export function groupInWords({ monitors: { total, down, degraded, paused } }: Pick<MonitorGroup, 'monitors'>): string {
  const words = [total === 0 ? monitorGroupsText('count.none') : countedMonitors(total)]
  if (down > 0) words.push(monitorGroupsText('count.down', { count: down }))
  if (degraded > 0) words.push(monitorGroupsText('count.degraded', { count: degraded }))
  if (paused > 0) words.push(monitorGroupsText('count.paused', { count: paused }))
  return words.join(', ')
}

/** `2 groups`, `1 of 2 groups need a look`. */
export function groupsAnswer(groups: readonly Pick<MonitorGroup, 'state'>[]): string {
  const count = groups.length
  const bad = groups.filter(({ state }) => state === 'down' || state === 'degraded').length
  if (bad > 0) return monitorGroupsText('groups.answer_bad', { bad, count })
  return count === 1 ? monitorGroupsText('groups.answer_one') : monitorGroupsText('groups.answer', { count })
}
