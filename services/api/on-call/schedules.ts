/**
 * On-call schedules and their shifts. A private team's schedule does not exist for people who do
 * not see the team: row-level security leaves it out.
 * Source: docs/design/api/on-call.md#oc-1 to #oc-6.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { envelope, Id } from '../../../schemas/http/common.ts'
import {
  AsOfQuery,
  CreateScheduleBody,
  CreateScheduleQuery,
  type ScheduleDetail as Detail,
  ReplaceScheduleBody,
  ScheduleDetail,
  ScheduleList,
  SchedulePreview,
  ScheduleQuery,
  ShiftAnswer,
  type ShiftItem,
  ShiftQuery,
  UpdateScheduleBody
} from '../../../schemas/http/on-call.ts'
import { MAX_SHIFT_DAYS } from '../../../schemas/http/on-call-words.ts'
import { isVisible } from '../../../schemas/http/visibility.ts'
import { compileVersion, finalShifts, type Plan } from '../../../streams/on-call/timeline.ts'
import { membersAmong } from '../../store/members.ts'
import { keyedTransaction, seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import { readCalendars } from '../../store/schedule-calendars.ts'
import { postgresNow } from '../../store/schedule-history.ts'
import { loadPlans, type SchedulePlan, timelineOf, zoneData } from '../../store/schedule-plans.ts'
import { lastVersions, listSchedules, peopleOf, readSchedule, type Schedule, settingsAt, versionAt } from '../../store/schedules.ts'
import { readSight } from '../../store/teams.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { csvOf } from '../http/csv.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { chosenTeam } from '../teams/rules.ts'
import { calendarRules } from './calendar-address.ts'
import { calendarText } from './calendars.ts'
import { change, create, lastVersion, remove, seenSchedule } from './change.ts'
import { changedDefinition, checkNamed } from './definitions.ts'
import { layerShifts } from './layer-shifts.ts'
import { missingLayers } from './override-layers.ts'
import { comingShifts, comingSpan, DAY_MS, toDetail, toItem, toShift } from './shapes.ts'
import { instantNear, spanAhead } from './spans.ts'
import { scheduleWarnings } from './warnings.ts'
import { wholeShiftsOf } from './whole-shifts.ts'

const Params = Type.Object({ id: Id })
const WARNED_MS = 28 * DAY_MS
const PREVIEW_MS = 35 * DAY_MS
const DEFAULT_SHIFT_DAYS = 14

async function planOf(tx: Tx, tenant_id: string, schedule_id: string, span: { from: number; to: number }): Promise<SchedulePlan> {
  const plan = (await loadPlans(tx, tenant_id, [schedule_id], span)).get(schedule_id)
  if (!plan) throw notFound()
  return plan
}

async function shown(tx: Tx, schedule: Schedule): Promise<Detail> {
  const { tenant_id, schedule_id, team_id } = schedule
  const now = await postgresNow(tx)
  const version = await lastVersion(tx, tenant_id, schedule_id)
  const plan = await planOf(tx, tenant_id, schedule_id, comingSpan(now))
  const warnings = await scheduleWarnings(tx, tenant_id, team_id, version.definition, timelineOf(plan, now, now + WARNED_MS))
  for (const name of await missingLayers(tx, tenant_id, schedule_id, now))
    warnings.push({ code: 'idle_override', path: 'layers', message: `Overrides of the layer “${name}” do nothing: it is not there then` })
  const calendar = (await readCalendars(tx, tenant_id, [schedule_id])).get(schedule_id) ?? null
  return toDetail(schedule, version, plan, warnings, now, { calendar })
}

/**
 * Shows the schedule as it was at an instant: with its settings, definition and zone data of that
 * time, and shifts since it was created. Its former team may be hidden from the caller now.
 */
async function shownAt(tx: Tx, { tenant_id }: Caller, id: string, at: number): Promise<Detail> {
  const schedule = await readSchedule(tx, tenant_id, id.toLowerCase())
  if (!schedule || at < schedule.created_at || (schedule.deleted_at !== null && at >= schedule.deleted_at)) throw notFound()
  const version = await versionAt(tx, tenant_id, schedule.schedule_id, at)
  if (!version) throw notFound()
  const { schedule_id, created_at } = schedule
  // Only auditors see versions; but the caller sees this schedule, so they may see what it was.
  const then = { ...schedule, ...(await seeingAll(tx, (tx) => settingsAt(tx, tenant_id, schedule_id, at))) }
  const seen = isVisible(await readSight(tx), { team_id: then.team_id, visibility: 'org' })
  const plan = await planOf(tx, tenant_id, schedule_id, comingSpan(at))
  const tzdb_version = timelineOf(plan, at, at + 1)[0]?.tzdb ?? zoneData.tzdb
  const detail = toDetail({ ...then, team_id: seen ? then.team_id : null }, version, plan, [], at, { since: created_at, calendar: null })
  return { ...detail, tzdb_version }
}

async function preview(tx: Tx, caller: Caller, body: CreateScheduleBody) {
  const { tenant_id } = caller
  const team_id = await chosenTeam(tx, caller, 'team_id', body.team_id ?? null)
  const definition = changedDefinition(null, body)
  await checkNamed(tx, tenant_id, '', definition, null)
  const now = await postgresNow(tx)
  const here = await membersAmong(tx, tenant_id, peopleOf(definition))
  const plan: Plan = {
    versions: [{ effective_at: -Infinity, compiled: compileVersion(1, definition, zoneData.zones) }],
    overrides: [],
    tzdb: zoneData.tzdb,
    present: (user_id) => here.has(user_id)
  }
  const shifts = finalShifts(plan, now, now + PREVIEW_MS)
  const warnings = await scheduleWarnings(tx, tenant_id, team_id, definition, shifts)
  return { shifts: shifts.map((shift) => toShift(tenant_id, definition.time_zone, shift)), warnings }
}

function sendCsv(reply: FastifyReply, items: readonly ShiftItem[]): string {
  reply.header('content-disposition', 'attachment; filename="shifts.csv"').type('text/csv; charset=utf-8')
  return csvOf(items.map((item) => ({ ...item, user_ids: item.user_ids.join(' ') })))
}

const formats = {
  content: {
    'application/json': { schema: ShiftAnswer },
    'text/csv': { schema: Type.String() },
    'text/calendar': { schema: Type.String() }
  }
}

export const scheduleRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const rules = calendarRules(config)
    app.route({
      ...on('listSchedules', { querystring: ScheduleQuery, response: { 200: ScheduleList } }),
      handler: (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const page = pageOf(request.query)
        return tenantTransaction(pool, caller, async (tx) => {
          const { items, total } = await listSchedules(tx, tenant_id, request.query, page)
          const now = await postgresNow(tx)
          const ids = items.map(({ schedule_id }) => schedule_id)
          const versions = await lastVersions(tx, tenant_id, ids)
          const plans = await loadPlans(tx, tenant_id, ids, comingSpan(now))
          const calendars = await readCalendars(tx, tenant_id, ids)
          const shown = items.flatMap((schedule) => {
            const [version, plan] = [versions.get(schedule.schedule_id), plans.get(schedule.schedule_id)]
            if (!version || !plan) return []
            const calendar = calendars.get(schedule.schedule_id) ?? null
            return [toItem(schedule, version, comingShifts(plan, now), now, calendar)]
          })
          return envelope(shown, total, page)
        })
      }
    })

    app.route({
      ...on('createSchedule', {
        querystring: CreateScheduleQuery,
        body: CreateScheduleBody,
        response: { 200: SchedulePreview, 201: ScheduleDetail }
      }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        if (request.query.preview)
          return reply.code(200).send(await tenantTransaction(pool, caller, (tx) => preview(tx, caller, request.body)))
        const schedule = await keyedTransaction(pool, caller, async (tx) => shown(tx, await create(tx, caller, request.body, rules)))
        return reply.code(201).header('etag', `"${schedule.version}"`).send(schedule)
      }
    })

    app.route({
      ...on('readSchedule', { params: Params, querystring: AsOfQuery, response: { 200: ScheduleDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { as_of } = request.query
        const schedule = await keyedTransaction(pool, caller, async (tx) =>
          as_of === undefined
            ? shown(tx, await seenSchedule(tx, caller, request.params.id))
            : shownAt(tx, caller, request.params.id, instantNear('as_of', as_of, Date.now()))
        )
        return reply.header('etag', `"${schedule.version}"`).send(schedule)
      }
    })

    app.route({
      ...on('updateSchedule', { params: Params, body: UpdateScheduleBody, response: { 200: ScheduleDetail } }),
      handler: async (request, reply) => {
        const schedule = await keyedTransaction(pool, callerOf(request), async (tx) =>
          shown(tx, await change(tx, request, request.params.id, request.body, { whole: false, rules }))
        )
        return reply.header('etag', `"${schedule.version}"`).send(schedule)
      }
    })

    app.route({
      ...on('replaceSchedule', { params: Params, body: ReplaceScheduleBody, response: { 200: ScheduleDetail } }),
      handler: async (request, reply) => {
        const schedule = await keyedTransaction(pool, callerOf(request), async (tx) =>
          shown(tx, await change(tx, request, request.params.id, request.body, { whole: true, rules }))
        )
        return reply.header('etag', `"${schedule.version}"`).send(schedule)
      }
    })

    app.route({
      ...on('deleteSchedule', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        await tenantTransaction(pool, callerOf(request), (tx) => remove(tx, request, request.params.id))
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('listShifts', { params: Params, querystring: ShiftQuery, response: { 200: formats } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { user_id, layer = 'final', format = 'json' } = request.query
        const { from, to } = spanAhead(request.query, Date.now(), { default_days: DEFAULT_SHIFT_DAYS, most_days: MAX_SHIFT_DAYS })
        return keyedTransaction(pool, caller, async (tx) => {
          const schedule = await seenSchedule(tx, caller, request.params.id)
          const { schedule_id, tenant_id } = schedule
          const zone = (await lastVersion(tx, tenant_id, schedule_id)).definition.time_zone
          const whole = (await wholeShiftsOf(tx, tenant_id, [schedule_id], from, to)).get(schedule_id)
          if (!whole) throw notFound()
          const shifts = whole.shifts.filter(({ user_ids }) => user_id === undefined || user_ids.includes(user_id.toLowerCase()))
          const items = shifts.map((shift) => toShift(schedule_id, zone, shift))
          if (format === 'csv') return sendCsv(reply, items)
          if (format === 'ics') {
            reply.header('content-disposition', 'attachment; filename="shifts.ics"').type('text/calendar; charset=utf-8')
            return calendarText(tx, tenant_id, schedule.name, [{ schedule, items }])
          }
          const layers = layer === 'all' ? layerShifts(whole.plan, schedule_id, zone, from, to) : []
          return { items, layers }
        })
      }
    })
  }
