/**
 * Applies one action to many incidents, each in a transaction of its own. A refused one does not
 * stop the others, and the result separates what was done from what was not.
 * Source: docs/design/api/incidents.md#in-19.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { BulkAnswer, BulkBody } from '../../../schemas/http/incidents.ts'
import type { Locks } from '../../store/incident-commands.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { callerOf } from '../http/caller.ts'
import { changeEach } from '../http/each.ts'
import { on } from '../http/endpoint.ts'
import type { Services } from '../services.ts'
import { actions, locksOf } from './actions.ts'
import { command, type MakeCommand } from './commands.ts'

export const incidentBulkRoutes =
  ({ pool, codec }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const one = (request: FastifyRequest, id: string, make: MakeCommand, locks: Locks): Promise<string> =>
      retrying(() =>
        keyedTransaction(pool, callerOf(request), async (tx) => (await command(tx, codec, request, id, make, locks)).incident.incident_id)
      )

    app.route({
      ...on('actOnIncidents', { body: BulkBody, response: { 200: BulkAnswer } }),
      handler: async (request) => {
        // Throws VALIDATION_FAILED for the body before anything is done.
        const make = actions[request.body.action](callerOf(request), request.body)
        return changeEach(request.body.ids, (id) => one(request, id, make, locksOf(request.body.action)))
      }
    })
  }
