/**
 * Inbound integrations and the sources they may have. The token is shown once, with the address that holds it and the text to paste into the sender;
 * deleting an integration ends its token at every door within 5 s. Source: api-design.md 6.5.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { type SourceType, sourceTypes } from '../../../schemas/generated/source-types.ts'
import { envelope, Id, iso, paging } from '../../../schemas/http/common.ts'
import {
  CreateIntegrationBody,
  IntegrationDetail,
  IntegrationList,
  RotateBody,
  SourceList,
  UpdateIntegrationBody
} from '../../../schemas/http/integrations.ts'
import { mintIntegrationToken } from '../../credentials.ts'
import { incomingUrl } from '../../intake/source-text.ts'
import { sources } from '../../intake/sources/index.ts'
import { type Actor, actorText, difference, insertAudit } from '../../store/audit.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import {
  countIntegrations,
  deleteIntegration,
  type Integration,
  type IntegrationSettings,
  insertIntegration,
  listIntegrations,
  lockIntegration,
  readIntegration,
  replaceIntegrationToken,
  updateIntegration
} from '../../store/integrations.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { callerOf } from '../caller.ts'
import { on } from '../endpoint.ts'
import { invalid, notFound } from '../errors.ts'
import { checkLimit } from '../limits.ts'
import { pageOf } from '../paging.ts'
import type { Services } from '../services.ts'

/** Stands where a token was, when it cannot be shown again. */
const TOKEN_PLACEHOLDER = '<token>'
const INCOMING = '/api/v1/webhooks/incoming/{integration_token}'

/** The address without a credential: the source's own door where it has one. */
const doorUrl = (source_type: SourceType, publicUrl: string): string => {
  const own = sources[source_type].about.doors?.[0]
  return own === undefined ? incomingUrl(publicUrl, '') : `${publicUrl}${own}`
}

/** `token` only where it was just made. */
function toDetail(integration: Integration, publicUrl: string, token: string | null): IntegrationDetail {
  const { source_type } = integration
  return {
    id: integration.integration_id,
    tenant_id: integration.tenant_id,
    name: integration.name,
    source_type,
    enabled: integration.enabled,
    team_id: integration.team_id,
    visibility: integration.visibility,
    default_severity: integration.default_severity,
    severity_map: integration.severity_map,
    labels_add: integration.labels_add,
    capture: integration.capture,
    token_prefix: integration.token_prefix,
    token,
    endpoint_url: token && incomingUrl(publicUrl, token),
    door_url: doorUrl(source_type, publicUrl),
    instructions: sources[source_type].about.instructions(publicUrl, token ?? TOKEN_PLACEHOLDER),
    created_at: iso(integration.created_at),
    updated_at: iso(integration.updated_at),
    version: integration.ver
  }
}

const settingsOf = ({ name, enabled, default_severity, severity_map, labels_add, capture }: Integration): IntegrationSettings => ({
  name,
  enabled,
  default_severity,
  severity_map,
  labels_add,
  capture
})

async function record(tx: Tx, actor: Actor, action: string, before: Integration | null, after: Integration): Promise<void> {
  const settings = settingsOf(after)
  const diff = before ? difference(settingsOf(before), settings) : {}
  await insertAudit(tx, after.tenant_id, actor, { action, object_type: 'integration', object_id: after.integration_id, diff })
  const body = { ...settings, source_type: after.source_type, team_id: after.team_id, visibility: after.visibility }
  await insertConfigVersion(tx, after.tenant_id, {
    kind: 'integration',
    id: after.integration_id,
    version: after.ver,
    body,
    actor: actorText(actor)
  })
}

const Params = Type.Object({ id: Id })

export const integrationRoutes =
  ({ pool, config: { publicUrl } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listSources', { querystring: Type.Object(paging), response: { 200: SourceList } }),
      handler: async (request) => {
        const page = pageOf(request.query)
        const items = sourceTypes.slice((page.page - 1) * page.per_page, page.page * page.per_page).map((type) => {
          const { instructions, doors = [], severity_map, ...text } = sources[type].about
          return {
            source_type: type,
            ...text,
            doors: [...doors, INCOMING],
            severity_map: { ...severity_map },
            instructions: instructions(publicUrl, TOKEN_PLACEHOLDER)
          }
        })
        return envelope(items, sourceTypes.length, page)
      }
    })

    app.route({
      ...on('listIntegrations', { querystring: Type.Object(paging), response: { 200: IntegrationList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, tenant_id, (tx) => listIntegrations(tx, tenant_id, page))
        return envelope(
          items.map((item) => toDetail(item, publicUrl, null)),
          total,
          page
        )
      }
    })

    app.route({
      ...on('createIntegration', { body: CreateIntegrationBody, response: { 201: IntegrationDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const {
          name,
          source_type,
          enabled = true,
          default_severity = null,
          severity_map = {},
          labels_add = {},
          capture = false
        } = request.body
        const minted = mintIntegrationToken()
        const integration = await tenantTransaction(pool, tenant_id, async (tx) => {
          await checkLimit(tx, tenant_id, 'inbound_integrations', countIntegrations)
          const settings = { name, enabled, default_severity, severity_map, labels_add, capture }
          const created = await insertIntegration(tx, tenant_id, { ...settings, source_type, sha256: minted.sha256, prefix: minted.prefix })
          await record(tx, actor, 'integration.created', null, created)
          return created
        })
        return reply
          .code(201)
          .header('etag', `"${integration.ver}"`)
          .send(toDetail(integration, publicUrl, minted.value))
      }
    })

    app.route({
      ...on('readIntegration', { params: Params, response: { 200: IntegrationDetail } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const integration = await tenantTransaction(pool, tenant_id, (tx) => readIntegration(tx, tenant_id, request.params.id))
        if (!integration) throw notFound()
        return reply.header('etag', `"${integration.ver}"`).send(toDetail(integration, publicUrl, null))
      }
    })

    app.route({
      ...on('updateIntegration', { params: Params, body: UpdateIntegrationBody, response: { 200: IntegrationDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { source_type, ...changes } = request.body
        const integration = await tenantTransaction(pool, tenant_id, async (tx) => {
          const before = await lockIntegration(tx, tenant_id, request.params.id)
          if (!before) throw notFound()
          if (source_type !== undefined && source_type !== before.source_type)
            throw invalid('source_type', 'immutable', 'is fixed at creation')
          const after = await updateIntegration(tx, tenant_id, before.integration_id, { ...settingsOf(before), ...changes })
          if (!after) throw notFound()
          await record(tx, actor, 'integration.updated', before, after)
          return after
        })
        return reply.header('etag', `"${integration.ver}"`).send(toDetail(integration, publicUrl, null))
      }
    })

    app.route({
      ...on('deleteIntegration', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        await tenantTransaction(pool, tenant_id, async (tx) => {
          const gone = await deleteIntegration(tx, tenant_id, request.params.id)
          if (!gone) throw notFound()
          const { integration_id: id, ver } = gone
          await insertAudit(tx, tenant_id, actor, { action: 'integration.deleted', object_type: 'integration', object_id: id })
          await insertConfigVersion(tx, tenant_id, {
            kind: 'integration',
            id,
            version: ver + 1,
            body: { deleted: true },
            actor: actorText(actor)
          })
        })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('rotateIntegrationToken', { params: Params, body: RotateBody, response: { 200: IntegrationDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { grace_minutes = 60 } = request.body
        const minted = mintIntegrationToken()
        const integration = await tenantTransaction(pool, tenant_id, async (tx) => {
          const rotated = await replaceIntegrationToken(tx, tenant_id, request.params.id, { ...minted, grace_minutes })
          if (!rotated) throw notFound()
          await record(tx, actor, 'integration.token_rotated', null, rotated)
          return rotated
        })
        return reply.header('etag', `"${integration.ver}"`).send(toDetail(integration, publicUrl, minted.value))
      }
    })
  }
