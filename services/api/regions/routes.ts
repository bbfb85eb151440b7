/**
 * The catalogue of regions, with the private locations of the workspace: MO-17.
 * Source: docs/design/specification.md#s2-3; docs/design/api/monitors.md#s3-6.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope } from '../../../schemas/http/common.ts'
import { RegionList } from '../../../schemas/http/monitors.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { readRegions } from '../../store/regions.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import type { Services } from '../services.ts'

export const regionRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listRegions', { querystring: Type.Object({}, { additionalProperties: false }), response: { 200: RegionList } }),
      handler: async (request) => {
        const regions = await tenantTransaction(pool, callerOf(request), readRegions)
        const items = regions.map(({ kinds, private: isPrivate, ...region }) => ({
          ...region,
          types: kinds,
          online: region.probers_online > 0,
          kind: isPrivate ? ('private' as const) : ('public' as const)
        }))
        return envelope(items, items.length, { page: 1, per_page: Math.max(1, items.length) })
      }
    })
  }
