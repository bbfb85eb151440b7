/**
 * The address of the calendar that overrides a schedule. It is checked before it is stored, sealed,
 * and shown without its path, because the path gives access to it.
 * Source: docs/design/api/on-call.md#calendar-overrides.
 */
import { calendarPlace } from '../../credentials/calendars.ts'
import { sealForTenant } from '../../credentials/sealing.ts'
import { createAddressGuard } from '../../http/address-guard.ts'
import type { Config } from '../../process/config.ts'
import { endCalendarOverrides } from '../../store/overrides.ts'
import type { Tx } from '../../store/pool.ts'
import { deleteCalendar, type ScheduleCalendar, saveCalendar } from '../../store/schedule-calendars.ts'
import { invalid } from '../http/errors.ts'
import { checkTarget, type TargetRules } from '../http/targets.ts'
import { checkKeepsSecrets } from '../notifications/addresses.ts'
import { shownAddress } from './shapes.ts'

export interface CalendarRules extends TargetRules {
  secretsKey: string
}

export const calendarRules = ({ secretsKey, channelAllowCidrs }: Pick<Config, 'secretsKey' | 'channelAllowCidrs'>): CalendarRules => ({
  secretsKey,
  guard: createAddressGuard({ open: channelAllowCidrs, closed: [], own: [] }),
  allowHttp: channelAllowCidrs.length > 0
})

/** Null host: the calendar is removed. */
export type CalendarChange = { host: string; url: string } | { host: null }

const PATH = 'ical_overrides_url'

async function judged(text: string, rules: CalendarRules): Promise<{ host: string; url: string }> {
  const address = text.replace(/^webcal:/i, 'https:')
  if (!URL.canParse(address)) throw invalid(PATH, 'format', 'must be a URL')
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') throw invalid(PATH, 'format', 'must not name a user')
  await checkTarget(PATH, address, rules)
  return { host: url.host, url: url.href }
}

/** Returns what a request changes; null: nothing. Throws VALIDATION_FAILED. */
export async function calendarChange(
  before: ScheduleCalendar | null,
  given: string | null | undefined,
  rules: CalendarRules
): Promise<CalendarChange | null> {
  if (given === undefined) return null
  if (given === null) return before && { host: null }
  if (before && given === shownAddress(before)) return null
  checkKeepsSecrets(rules.secretsKey)
  return judged(given, rules)
}

/**
 * Must run inside `changing`, at that instant (epoch ms). Overrides that came from a removed
 * calendar end.
 */
export async function saveCalendarChange(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  change: CalendarChange,
  { at, rules }: { at: number; rules: CalendarRules }
): Promise<void> {
  if (change.host !== null) {
    const url = sealForTenant(rules.secretsKey, calendarPlace(tenant_id, schedule_id), change.url)
    return saveCalendar(tx, tenant_id, schedule_id, { host: change.host, url })
  }
  await deleteCalendar(tx, tenant_id, schedule_id)
  await endCalendarOverrides(tx, tenant_id, schedule_id, at)
}
