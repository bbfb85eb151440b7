/**
 * Applies one change to many monitors, each in a transaction of its own, and by the same rules as a
 * change of a single monitor.
 * Source: docs/design/api/monitors.md#mo-13.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { MonitorBulkAnswer, MonitorBulkBody, type UpdateMonitorBody } from '../../../schemas/http/monitors.ts'
import type { Monitor } from '../../store/monitors.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { changeEach } from '../http/each.ts'
import { on } from '../http/endpoint.ts'
import { invalid } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { pauseOf } from '../watched/pausing.ts'
import { beforeNaming } from '../workspace/naming.ts'
import { changeOne, deleteOne, pauseOne, resumeOne } from './changes.ts'
import type { Definitions } from './definition.ts'

/** The most tags of a monitor. */
const MAX_TAGS = 20

type Change = (tx: Tx, id: string) => Promise<unknown>

/**
 * Returns the change for one monitor. Throws VALIDATION_FAILED for the body before anything is
 * done.
 */
function changeOf({ codec, buckets }: Services, definitions: Definitions, caller: Caller, body: MonitorBulkBody): Change {
  const { action, patch } = body
  if (action !== 'patch' && patch !== undefined) throw invalid('patch', 'unknown_field', `is not a field of the action ${action}`)
  switch (action) {
    case 'pause': {
      const pause = pauseOf(body, caller.actor)
      return (tx, id) => pauseOne(tx, codec, caller, id, pause)
    }
    case 'resume':
      return (tx, id) => resumeOne(tx, { codec, buckets }, caller, id)
    case 'delete':
      return (tx, id) => deleteOne(tx, codec, caller, id)
    case 'patch': {
      if (patch === undefined) throw invalid('patch', 'required', 'is required')
      const { add_tags, remove_tags, ...settings } = patch
      const tags = (before: Monitor): Pick<UpdateMonitorBody, 'tags'> =>
        add_tags || remove_tags ? { tags: tagsAfter(before.tags, add_tags, remove_tags) } : {}
      return async (tx, id) => {
        await beforeNaming(tx, caller.tenant_id, settings)
        return changeOne(tx, codec, definitions, caller, id, (before) => ({ ...settings, ...tags(before) }))
      }
    }
  }
}

/** Tags keep their order, with new ones last. A tag that is both added and removed is kept. */
export function tagsAfter(before: readonly string[], added: readonly string[] = [], removed: readonly string[] = []): string[] {
  const gone = new Set(removed.filter((tag) => !added.includes(tag)))
  const after = [...new Set([...before, ...added])].filter((tag) => !gone.has(tag))
  if (after.length > MAX_TAGS)
    throw invalid('patch.add_tags', 'length', `a monitor has at most ${MAX_TAGS} tags`, { limit: MAX_TAGS, actual: after.length })
  return after
}

export const monitorBulkRoutes =
  (services: Services, definitions: Definitions): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('changeMonitors', { body: MonitorBulkBody, response: { 200: MonitorBulkAnswer } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const change = changeOf(services, definitions, caller, request.body)
        const ids = request.body.ids.map((id) => id.toLowerCase())
        const outcome = await changeEach(ids, async (id) => {
          await retrying(() => keyedTransaction(services.pool, caller, (tx) => change(tx, id)))
          return id
        })
        return { matched: new Set(ids).size, ...outcome }
      }
    })
  }
