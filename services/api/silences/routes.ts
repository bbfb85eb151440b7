/**
 * Silences by a pattern. A silence that names a team which the caller must not see does not exist
 * for them: row-level security leaves it out.
 * Source: docs/design/api/alerts-and-routing.md#si-1 to #si-5.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id } from '../../../schemas/http/common.ts'
import {
  CreateSilenceBody,
  CreateSilenceQuery,
  SilenceDetail,
  SilenceList,
  SilencePreview,
  SilenceQuery,
  UpdateSilenceBody
} from '../../../schemas/http/silences.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { postgresNow } from '../../store/schedule-history.ts'
import { listSilences, type StoredSilence } from '../../store/silences.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { change, create, expire, seenSilence } from './change.ts'
import { preview } from './preview.ts'
import { silenceWarnings, toDetail } from './shapes.ts'

const Params = Type.Object({ id: Id })

async function shown(tx: Tx, silence: StoredSilence): Promise<SilenceDetail> {
  const [warnings = []] = await silenceWarnings(tx, silence.tenant_id, [silence.matchers])
  return toDetail(silence, warnings, await postgresNow(tx))
}

export const silenceRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listSilences', { querystring: SilenceQuery, response: { 200: SilenceList } }),
      handler: (request) => {
        const { tenant_id } = callerOf(request)
        const page = pageOf(request.query)
        return tenantTransaction(pool, callerOf(request), async (tx) => {
          const at = await postgresNow(tx)
          const { items, total } = await listSilences(tx, tenant_id, { states: request.query.state ?? null, at }, page)
          const warnings = await silenceWarnings(
            tx,
            tenant_id,
            items.map(({ matchers }) => matchers)
          )
          return envelope(
            items.map((silence, index) => toDetail(silence, warnings[index] ?? [], at)),
            total,
            page
          )
        })
      }
    })

    app.route({
      ...on('createSilence', {
        querystring: CreateSilenceQuery,
        body: CreateSilenceBody,
        response: { 200: SilencePreview, 201: SilenceDetail }
      }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        if (request.query.preview)
          return reply.code(200).send(await tenantTransaction(pool, caller, (tx) => preview(tx, caller, request.body)))
        const silence = await tenantTransaction(pool, caller, async (tx) => shown(tx, await create(tx, caller, request.body)))
        return reply.code(201).header('etag', `"${silence.version}"`).send(silence)
      }
    })

    app.route({
      ...on('readSilence', { params: Params, response: { 200: SilenceDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const id = request.params.id.toLowerCase()
        const silence = await keyedTransaction(pool, caller, async (tx) => shown(tx, await seenSilence(tx, caller, id)))
        return reply.header('etag', `"${silence.version}"`).send(silence)
      }
    })

    app.route({
      ...on('updateSilence', { params: Params, body: UpdateSilenceBody, response: { 200: SilenceDetail } }),
      handler: async (request, reply) => {
        const id = request.params.id.toLowerCase()
        const silence = await tenantTransaction(pool, callerOf(request), async (tx) =>
          shown(tx, await change(tx, request, id, request.body))
        )
        return reply.header('etag', `"${silence.version}"`).send(silence)
      }
    })

    app.route({
      ...on('expireSilence', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        await tenantTransaction(pool, callerOf(request), (tx) => expire(tx, request, request.params.id.toLowerCase()))
        return reply.code(204).send(null)
      }
    })
  }
