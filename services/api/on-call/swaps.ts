/**
 * Swaps: a person asks others to take their shifts. The person who takes them gets overrides for
 * exactly those shifts.
 * Source: docs/design/api/on-call.md#oc-18 to #oc-20.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { CreateSwapBody, SwapDetail, SwapList, SwapQuery } from '../../../schemas/http/on-call.ts'
import { MAX_AHEAD_DAYS, MAX_OPEN_SWAPS, MAX_OVERRIDE_DAYS, MAX_SWAP_SHIFTS } from '../../../schemas/http/on-call-words.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { type Shift, type Takeover, takeoversOf } from '../../../streams/on-call/timeline.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import { tellSchedule } from '../../store/on-call-news.ts'
import { insertOverride } from '../../store/overrides.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { changing, postgresNow } from '../../store/schedule-history.ts'
import { loadPlans, timelineOf } from '../../store/schedule-plans.ts'
import { readSchedule } from '../../store/schedules.ts'
import { countOpenSwaps, insertSwap, listSwaps, lockSwap, type Swap, swapStateAt, takeSwap, withdrawSwap } from '../../store/swaps.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { seenSchedule } from './change.ts'
import { checkOverrideRoom } from './overrides.ts'
import { DAY_MS } from './shapes.ts'
import { instantOf } from './spans.ts'

const Params = Type.Object({ id: Id })

const toDetail = (swap: Swap, now: number): SwapDetail => ({
  id: swap.swap_id,
  tenant_id: swap.tenant_id,
  schedule_id: swap.schedule_id,
  user_id: swap.user_id,
  starts_at: iso(swap.starts_at),
  ends_at: iso(swap.ends_at),
  note: swap.note,
  state: swapStateAt(swap, now),
  taken_by: swap.taken_by,
  taken_at: iso(swap.taken_at),
  created_at: iso(swap.created_at),
  updated_at: iso(swap.updated_at),
  version: swap.ver
})

/** A shift of a person, and the overrides by which another takes it. */
interface OwnShift extends Shift {
  takeovers: readonly Takeover[]
}

const WHOLE: Takeover = { replaces_user_id: null, layer: null }

/** Returns the final shifts of a person within the span (epoch ms), cut to it. */
async function shiftsOf(tx: Tx, tenant_id: string, schedule_id: string, user_id: string, from: number, to: number): Promise<OwnShift[]> {
  const found = (await loadPlans(tx, tenant_id, [schedule_id], { from, to })).get(schedule_id)
  if (!found) return []
  return timelineOf(found, from, to)
    .filter(({ user_ids, fallback }) => fallback === null && user_ids.includes(user_id))
    .map((shift) => {
      const takeovers = takeoversOf(found.plan, user_id, shift.starts_at)
      return { ...shift, takeovers: takeovers.length > 0 ? takeovers : [WHOLE] }
    })
}

const noShift = (path: string): ApiError => invalid(path, 'no_shift', 'the person is not on call in that time')

async function ask(tx: Tx, caller: Caller, body: CreateSwapBody): Promise<Swap> {
  const { tenant_id, user_id, actor } = caller
  await lockWorkspace(tx, tenant_id)
  const { schedule_id, team_id } = await seenSchedule(tx, caller, body.schedule_id).catch((error: unknown) => {
    if (error instanceof ApiError) throw invalid('schedule_id', 'unknown_schedule', 'is not a schedule of this workspace')
    throw error
  })
  const now = await postgresNow(tx)
  const [starts_at, ends_at] = [Math.max(instantOf('starts_at', body.starts_at), now), instantOf('ends_at', body.ends_at)]
  if (ends_at <= starts_at) throw invalid('ends_at', 'empty_interval', 'must be later than starts_at, and than now')
  if (starts_at > now + MAX_AHEAD_DAYS * DAY_MS) throw invalid('starts_at', 'max', `must be at most ${MAX_AHEAD_DAYS} days from now`)
  if (ends_at - starts_at > MAX_OVERRIDE_DAYS * DAY_MS)
    throw invalid('ends_at', 'max', `must be at most ${MAX_OVERRIDE_DAYS} days after starts_at`)
  const shifts = await shiftsOf(tx, tenant_id, schedule_id, user_id, starts_at, ends_at)
  if (shifts.length === 0) throw noShift('starts_at')
  if (shifts.length > MAX_SWAP_SHIFTS) throw invalid('ends_at', 'max', `a swap has at most ${MAX_SWAP_SHIFTS} shifts`)
  const open = await countOpenSwaps(tx, tenant_id, user_id, now)
  if (open >= MAX_OPEN_SWAPS)
    throw new ApiError('CONFLICT', `A person has at most ${MAX_OPEN_SWAPS} open swaps`, {
      details: [{ rule: 'max', limit: MAX_OPEN_SWAPS, actual: open }]
    })
  const swap = await insertSwap(tx, tenant_id, { swap_id: uuidv7(), schedule_id, user_id, starts_at, ends_at, note: body.note ?? '' })
  await tellSchedule(tx, tenant_id, schedule_id, 'swap', { team_id })
  await insertAudit(tx, tenant_id, actor, { action: 'swap.asked', object_type: 'swap', object_id: swap.swap_id })
  return swap
}

/**
 * Locks the workspace and the swap, and returns the swap. Throws NOT_FOUND, and CONFLICT for a swap
 * that is not open.
 */
async function openSwap(tx: Tx, { tenant_id }: Caller, id: string, now: number): Promise<Swap> {
  await lockWorkspace(tx, tenant_id)
  const swap = await lockSwap(tx, tenant_id, id.toLowerCase())
  if (!swap) throw notFound()
  const state = swapStateAt(swap, now)
  if (state !== 'open') throw new ApiError('CONFLICT', `The swap is ${state}`)
  return swap
}

async function take(tx: Tx, caller: Caller, id: string): Promise<Swap> {
  const { tenant_id, user_id, actor } = caller
  const swap = await openSwap(tx, caller, id, await postgresNow(tx))
  const { swap_id, schedule_id } = swap
  if (swap.user_id === user_id) throw new ApiError('CONFLICT', 'Somebody else must take the swap')
  await changing(tx, tenant_id, schedule_id, 'swap', async (at) => {
    const shifts = await shiftsOf(tx, tenant_id, schedule_id, swap.user_id, Math.max(swap.starts_at, at), swap.ends_at)
    if (shifts.length === 0) throw new ApiError('CONFLICT', 'The person who asked is no longer on call at that time')
    const overrides = shifts.flatMap(({ starts_at, ends_at, takeovers }) => takeovers.map((one) => ({ ...one, starts_at, ends_at })))
    await checkOverrideRoom(tx, tenant_id, schedule_id, at, overrides.length)
    for (const one of overrides) {
      const fields = { ...one, override_id: uuidv7(), schedule_id, user_id, reason: swap.note, swap_id }
      await insertOverride(tx, tenant_id, { ...fields, created_by: actorText(actor) })
    }
    await takeSwap(tx, tenant_id, swap_id, user_id, at)
  })
  await insertAudit(tx, tenant_id, actor, { action: 'swap.taken', object_type: 'swap', object_id: swap_id })
  const taken = await lockSwap(tx, tenant_id, swap_id)
  if (!taken) throw notFound()
  return taken
}

async function withdraw(tx: Tx, caller: Caller, id: string): Promise<void> {
  const { tenant_id, actor } = caller
  const swap = await openSwap(tx, caller, id, await postgresNow(tx))
  if (swap.user_id !== caller.user_id && !caller.rights.has('write')) throw new ApiError('FORBIDDEN', 'The swap belongs to somebody else')
  await withdrawSwap(tx, tenant_id, swap.swap_id)
  const schedule = await readSchedule(tx, tenant_id, swap.schedule_id)
  if (schedule) await tellSchedule(tx, tenant_id, swap.schedule_id, 'swap', schedule)
  await insertAudit(tx, tenant_id, actor, { action: 'swap.withdrawn', object_type: 'swap', object_id: swap.swap_id })
}

export const swapRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listSwaps', { querystring: SwapQuery, response: { 200: SwapList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const at = Date.now()
        const filter = { schedule_id: request.query.schedule_id, state: request.query.state, at }
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listSwaps(tx, caller.tenant_id, filter, page))
        return envelope(
          items.map((swap) => toDetail(swap, at)),
          total,
          page
        )
      }
    })

    app.route({
      ...on('createSwap', { body: CreateSwapBody, response: { 201: SwapDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const swap = await keyedTransaction(pool, caller, (tx) => ask(tx, caller, request.body))
        return reply.code(201).send(toDetail(swap, Date.now()))
      }
    })

    app.route({
      ...on('takeSwap', { params: Params, response: { 200: SwapDetail } }),
      handler: async (request) => {
        const caller = callerOf(request)
        return toDetail(await keyedTransaction(pool, caller, (tx) => take(tx, caller, request.params.id)), Date.now())
      }
    })

    app.route({
      ...on('withdrawSwap', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await keyedTransaction(pool, caller, (tx) => withdraw(tx, caller, request.params.id))
        return reply.code(204).send(null)
      }
    })
  }
