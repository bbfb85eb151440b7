/**
 * Lists the saved definitions of a schedule: when each one counts, and what it changed.
 * Source: docs/design/api/on-call.md#oc-35.
 */
import { isDeepStrictEqual } from 'node:util'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import { type VersionItem, VersionList, VersionQuery } from '../../../schemas/http/on-call.ts'
import { type Definition, definitionParts, type VersionState } from '../../../schemas/http/on-call-words.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { postgresNow } from '../../store/schedule-history.ts'
import { listVersions, type SavedVersion } from '../../store/schedules.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { seenSchedule } from './change.ts'

/** Times are epoch ms. */
export function stateOf({ effective_at, until }: Pick<SavedVersion, 'effective_at' | 'until'>, now: number): VersionState {
  if (until !== null && until <= effective_at) return 'never'
  if (effective_at > now) return 'planned'
  return until !== null && until <= now ? 'past' : 'current'
}

/** Compares layers by name: a renamed layer counts as one removed and one added. */
export function layerChanges(before: Definition | null, { layers }: Definition): VersionItem['layers'] {
  const former = new Map((before?.layers ?? []).map((layer) => [layer.name, layer]))
  const names = layers.map(({ name }) => name)
  if (!before) return { added: names, removed: [], changed: [] }
  return {
    added: names.filter((name) => !former.has(name)),
    removed: [...former.keys()].filter((name) => !names.includes(name)),
    changed: layers.filter((layer) => former.has(layer.name) && !isDeepStrictEqual(layer, former.get(layer.name))).map(({ name }) => name)
  }
}

const toItem = (saved: SavedVersion, now: number): VersionItem => {
  const { version, effective_at, until, definition, before, created_by, created_at } = saved
  return {
    version,
    state: stateOf(saved, now),
    effective_at: Number.isFinite(effective_at) ? iso(effective_at) : null,
    counts_until: iso(until),
    changed: before ? definitionParts.filter((part) => !isDeepStrictEqual(definition[part], before[part])) : [],
    layers: layerChanges(before, definition),
    created_by,
    created_at: iso(created_at)
  }
}

export const scheduleVersionRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listScheduleVersions', { params: Type.Object({ id: Id }), querystring: VersionQuery, response: { 200: VersionList } }),
      handler: (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        return tenantTransaction(pool, caller, async (tx) => {
          const { tenant_id, schedule_id } = await seenSchedule(tx, caller, request.params.id)
          const { items, total } = await listVersions(tx, tenant_id, schedule_id, page)
          const now = await postgresNow(tx)
          return envelope(
            items.map((one) => toItem(one, now)),
            total,
            page
          )
        })
      }
    })
  }
