/**
 * The texts that a workspace uses in its messages. Every fault in a text is reported with its path
 * before it is stored. Deleting a template restores the service's own text.
 * Source: docs/design/api/notifications.md#no-23 to #no-25.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import type { Template } from '../../../schemas/http/template-words.ts'
import {
  CreateTemplateBody,
  PreviewTemplateBody,
  TemplateDetail,
  TemplateList,
  TemplatePreview,
  TemplateQuery,
  UpdateTemplateBody
} from '../../../schemas/http/templates.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { sampleMessage } from '../../channels/sample.ts'
import { inWordsOf } from '../../channels/template.ts'
import { bodyOf, titleOf } from '../../channels/words.ts'
import { actorText, difference, insertAudit } from '../../store/audit.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { deleteTemplate, insertTemplate, listTemplates, readTemplate, type StoredTemplate, updateTemplate } from '../../store/templates.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound, refuse } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import type { Services } from '../services.ts'
import { templateFaults } from './template-faults.ts'

const Params = Type.Object({ id: Id })

const toDetail = (stored: StoredTemplate): TemplateDetail => ({
  id: stored.template_id,
  tenant_id: stored.tenant_id,
  kind: stored.kind,
  event: stored.event,
  title: stored.title,
  body: stored.body,
  created_by: stored.created_by,
  created_at: iso(stored.created_at),
  updated_at: iso(stored.updated_at),
  version: stored.ver
})

/** Throws VALIDATION_FAILED with every faulty text. */
function checked({ title = null, body = null }: Partial<Template>): Template {
  refuse(templateFaults('', { title, body }))
  return { title, body }
}

const record = (tx: Tx, { tenant_id, actor }: Caller, action: string, object_id: string, diff: Record<string, [unknown, unknown]> = {}) =>
  insertAudit(tx, tenant_id, actor, { action, object_type: 'template', object_id, diff })

async function create(tx: Tx, caller: Caller, { kind = null, event, ...texts }: CreateTemplateBody): Promise<StoredTemplate> {
  const { tenant_id, actor } = caller
  const made = await insertTemplate(tx, {
    tenant_id,
    template_id: uuidv7(),
    kind,
    event,
    ...checked(texts),
    created_by: actorText(actor)
  })
  if (!made) throw new ApiError('CONFLICT', 'A template for this kind and event already exists. Change that one')
  await record(tx, caller, 'template.created', made.template_id)
  return made
}

async function held(tx: Tx, { tenant_id }: Caller, id: string): Promise<StoredTemplate> {
  const found = await readTemplate(tx, tenant_id, id, true)
  if (!found) throw notFound()
  return found
}

export const templateRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { publicUrl } = config

    app.route({
      ...on('listTemplates', { querystring: TemplateQuery, response: { 200: TemplateList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { kind, event } = request.query
        const page = pageOf(request.query)
        const filter = { ...(kind !== undefined && { kind }), ...(event !== undefined && { event }) }
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listTemplates(tx, caller.tenant_id, filter, page))
        return envelope(items.map(toDetail), total, page)
      }
    })

    app.route({
      ...on('createTemplate', { body: CreateTemplateBody, response: { 201: TemplateDetail } }),
      handler: async (request, reply) => {
        const made = await keyedTransaction(pool, callerOf(request), (tx) => create(tx, callerOf(request), request.body))
        return reply.code(201).header('etag', `"${made.ver}"`).send(toDetail(made))
      }
    })

    app.route({
      ...on('readTemplate', { params: Params, response: { 200: TemplateDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const found = await keyedTransaction(pool, caller, (tx) => readTemplate(tx, caller.tenant_id, request.params.id))
        if (!found) throw notFound()
        return reply.header('etag', `"${found.ver}"`).send(toDetail(found))
      }
    })

    app.route({
      ...on('updateTemplate', { params: Params, body: UpdateTemplateBody, response: { 200: TemplateDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const after = await keyedTransaction(pool, caller, async (tx) => {
          const { ver, title, body, template_id } = await held(tx, caller, request.params.id)
          checkIfMatch(request, ver)
          const texts = checked({ title, body, ...request.body })
          const diff = difference({ title, body }, texts)
          if (Object.keys(diff).length > 0) {
            await updateTemplate(tx, tenant_id, template_id, texts)
            await record(tx, caller, 'template.updated', template_id, diff)
          }
          return held(tx, caller, template_id)
        })
        return reply.header('etag', `"${after.ver}"`).send(toDetail(after))
      }
    })

    app.route({
      ...on('deleteTemplate', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await keyedTransaction(pool, caller, async (tx) => {
          const { ver, template_id } = await held(tx, caller, request.params.id)
          checkIfMatch(request, ver)
          await deleteTemplate(tx, caller.tenant_id, template_id)
          await record(tx, caller, 'template.deleted', template_id)
        })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('previewTemplate', { body: PreviewTemplateBody, response: { 200: TemplatePreview } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const { event, ...texts } = request.body
        const template = checked(texts)
        const workspace = await keyedTransaction(pool, caller, (tx) => readWorkspace(tx, tenant_id))
        if (!workspace) throw notFound()
        const { name, slug } = workspace
        const now = Date.now()
        const message = inWordsOf(template, sampleMessage(event, { tenant_id, name, slug }, { publicUrl, now }))
        return { title: titleOf(message), body: bodyOf(message, now) }
      }
    })
  }
