/**
 * Lists, creates, changes and deletes monitors; actions.ts has the rest. Each change is one
 * transaction: the row with its next version, the version's entry, the audit entry, and the control
 * record that tells the status fold. Probers read the change from the row. Answers also show what
 * the fold found.
 * Source: docs/design/specification.md#s2-3 and #s4; docs/design/api/monitors.md#s3.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { PUSHED } from '../../../schemas/http/check-words.ts'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import {
  CreatedMonitor,
  CreateMonitorBody,
  MonitorDetail,
  MonitorList,
  MonitorQuery,
  UpdateMonitorBody
} from '../../../schemas/http/monitors.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { nextSlot, slotOffset } from '../../checks/slots.ts'
import { countMonitors, listMonitors, readMonitor } from '../../store/monitors.ts'
import { keyedTransaction, listTransaction } from '../../store/pool.ts'
import { readRegions } from '../../store/regions.ts'
import { retrying } from '../../store/row-moved.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { taken } from '../http/taken.ts'
import { labelsOf } from '../incidents/query.ts'
import type { Services } from '../services.ts'
import { checkLimit } from '../workspace/limits.ts'
import { beforeNaming } from '../workspace/naming.ts'
import { changeOne, deleteOne, writeNew } from './changes.ts'
import { checkNow } from './check-now.ts'
import type { Definitions } from './definition.ts'
import { toDetail } from './detail.ts'
import { watchParents } from './parents.ts'
import { entityOf, shownMonitor, UNKNOWN, type Uptimes } from './uptimes.ts'

const takenName = taken('monitors_name', 'NAME_TAKEN', 'name', 'monitor')

const Params = Type.Object({ id: Id })

export const monitorRoutes =
  ({ pool, codec }: Services, uptimes: Uptimes, definitions: Definitions): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listMonitors', { querystring: MonitorQuery, response: { 200: MonitorList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { sort = ['name'], page: _page, per_page: _per_page, ...filter } = request.query
        const page = pageOf(request.query)
        const wanted = { ...filter, labels: labelsOf(request.query) }
        const { items, total, regions } = await listTransaction(pool, callerOf(request), async (tx) => ({
          ...(await listMonitors(tx, tenant_id, wanted, { ...page, sort })),
          regions: await readRegions(tx)
        }))
        const found = await uptimes(tenant_id, items.map(entityOf))
        const now = Date.now()
        return envelope(
          items.map((item) => toDetail(item, regions, found.get(item.monitor_id) ?? UNKNOWN, now)),
          total,
          page
        )
      }
    })

    app.route({
      ...on('createMonitor', { body: CreateMonitorBody, response: { 201: CreatedMonitor } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const { body } = request
        const monitor_id = uuidv7()
        const aim = await definitions.aimOf(tenant_id, monitor_id, body)
        const created = await keyedTransaction(pool, caller, async (tx) => {
          await checkLimit(tx, tenant_id, 'monitors', countMonitors)
          const settled = await definitions.settle(tx, caller, aim, body)
          const { regions } = settled
          const monitor = await writeNew(tx, codec, caller, aim, settled)
          await checkNow(tx, tenant_id, monitor, regions, { count: true })
          await watchParents(tx, tenant_id, monitor.depends_on)
          return { monitor, regions }
        }).catch(takenName)
        const { monitor, regions } = created
        const intervalMs = monitor.interval_seconds * 1000
        const next =
          monitor.assigned_regions.length === 0 || aim.type === PUSHED
            ? null
            : nextSlot(Date.now(), intervalMs, slotOffset(monitor_id, intervalMs))
        return reply
          .code(201)
          .header('etag', `"${monitor.ver}"`)
          .send({ ...toDetail(monitor, regions, UNKNOWN, Date.now()), next_check_at: iso(next) })
      }
    })

    app.route({
      ...on('readMonitor', { params: Params, response: { 200: MonitorDetail } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const { monitor, regions } = await keyedTransaction(pool, callerOf(request), async (tx) => ({
          monitor: await readMonitor(tx, tenant_id, request.params.id),
          regions: await readRegions(tx)
        }))
        if (!monitor) throw notFound()
        return reply.header('etag', `"${monitor.ver}"`).send(await shownMonitor(uptimes, monitor, regions))
      }
    })

    app.route({
      ...on('updateMonitor', { params: Params, body: UpdateMonitorBody, response: { 200: MonitorDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { body } = request
        const { monitor, regions } = await keyedTransaction(pool, caller, async (tx) => {
          await beforeNaming(tx, caller.tenant_id, body)
          return changeOne(tx, codec, definitions, caller, request.params.id, () => body)
        }).catch(takenName)
        return reply.header('etag', `"${monitor.ver}"`).send(await shownMonitor(uptimes, monitor, regions))
      }
    })

    app.route({
      ...on('deleteMonitor', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await retrying(() => keyedTransaction(pool, caller, (tx) => deleteOne(tx, codec, caller, request.params.id)))
        return reply.code(204).send(null)
      }
    })
  }
