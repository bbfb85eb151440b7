/** The place under which the address of a schedule's calendar is sealed. */
import type { Place } from './sealing.ts'

export const calendarPlace = (tenant_id: string, schedule_id: string): Place => ({
  tenant_id,
  resource: `schedule:${schedule_id}`,
  field: 'ical_overrides_url'
})
