/**
 * Creates, changes and deletes a schedule. A change of the definition is a new version that takes
 * effect at an instant which has not passed.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { iso } from '../../../schemas/http/common.ts'
import type { CreateScheduleBody, UpdateScheduleBody } from '../../../schemas/http/on-call.ts'
import { MAX_AHEAD_DAYS, MAX_SCHEDULE_VERSIONS } from '../../../schemas/http/on-call-words.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { actorText, difference, insertAudit } from '../../store/audit.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { tellSchedule } from '../../store/on-call-news.ts'
import type { Tx } from '../../store/pool.ts'
import { deleteCalendar, readCalendars } from '../../store/schedule-calendars.ts'
import { beginHistory, changing, postgresNow } from '../../store/schedule-history.ts'
import {
  countSchedules,
  deleteSchedule,
  insertSchedule,
  insertVersion,
  lastVersionNumber,
  lastVersions,
  readSchedule,
  type Schedule,
  type ScheduleSettings,
  type ScheduleVersion,
  updateSchedule,
  versionsFrom
} from '../../store/schedules.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import { chosenTeam, givenTeam } from '../teams/rules.ts'
import { checkLimit } from '../workspace/limits.ts'
import { type CalendarRules, calendarChange, saveCalendarChange } from './calendar-address.ts'
import { changedDefinition, checkNamed } from './definitions.ts'
import { followLayers } from './override-layers.ts'
import { changedNow, type Entry, moved } from './planned.ts'
import { DAY_MS, shownAddress } from './shapes.ts'
import { instantOf } from './spans.ts'
import { scheduleUses } from './uses.ts'

/** A client's clock and the travel time of its request make `now` look a little earlier. */
const SLACK_MS = 60_000

/** Reads the schedule as the caller sees it. Throws NOT_FOUND. */
export async function seenSchedule(tx: Tx, { tenant_id }: Caller, schedule_id: string): Promise<Schedule> {
  const schedule = await readSchedule(tx, tenant_id, schedule_id.toLowerCase())
  if (!schedule || schedule.deleted_at !== null) throw notFound()
  return schedule
}

export async function lastVersion(tx: Tx, tenant_id: string, schedule_id: string): Promise<ScheduleVersion> {
  const version = (await lastVersions(tx, tenant_id, [schedule_id])).get(schedule_id)
  if (!version) throw new Error('A schedule has no version')
  return version
}

const settingsOf = ({ name, description, team_id, labels }: ScheduleSettings): ScheduleSettings => ({ name, description, team_id, labels })

/** Stores a version of a schedule with its settings and its last definition. */
export async function recordVersion(tx: Tx, { tenant_id, actor }: Pick<Caller, 'tenant_id' | 'actor'>, after: Schedule): Promise<void> {
  const body =
    after.deleted_at === null
      ? { ...settingsOf(after), ...(await lastVersion(tx, tenant_id, after.schedule_id)).definition }
      : { deleted: true }
  await insertConfigVersion(tx, tenant_id, { kind: 'schedule', id: after.schedule_id, version: after.ver, body, actor: actorText(actor) })
}

async function record(tx: Tx, caller: Caller, action: string, after: Schedule, diff: Record<string, [unknown, unknown]> = {}) {
  await insertAudit(tx, caller.tenant_id, caller.actor, { action, object_type: 'schedule', object_id: after.schedule_id, diff })
  await recordVersion(tx, caller, after)
}

export async function create(tx: Tx, caller: Caller, body: CreateScheduleBody, rules: CalendarRules): Promise<Schedule> {
  const { tenant_id, actor } = caller
  await checkLimit(tx, tenant_id, 'schedules', countSchedules)
  const schedule_id = uuidv7()
  const { name, description = '', labels = {} } = body
  const settings = { name, description, labels, team_id: await chosenTeam(tx, caller, 'team_id', body.team_id ?? null) }
  const definition = changedDefinition(null, body)
  await checkNamed(tx, tenant_id, schedule_id, definition, null)
  const now = await postgresNow(tx)
  await insertSchedule(tx, tenant_id, schedule_id, settings, now)
  await insertVersion(tx, tenant_id, schedule_id, { version: 1, effective_at: null, definition, created_by: actorText(actor) })
  await beginHistory(tx, tenant_id, schedule_id, now)
  const calendar = await calendarChange(null, body.ical_overrides_url, rules)
  if (calendar) await saveCalendarChange(tx, tenant_id, schedule_id, calendar, { at: now, rules })
  await tellSchedule(tx, tenant_id, schedule_id, 'created', settings)
  const schedule = await seenSchedule(tx, caller, schedule_id)
  await record(tx, caller, 'schedule.created', schedule)
  return schedule
}

/**
 * Returns when a change takes effect. Throws VALIDATION_FAILED for an instant that has passed. `at`
 * in epoch ms.
 */
function effectiveAt(given: string, at: number): number {
  const wanted = instantOf('effective_at', given)
  if (wanted < at - SLACK_MS) throw invalid('effective_at', 'past', 'is in the past. Past shifts do not change')
  if (wanted > at + MAX_AHEAD_DAYS * DAY_MS) throw invalid('effective_at', 'max', `must be at most ${MAX_AHEAD_DAYS} days from now`)
  return Math.max(wanted, at)
}

/**
 * Returns when a change takes effect; null: the request names no time. What answers say of the
 * definition in force, null or the instant since which it counts, is no time of a change.
 */
function wantedAt(given: string | null | undefined, { effective_at }: Pick<ScheduleVersion, 'effective_at'>, now: number): number | null {
  if (given === undefined || given === null) return null
  if (Number.isFinite(effective_at) && Date.parse(given) === Date.parse(iso(effective_at))) return null
  return effectiveAt(given, now)
}

/** Saves versions in their order. A time before `at` (epoch ms) counts as `at`. */
async function addVersions(tx: Tx, { tenant_id, actor }: Caller, schedule_id: string, at: number, entries: readonly Entry[]) {
  let version = await lastVersionNumber(tx, tenant_id, schedule_id)
  if (version + entries.length > MAX_SCHEDULE_VERSIONS)
    throw new ApiError('CONFLICT', `A schedule has at most ${MAX_SCHEDULE_VERSIONS} versions. Create a new schedule`)
  for (const { effective_at, definition } of entries) {
    version += 1
    const entry = { version, effective_at: Math.max(effective_at ?? at, at), definition, created_by: actorText(actor) }
    await insertVersion(tx, tenant_id, schedule_id, entry)
  }
}

/** `whole`: fields that are not sent are unset. `rules`: for addresses of calendars. */
export async function change(
  tx: Tx,
  request: FastifyRequest,
  schedule_id: string,
  body: UpdateScheduleBody,
  { whole, rules }: { whole: boolean; rules: CalendarRules }
): Promise<Schedule> {
  const caller = callerOf(request)
  const { tenant_id } = caller
  await lockWorkspace(tx, tenant_id)
  const before = await seenSchedule(tx, caller, schedule_id)
  checkIfMatch(request, before.ver)
  const now = await postgresNow(tx)
  const [current, ...planned] = await versionsFrom(tx, tenant_id, before.schedule_id, now)
  if (!current) throw new Error('A schedule has no version')
  const wanted = wantedAt(body.effective_at, current, now)
  const last = planned.at(-1) ?? current
  // Without `effective_at` the definition in force changes; with it, the one that was saved last.
  const base = whole || wanted !== null ? last : current
  const definition = changedDefinition(whole ? null : base.definition, body)
  const rest = whole ? { name: before.name, description: '', labels: {}, team_id: null } : settingsOf(before)
  const { name = rest.name, description = rest.description, labels = rest.labels } = body
  const team_id = await givenTeam(tx, caller, before.team_id, body.team_id === undefined && whole ? null : body.team_id)
  const settings = { name, description, labels, team_id }
  const redefined = !isDeepStrictEqual(definition, base.definition)
  const isElsewhere = wanted !== null && planned.length > 0 && Math.abs(wanted - last.effective_at) >= SLACK_MS
  const moveTo = !redefined && isElsewhere ? wanted : null
  const calendar = (await readCalendars(tx, tenant_id, [before.schedule_id])).get(before.schedule_id) ?? null
  const address = await calendarChange(calendar, whole ? (body.ical_overrides_url ?? null) : body.ical_overrides_url, rules)
  const diff = {
    ...difference(settingsOf(before), settings),
    ...(redefined && difference({ ...base.definition }, { ...definition })),
    ...(moveTo !== null && { effective_at: [iso(last.effective_at), iso(moveTo)] as [unknown, unknown] }),
    ...(address && {
      ical_overrides_url: [calendar && shownAddress(calendar), address.host && shownAddress({ host: address.host })] as [unknown, unknown]
    })
  }
  if (Object.keys(diff).length === 0) return before
  await checkNamed(tx, tenant_id, before.schedule_id, definition, base.definition)
  await changing(tx, tenant_id, before.schedule_id, 'updated', async (at) => {
    await updateSchedule(tx, tenant_id, before.schedule_id, settings)
    if (address) await saveCalendarChange(tx, tenant_id, before.schedule_id, address, { at, rules })
    if (moveTo !== null) await addVersions(tx, caller, before.schedule_id, at, moved(current.definition, planned, moveTo))
    const replacing = [{ effective_at: wanted, definition }]
    const entries = whole || wanted !== null ? replacing : changedNow(current.definition, definition, planned)
    if (redefined) await addVersions(tx, caller, before.schedule_id, at, entries)
    await followLayers(tx, tenant_id, before.schedule_id, [current, ...planned], at)
  })
  // If the new team hid it from the caller, they would lose the schedule: chosenTeam refuses that.
  const after = await seenSchedule(tx, caller, before.schedule_id)
  await record(tx, caller, 'schedule.updated', after, diff)
  return after
}

export async function remove(tx: Tx, request: FastifyRequest, schedule_id: string): Promise<void> {
  const caller = callerOf(request)
  const { tenant_id } = caller
  await lockWorkspace(tx, tenant_id)
  const schedule = await seenSchedule(tx, caller, schedule_id)
  checkIfMatch(request, schedule.ver)
  const uses = await scheduleUses(tx, tenant_id, schedule.schedule_id, await postgresNow(tx))
  if (uses.length > 0)
    throw new ApiError('IN_USE', `The schedule is used ${uses.length} times. Remove it there first`, {
      details: uses.slice(0, 20).map(({ kind, id, name }) => ({ path: kind, rule: 'in_use', message: name, id }))
    })
  await changing(tx, tenant_id, schedule.schedule_id, 'deleted', async (at) => {
    await deleteCalendar(tx, tenant_id, schedule.schedule_id)
    await deleteSchedule(tx, tenant_id, schedule.schedule_id, at)
  })
  await record(tx, caller, 'schedule.deleted', { ...schedule, ver: schedule.ver + 1, deleted_at: Date.now() })
}
