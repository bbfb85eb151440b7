/**
 * Groups of monitors: lists them with the state of each, and creates, changes and deletes them.
 * Source: docs/design/api/monitors.md#mo-15 and #mo-16.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { CreateGroupBody, GroupQuery, MonitorGroup, MonitorGroupList, UpdateGroupBody } from '../../../schemas/http/monitor-groups.ts'
import { type CountedGroup, deleteGroup, listGroups, lockGroup, lockMembers, readGroup, updateGroup } from '../../store/monitor-groups.ts'
import { keyedTransaction, seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { makeGroup, recordGroup, takenGroupName } from './group-choice.ts'

const Params = Type.Object({ id: Id })

/** Returns the state of a group: that of its worst monitor. */
export function groupState({ total, down, degraded, paused }: Omit<MonitorGroup['monitors'], 'up'>): MonitorGroup['state'] {
  if (total === 0) return 'empty'
  if (down > 0) return 'down'
  if (degraded > 0) return 'degraded'
  return paused === total ? 'paused' : 'up'
}

function shown(group: CountedGroup): MonitorGroup {
  const { tenant_id, group_id, name, description, place, ver, created_at, updated_at, total, up, degraded, down, paused } = group
  return {
    id: group_id,
    tenant_id,
    name,
    description,
    order: place,
    state: groupState({ total, degraded, down, paused }),
    monitors: { total, up, degraded, down, paused },
    version: ver,
    created_at: iso(created_at),
    updated_at: iso(updated_at)
  }
}

async function known(tx: Tx, tenant_id: string, id: string): Promise<CountedGroup> {
  const group = await readGroup(tx, tenant_id, id.toLowerCase())
  if (!group) throw notFound()
  return group
}

export const groupRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listMonitorGroups', { querystring: GroupQuery, response: { 200: MonitorGroupList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listGroups(tx, caller.tenant_id, page))
        return envelope(items.map(shown), total, page)
      }
    })

    app.route({
      ...on('createMonitorGroup', { body: CreateGroupBody, response: { 201: MonitorGroup } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const { name, description = '', order: place = 0 } = request.body
        const group = await keyedTransaction(pool, caller, async (tx) => {
          await lockWorkspace(tx, tenant_id)
          return known(tx, tenant_id, await makeGroup(tx, caller, { name, description, place }))
        }).catch(takenGroupName)
        return reply.code(201).send(shown(group))
      }
    })

    app.route({
      ...on('readMonitorGroup', { params: Params, response: { 200: MonitorGroup } }),
      handler: async (request) => {
        const caller = callerOf(request)
        return shown(await keyedTransaction(pool, caller, (tx) => known(tx, caller.tenant_id, request.params.id)))
      }
    })

    app.route({
      ...on('updateMonitorGroup', { params: Params, body: UpdateGroupBody, response: { 200: MonitorGroup } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const group = await keyedTransaction(pool, caller, async (tx) => {
          const before = await lockGroup(tx, tenant_id, request.params.id.toLowerCase())
          if (!before) throw notFound()
          const { name = before.name, description = before.description, order: place = before.place } = request.body
          if (name === before.name && description === before.description && place === before.place) return before
          await updateGroup(tx, tenant_id, before.group_id, { name, description, place })
          const after = await known(tx, tenant_id, before.group_id)
          await recordGroup(tx, caller, 'updated', before, after)
          return after
        }).catch(takenGroupName)
        return shown(group)
      }
    })

    app.route({
      ...on('deleteMonitorGroup', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const id = request.params.id.toLowerCase()
        await keyedTransaction(pool, caller, async (tx) => {
          // Locks in the same order as imports and changes of a monitor: workspace, monitors,
          // group.
          await lockWorkspace(tx, tenant_id)
          await seeingAll(tx, (tx) => lockMembers(tx, tenant_id, id))
          const gone = await lockGroup(tx, tenant_id, id)
          if (!gone) throw notFound()
          await deleteGroup(tx, tenant_id, id)
          await recordGroup(tx, caller, 'deleted', gone, { ...gone, ver: gone.ver + 1 })
        })
        return reply.code(204).send(null)
      }
    })
  }
