/**
 * One action on many incidents: each in a transaction of its own, so that one that is refused holds
 * up no other, and what was done is told apart from what was not.
 * Source: docs/design/api/incidents.md#in-19.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { BulkAnswer, BulkBody } from '../../../schemas/http/incidents.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { actions } from './actions.ts'
import { command, type MakeCommand, retrying } from './commands.ts'

export const incidentBulkRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const one = (request: FastifyRequest, id: string, make: MakeCommand): Promise<string> =>
      retrying(() =>
        tenantTransaction(pool, callerOf(request), async (tx) => (await command(tx, codec, request, id, make)).incident.incident_id)
      )

    app.route({
      ...on('actOnIncidents', { body: BulkBody, response: { 200: BulkAnswer } }),
      handler: async (request) => {
        // Throws VALIDATION_FAILED for the body; nothing is done then.
        const make = actions[request.body.action](callerOf(request), request.body)
        const changed = new Set<string>()
        const failed: Static<typeof BulkAnswer>['failed'] = []
        for (const id of new Set(request.body.ids)) {
          try {
            changed.add(await one(request, id, make))
          } catch (error) {
            // A fault of ours ends it: what was done is done, and asking again does the rest.
            if (!(error instanceof ApiError) || error.code === 'UNAVAILABLE') throw error
            failed.push({ id, code: error.code, error: error.message })
          }
        }
        return { changed: [...changed], failed }
      }
    })
  }
