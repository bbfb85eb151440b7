/**
 * Overrides: for a while another person is on call, or nobody. A person without the right to write
 * may take a shift over, and give back what they took.
 * Source: docs/design/api/on-call.md#oc-7 to #oc-9.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { CreateOverrideBody, OverrideDetail, OverrideList, OverrideQuery } from '../../../schemas/http/on-call.ts'
import { MAX_AHEAD_DAYS, MAX_OVERRIDE_DAYS, MAX_OVERRIDES } from '../../../schemas/http/on-call-words.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import { membersAmong } from '../../store/members.ts'
import { countOverrides, endOverride, insertOverride, listOverrides, readOverride, type StoredOverride } from '../../store/overrides.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { changing } from '../../store/schedule-history.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { zoneNamed } from '../http/span.ts'
import type { Services } from '../services.ts'
import { lastVersion, seenSchedule } from './change.ts'
import { DAY_MS } from './shapes.ts'
import { instantOf, momentOf } from './spans.ts'

const toDetail = ({ override_id, created_at, starts_at, ends_at, ...rest }: StoredOverride): OverrideDetail => ({
  ...rest,
  id: override_id,
  starts_at: iso(starts_at),
  ends_at: iso(ends_at),
  created_at: iso(created_at)
})

/** Throws FORBIDDEN if the override is not the caller's own and they may not write. */
function checkOwn({ rights, user_id }: Caller, person: string | null): void {
  if (rights.has('write') || person === user_id) return
  throw new ApiError('FORBIDDEN', 'Your role can create and end overrides only for yourself')
}

async function checkPeople(tx: Tx, tenant_id: string, named: Record<string, string | null>): Promise<void> {
  const here = await membersAmong(
    tx,
    tenant_id,
    Object.values(named).flatMap((id) => id ?? [])
  )
  for (const [path, id] of Object.entries(named))
    if (id !== null && !here.has(id)) throw invalid(path, 'not_a_member', 'is not a member of this workspace')
}

/** Throws VALIDATION_FAILED. A start before `at` (epoch ms) counts as `at`. */
function checkedSpan(starts_at: number, ends_at: number, at: number): { starts_at: number; ends_at: number } {
  const from = Math.max(starts_at, at)
  if (ends_at <= starts_at) throw invalid('ends_at', 'empty_interval', 'must be later than starts_at')
  if (ends_at <= from) throw invalid('ends_at', 'empty_interval', 'has passed')
  if (ends_at - from > MAX_OVERRIDE_DAYS * DAY_MS)
    throw invalid('ends_at', 'max', `must be at most ${MAX_OVERRIDE_DAYS} days after starts_at`, {
      limit: MAX_OVERRIDE_DAYS,
      actual: Math.ceil((ends_at - from) / DAY_MS)
    })
  if (from > at + MAX_AHEAD_DAYS * DAY_MS) throw invalid('starts_at', 'max', `must be at most ${MAX_AHEAD_DAYS} days from now`)
  return { starts_at: from, ends_at }
}

/** Throws CONFLICT if the schedule would have more overrides than it may. */
export async function checkOverrideRoom(tx: Tx, tenant_id: string, schedule_id: string, at: number, more = 1): Promise<void> {
  const actual = await countOverrides(tx, tenant_id, schedule_id, at)
  if (actual + more <= MAX_OVERRIDES) return
  throw new ApiError('CONFLICT', `A schedule has at most ${MAX_OVERRIDES} overrides that have not ended`, {
    details: [{ path: 'schedule_id', rule: 'max', limit: MAX_OVERRIDES, actual }]
  })
}

async function create(tx: Tx, caller: Caller, body: CreateOverrideBody): Promise<StoredOverride> {
  const { tenant_id, actor } = caller
  const user_id = body.user_id?.toLowerCase() ?? null
  checkOwn(caller, user_id)
  await lockWorkspace(tx, tenant_id)
  const { schedule_id } = await seenSchedule(tx, caller, body.schedule_id).catch((error: unknown) => {
    if (error instanceof ApiError) throw invalid('schedule_id', 'unknown_schedule', 'is not a schedule of this workspace')
    throw error
  })
  const { layer = null, reason = '', replaces_user_id = null, time_zone } = body
  const { definition } = await lastVersion(tx, tenant_id, schedule_id)
  if (layer !== null && !definition.layers.some(({ name }) => name === layer))
    throw invalid('layer', 'unknown_layer', 'is not a layer of the schedule')
  const zone = time_zone === undefined ? definition.time_zone : zoneNamed(time_zone)
  const span = [momentOf('starts_at', body.starts_at, zone), momentOf('ends_at', body.ends_at, zone)] as const
  const replaced = replaces_user_id?.toLowerCase() ?? null
  await checkPeople(tx, tenant_id, { user_id, replaces_user_id: replaced })
  const override_id = uuidv7()
  await changing(tx, tenant_id, schedule_id, 'override', async (at) => {
    await checkOverrideRoom(tx, tenant_id, schedule_id, at)
    await insertOverride(tx, tenant_id, {
      ...checkedSpan(...span, at),
      ...{ override_id, schedule_id, user_id, replaces_user_id: replaced, layer, reason, swap_id: null, created_by: actorText(actor) }
    })
  })
  await insertAudit(tx, tenant_id, actor, { action: 'override.created', object_type: 'override', object_id: override_id })
  const override = await readOverride(tx, tenant_id, override_id)
  if (!override) throw notFound()
  return override
}

/** An override that has ended stays as it is. */
async function end(tx: Tx, caller: Caller, id: string): Promise<void> {
  const { tenant_id, actor } = caller
  await lockWorkspace(tx, tenant_id)
  const override = await readOverride(tx, tenant_id, id.toLowerCase())
  if (!override) throw notFound()
  checkOwn(caller, override.user_id)
  if (override.ends_at <= Date.now()) return
  await changing(tx, tenant_id, override.schedule_id, 'override', (at) => endOverride(tx, tenant_id, override.override_id, at))
  await insertAudit(tx, tenant_id, actor, { action: 'override.ended', object_type: 'override', object_id: override.override_id })
}

export const overrideRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listOverrides', { querystring: OverrideQuery, response: { 200: OverrideList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { schedule_id, user_id, from, to, sort } = request.query
        const page = pageOf(request.query)
        const filter = {
          schedule_id,
          user_id,
          from: from === undefined ? null : instantOf('from', from),
          to: to === undefined ? null : instantOf('to', to),
          earliest_first: sort === 'starts_at'
        }
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listOverrides(tx, caller.tenant_id, filter, page))
        return envelope(items.map(toDetail), total, page)
      }
    })

    app.route({
      ...on('createOverride', { body: CreateOverrideBody, response: { 201: OverrideDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const override = await keyedTransaction(pool, caller, (tx) => create(tx, caller, request.body))
        return reply.code(201).send(toDetail(override))
      }
    })

    app.route({
      ...on('endOverride', { params: Type.Object({ id: Id }), response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await keyedTransaction(pool, caller, (tx) => end(tx, caller, request.params.id))
        return reply.code(204).send(null)
      }
    })
  }
