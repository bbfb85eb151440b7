/**
 * What people do to a monitor that is there: pause and resume it, and have it checked now. A pause
 * shows at once, whatever the fold has seen of it; a repeat changes nothing.
 * Source: docs/design/api/monitors.md#mo-6 to #mo-8.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { PUSHED } from '../../../schemas/http/check-type.ts'
import { Id } from '../../../schemas/http/common.ts'
import { CheckMonitorBody, CheckStarted, MonitorDetail, PauseMonitorBody } from '../../../schemas/http/monitors.ts'
import { planOf } from '../../../schemas/plans.ts'
import { insertAudit } from '../../store/audit.ts'
import { closeWatched } from '../../store/close-watched.ts'
import { recordMonitor } from '../../store/monitor-record.ts'
import { countEntitledMonitors, lockMonitor, pauseMonitor, readMonitor } from '../../store/monitors.ts'
import { cancelResume, notPaused, startResume } from '../../store/pauses.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { readRegions } from '../../store/regions.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { retrying } from '../incidents/commands.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import { pauseOf } from '../watched/pausing.ts'
import { checkLimit } from '../workspace/limits.ts'
import { checkNow } from './check-now.ts'
import { checkPlan } from './rules.ts'
import { shownMonitor, type Uptimes } from './uptimes.ts'

const Params = Type.Object({ id: Id })

export const monitorActions =
  ({ pool, codec, buckets }: Services, uptimes: Uptimes): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('pauseMonitor', { params: Params, body: PauseMonitorBody, response: { 200: MonitorDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const pause = pauseOf(request.body, actor)
        const { resolve_open } = pause
        const { monitor, regions } = await retrying(() =>
          tenantTransaction(pool, callerOf(request), async (tx) => {
            const before = await lockMonitor(tx, tenant_id, request.params.id)
            if (!before) throw notFound()
            const regions = await readRegions(tx)
            if (before.paused_at !== null) return { monitor: before, regions }
            const { monitor_id: id } = before
            const after = await pauseMonitor(tx, tenant_id, id, pause)
            await recordMonitor(tx, codec, actor, 'monitor.paused', before, after)
            await startResume(tx, 'monitor', tenant_id, id, pause.resume_at)
            await closeWatched(tx, codec, tenant_id, { kind: 'monitor', id }, 'paused', actor, resolve_open)
            return { monitor: resolve_open ? { ...after, open_incident_id: null } : after, regions }
          })
        )
        return reply.header('etag', `"${monitor.ver}"`).send(await shownMonitor(uptimes, monitor, regions))
      }
    })

    app.route({
      ...on('resumeMonitor', { params: Params, response: { 200: MonitorDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { monitor, regions } = await tenantTransaction(pool, callerOf(request), async (tx) => {
          const before = await lockMonitor(tx, tenant_id, request.params.id)
          if (!before) throw notFound()
          const regions = await readRegions(tx)
          if (before.paused_at === null) return { monitor: before, regions }
          // What the plan has paused stays so while the plan is full, or its figures are not met.
          if (before.pause_reason === 'entitlement') {
            await checkLimit(tx, tenant_id, 'monitors', countEntitledMonitors)
            checkPlan(before, planOf(before.plan), regions)
          }
          const { monitor_id: id, resume_at } = before
          const after = await pauseMonitor(tx, tenant_id, id, notPaused)
          await recordMonitor(tx, codec, actor, 'monitor.resumed', before, after)
          await cancelResume(tx, 'monitor', tenant_id, id, resume_at)
          // Paused and resumed over and over, it is not checked more often than by hand.
          if (buckets.take('on_demand', id, 'free').admitted) await checkNow(tx, tenant_id, after, regions, { count: true })
          return { monitor: after, regions }
        })
        return reply.header('etag', `"${monitor.ver}"`).send(await shownMonitor(uptimes, monitor, regions))
      }
    })

    app.route({
      ...on('checkMonitor', { params: Params, body: CheckMonitorBody, response: { 202: CheckStarted } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { regions: asked, count = false } = request.body
        const started = await tenantTransaction(pool, callerOf(request), async (tx) => {
          const monitor = await readMonitor(tx, tenant_id, request.params.id)
          if (!monitor) throw notFound()
          if (monitor.paused_at !== null) throw new ApiError('MONITOR_PAUSED', 'A paused monitor is not checked; resume it first')
          const { monitor_id, assigned_regions } = monitor
          if (monitor.type === PUSHED) throw new ApiError('WRONG_TYPE', 'Nobody checks this monitor: its state is pushed')
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
