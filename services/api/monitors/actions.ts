/**
 * Actions of people on an existing monitor: pause it, resume it, and have it checked now. A pause
 * shows at once, whatever the fold has seen of it. Repeating an action changes nothing.
 * Source: docs/design/api/monitors.md#mo-6 to #mo-8.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { PUSHED } from '../../../schemas/http/check-words.ts'
import { Id } from '../../../schemas/http/common.ts'
import { CheckMonitorBody, CheckStarted, MonitorDetail, PauseMonitorBody } from '../../../schemas/http/monitors.ts'
import { insertAudit } from '../../store/audit.ts'
import { readMonitor } from '../../store/monitors.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { readRegions } from '../../store/regions.ts'
import { retrying } from '../../store/row-moved.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import { pauseOf } from '../watched/pausing.ts'
import { pauseOne, resumeOne } from './changes.ts'
import { checkNow } from './check-now.ts'
import { shownMonitor, type Uptimes } from './uptimes.ts'

const Params = Type.Object({ id: Id })

export const monitorActions =
  (services: Services, uptimes: Uptimes): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool, codec, buckets } = services
    app.route({
      ...on('pauseMonitor', { params: Params, body: PauseMonitorBody, response: { 200: MonitorDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const pause = pauseOf(request.body, caller.actor)
        const { monitor, regions } = await retrying(() =>
          keyedTransaction(pool, caller, (tx) => pauseOne(tx, codec, caller, request.params.id, pause))
        )
        return reply.header('etag', `"${monitor.ver}"`).send(await shownMonitor(uptimes, monitor, regions))
      }
    })

    app.route({
      ...on('resumeMonitor', { params: Params, response: { 200: MonitorDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { monitor, regions } = await keyedTransaction(pool, caller, (tx) => resumeOne(tx, services, caller, request.params.id))
        return reply.header('etag', `"${monitor.ver}"`).send(await shownMonitor(uptimes, monitor, regions))
      }
    })

    app.route({
      ...on('checkMonitor', { params: Params, body: CheckMonitorBody, response: { 202: CheckStarted } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { regions: asked, count = false } = request.body
        const started = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const monitor = await readMonitor(tx, tenant_id, request.params.id)
          if (!monitor) throw notFound()
          if (monitor.paused_at !== null) throw new ApiError('MONITOR_PAUSED', 'The monitor is paused. Resume it first')
          const { monitor_id, assigned_regions } = monitor
          if (monitor.type === PUSHED) throw new ApiError('WRONG_TYPE', 'This monitor is not checked. Its state is pushed')
          admit(reply, buckets.take('on_demand', monitor_id, 'free'))
          for (const [at, code] of (asked ?? []).entries()) {
            if (!assigned_regions.includes(code)) throw invalid(`regions[${at}]`, 'unknown_region', 'does not check this monitor')
          }
          const rows = await checkNow(tx, tenant_id, monitor, await readRegions(tx), { count, ...(asked && { asked }) })
          if (rows.length === 0) {
            throw new ApiError('NO_PROBER_ONLINE', 'No prober of these regions is online', { headers: { 'retry-after': '10' } })
          }
          await insertAudit(tx, tenant_id, actor, { action: 'monitor.check_requested', object_type: 'monitor', object_id: monitor_id })
          return rows
        })
        const [first] = started
        return reply.code(202).send({
          check_ids: started.map(({ check_id }) => check_id),
          poll_url: `/api/v1/monitors/${first?.monitor_id ?? request.params.id}/checks`
        })
      }
    })
  }
