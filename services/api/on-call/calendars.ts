/**
 * Calendar feeds: an address with a secret, for a schedule or for the shifts of a person. A feed
 * shows what its person sees, for as long as they belong to the workspace and may read.
 * Source: docs/design/api/on-call.md#oc-21 to #oc-23.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { CalendarLink, CalendarLinkList, CalendarLinkQuery, CreateCalendarLinkBody, type ShiftItem } from '../../../schemas/http/on-call.ts'
import { MAX_CALENDAR_LINKS } from '../../../schemas/http/on-call-words.ts'
import { rightsOf, roleOf } from '../../../schemas/http/rights.ts'
import { seenBy } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { calendarOf } from '../../../streams/on-call/calendar.ts'
import { mintCalendarSecret, sha256 } from '../../credentials/credentials.ts'
import { insertAudit } from '../../store/audit.ts'
import { countCalendarLinks, deleteCalendarLink, insertCalendarLink, listCalendarLinks } from '../../store/calendar-links.ts'
import { type CalendarLinkOwner, findCalendarLink } from '../../store/lookups.ts'
import { membersAmong } from '../../store/members.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { lastVersions, readSchedule, type Schedule, schedulesWith } from '../../store/schedules.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { seenSchedule } from './change.ts'
import { DAY_MS, toShift } from './shapes.ts'
import { wholeShiftsOf } from './whole-shifts.ts'

const BACK_MS = 30 * DAY_MS
const AHEAD_MS = 180 * DAY_MS
/** The most schedules in the feed of one person. */
const MAX_SCHEDULES = 200

interface Shown {
  schedule: Schedule
  items: readonly ShiftItem[]
}

/** Writes the calendar file of some shifts. It includes gaps, so that somebody notices them. */
export async function calendarText(tx: Tx, tenant_id: string, name: string, shown: readonly Shown[]): Promise<string> {
  const ids = shown.flatMap(({ items }) => items.flatMap(({ user_ids }) => user_ids))
  const people = await membersAmong(tx, tenant_id, ids)
  const events = shown.flatMap(({ schedule, items }) =>
    items.map(({ id, user_ids, starts_at, ends_at, gap, layer, origin }) => {
      const names = user_ids.map((user) => people.get(user)?.name ?? 'somebody who left').join(', ')
      return {
        uid: id,
        starts_at: Date.parse(starts_at),
        ends_at: Date.parse(ends_at),
        summary: names === '' ? `${schedule.name}: nobody` : `${schedule.name}: ${names}`,
        description: gap ? 'No layer has anybody' : origin === 'layer' ? (layer ?? '') : `By ${origin}`
      }
    })
  )
  return calendarOf(name, events, Date.now())
}

async function feedOf(tx: Tx, { tenant_id, user_id, schedule_id }: CalendarLinkOwner): Promise<string> {
  const now = Date.now()
  const [from, to] = [now - BACK_MS, now + AHEAD_MS]
  const only = schedule_id === null ? null : await readSchedule(tx, tenant_id, schedule_id)
  if (schedule_id !== null && (!only || only.deleted_at !== null)) throw notFound()
  const wanted = only ? [only] : await schedulesWith(tx, tenant_id, user_id, from, MAX_SCHEDULES)
  const ids = wanted.map((one) => one.schedule_id)
  const found = await wholeShiftsOf(tx, tenant_id, ids, from, to)
  const versions = await lastVersions(tx, tenant_id, ids)
  const shown = wanted.flatMap((schedule): Shown[] => {
    const [whole, version] = [found.get(schedule.schedule_id), versions.get(schedule.schedule_id)]
    if (!whole || !version) return []
    const shifts = whole.shifts.filter(({ user_ids }) => schedule_id !== null || user_ids.includes(user_id))
    return [{ schedule, items: shifts.map((shift) => toShift(schedule.schedule_id, version.definition.time_zone, shift)) }]
  })
  return calendarText(tx, tenant_id, only?.name ?? 'My shifts', shown)
}

export const calendarRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listCalendarLinks', { querystring: CalendarLinkQuery, response: { 200: CalendarLinkList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, caller, (tx) =>
          listCalendarLinks(tx, caller.tenant_id, caller.user_id, page)
        )
        const shown = items.map(({ link_id, schedule_id, created_at }) => ({ id: link_id, schedule_id, created_at: iso(created_at) }))
        return envelope(shown, total, page)
      }
    })

    app.route({
      ...on('createCalendarLink', { body: CreateCalendarLinkBody, response: { 201: CalendarLink } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const secret = mintCalendarSecret()
        const link = await keyedTransaction(pool, caller, async (tx) => {
          await lockWorkspace(tx, tenant_id)
          const wanted = request.body.schedule_id ?? null
          const schedule = wanted === null ? null : await seenSchedule(tx, caller, wanted).catch(() => null)
          if (wanted !== null && !schedule) throw invalid('schedule_id', 'unknown_schedule', 'is not a schedule of this workspace')
          const actual = await countCalendarLinks(tx, tenant_id, user_id)
          if (actual >= MAX_CALENDAR_LINKS)
            throw new ApiError('CONFLICT', `A person has at most ${MAX_CALENDAR_LINKS} calendar links`, {
              details: [{ rule: 'max', limit: MAX_CALENDAR_LINKS, actual }]
            })
          const fields = { link_id: uuidv7(), user_id, schedule_id: schedule?.schedule_id ?? null, sha256: secret.sha256 }
          const made = await insertCalendarLink(tx, tenant_id, fields)
          await insertAudit(tx, tenant_id, actor, {
            action: 'calendar_link.created',
            object_type: 'calendar_link',
            object_id: made.link_id
          })
          return made
        })
        const url = new URL(`/api/v1/on-call/ical/${secret.value}.ics`, config.publicUrl).href
        return reply.code(201).send({ id: link.link_id, schedule_id: link.schedule_id, url, created_at: iso(link.created_at) })
      }
    })

    app.route({
      ...on('deleteCalendarLink', { params: Type.Object({ id: Id }), response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const id = request.params.id.toLowerCase()
        await keyedTransaction(pool, caller, async (tx) => {
          if (!(await deleteCalendarLink(tx, tenant_id, user_id, id))) throw notFound()
          await insertAudit(tx, tenant_id, actor, { action: 'calendar_link.deleted', object_type: 'calendar_link', object_id: id })
        })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('readCalendar', {
        params: Type.Object({ secret: Type.String({ minLength: 1, maxLength: 200 }) }),
        response: { 200: { content: { 'text/calendar': { schema: Type.String() } } } }
      }),
      handler: async (request, reply) => {
        const link = await findCalendarLink(pool, sha256(request.params.secret))
        const role = link && roleOf(link.role)
        if (!role || !rightsOf(role, null).has('read')) throw notFound()
        const viewer = { tenant_id: link.tenant_id, seen_by: seenBy(role, link.user_id) }
        const text = await tenantTransaction(pool, viewer, (tx) => feedOf(tx, link))
        return reply.type('text/calendar; charset=utf-8').send(text)
      }
    })
  }
