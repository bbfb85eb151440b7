/** Puts maintenance windows into words. Pure. */
import { CalendarClock, CircleSlash, History, Wrench } from 'lucide-react'
import type { WindowState } from '../../../../schemas/http/maintenance-words.ts'
import type { MaintenanceWindow } from '../../api/shapes.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import type { Look } from '../../parts/Status.tsx'
import { maintenanceText } from '../../texts/maintenance.ts'
import { weekdayName } from '../on-call/zone-days.ts'
import { WEEKDAYS, weeklyDays } from './weekly-days.ts'

export const windowLooks: Readonly<Record<WindowState, Look>> = {
  active: { tone: 'info', icon: Wrench, word: maintenanceText('state.active') },
  scheduled: { tone: 'off', icon: CalendarClock, word: maintenanceText('state.scheduled') },
  ended: { tone: 'off', icon: History, word: maintenanceText('state.ended') },
  cancelled: { tone: 'off', icon: CircleSlash, word: maintenanceText('state.cancelled') }
}

const counted = (one: 'monitor' | 'heartbeat' | 'integration', count: number): string[] =>
  count === 0 ? [] : [count === 1 ? maintenanceText(`scope.${one}`) : maintenanceText(`scope.${one}s`, { count })]

export function scopeInWords({ all, monitor_ids, heartbeat_ids, integration_ids, tags, matchers }: MaintenanceWindow['scope']): string {
  if (all) return maintenanceText('scope.all')
  return [
    ...counted('monitor', monitor_ids.length),
    ...counted('heartbeat', heartbeat_ids.length),
    ...counted('integration', integration_ids.length),
    ...(tags.length === 0 ? [] : [maintenanceText(tags.length === 1 ? 'scope.tag' : 'scope.tags', { tags: tags.join(', ') })]),
    ...(matchers.length === 0
      ? []
      : [matchers.length === 1 ? maintenanceText('scope.matcher') : maintenanceText('scope.matchers', { count: matchers.length })])
  ].join(', ')
}

function oftenInWords(rrule: string): string {
  if (rrule === 'FREQ=DAILY') return maintenanceText('often.daily')
  const days = weeklyDays(rrule)
  if (days) return maintenanceText('often.weekly', { days: days.map((day) => weekdayName(WEEKDAYS.indexOf(day))).join(', ') })
  return maintenanceText('often.rule', { rule: rrule })
}

/** Says when a window recurs. Null when it does not. */
export function recurrenceInWords({ kind, rrule, at, time_zone, duration_minutes }: MaintenanceWindow['schedule']): string | null {
  if (kind === 'once' || rrule === null) return null
  const time = durationInWords((duration_minutes ?? 0) * 60)
  return maintenanceText('often.at', { often: oftenInWords(rrule), at: at ?? '', zone: time_zone ?? '', time })
}
