/**
 * Inbound integrations and the sources they may have. The token is shown once, with the address
 * that contains it and the text to paste into the sender. Deleting an integration ends its token at
 * every door within 5 s.
 * Source: docs/design/api/alerts-and-routing.md#s6-5.
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
  type SourceItem,
  SourceList,
  type SourceSetting,
  UpdateIntegrationBody
} from '../../../schemas/http/integrations.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { mintIntegrationToken } from '../../credentials/credentials.ts'
import { sealForTenant } from '../../credentials/sealing.ts'
import type { Setting, Source } from '../../intake/source.ts'
import { incomingUrl } from '../../intake/source-text.ts'
import { sources } from '../../intake/sources/index.ts'
import { type Actor, actorText, difference, insertAudit, isUnchanged } from '../../store/audit.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { type Ignored, readIgnored } from '../../store/intake-facts.ts'
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
  unset,
  updateIntegration
} from '../../store/integrations.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { askPatiently } from '../analytics/patience.ts'
import { chosenPolicy, givenPolicy } from '../escalation/rules.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { checkRoutes, chosenTeam, givenTeam } from '../teams/rules.ts'
import { checkLimit } from '../workspace/limits.ts'
import { beforeNaming } from '../workspace/naming.ts'
import { changedSettings, checkIntegration, type Declared, shownSettings } from './rules.ts'

/** Shown in place of a token that cannot be shown again. */
const TOKEN_PLACEHOLDER = '<token>'
const INCOMING = '/api/v1/webhooks/incoming/{integration_token}'

/** The address without a credential: the source's own door if it has one. */
const doorUrl = (source_type: SourceType, publicUrl: string): string => {
  const own = sources[source_type].about.doors?.[0]
  return own === undefined ? incomingUrl(publicUrl, '') : `${publicUrl}${own}`
}

/** What analytics knows about an integration; null if it does not answer. */
interface Activity {
  last_event_at: number | null
  events: number | null
  errors: number | null
}

const UNKNOWN: Activity = { last_event_at: null, events: null, errors: null }
const NONE: Activity = { last_event_at: null, events: 0, errors: 0 }
const NONE_IGNORED: Ignored = { ignoring_since: null, reasons: [] }

const sourceOf = (source_type: SourceType): Source => sources[source_type]

/** `token` is given only when it was just made. */
function toDetail(
  integration: Integration,
  publicUrl: string,
  token: string | null,
  activity: Activity,
  ignored: Ignored = NONE_IGNORED
): IntegrationDetail {
  const { source_type } = integration
  const { about, options = {}, verify } = sourceOf(source_type)
  return {
    id: integration.integration_id,
    tenant_id: integration.tenant_id,
    name: integration.name,
    source_type,
    enabled: integration.enabled,
    team_id: integration.team_id,
    escalation_policy_id: integration.escalation_policy_id,
    visibility: integration.visibility,
    default_severity: integration.default_severity,
    severity_map: integration.severity_map,
    labels_add: integration.labels_add,
    capture: integration.capture,
    options: shownSettings(options, integration.options),
    verify: shownSettings(verify?.settings ?? {}, integration.verify),
    allowed_cidrs: [...integration.allowed_cidrs],
    dedup_template: integration.dedup_template,
    auto_resolve_minutes: integration.auto_resolve_minutes,
    disconnected_at: iso(integration.disconnected_at),
    last_event_at: iso(activity.last_event_at),
    event_count_24h: activity.events,
    error_count_24h: activity.errors,
    ignored: ignored.reasons.map(({ reason, deliveries, last_at }) => ({ reason, deliveries, last_at: iso(last_at) })),
    ignoring_since: iso(ignored.ignoring_since),
    token_prefix: integration.token_prefix,
    token,
    endpoint_url: token && incomingUrl(publicUrl, token),
    door_url: doorUrl(source_type, publicUrl),
    instructions: about.instructions(publicUrl, token ?? TOKEN_PLACEHOLDER),
    created_at: iso(integration.created_at),
    updated_at: iso(integration.updated_at),
    version: integration.ver
  }
}

const settingsOf = (integration: Integration): IntegrationSettings => {
  const { name, enabled, default_severity, severity_map, labels_add, capture } = integration
  const { options, verify, allowed_cidrs, dedup_template, auto_resolve_minutes, team_id, escalation_policy_id } = integration
  return {
    name,
    enabled,
    default_severity,
    severity_map,
    labels_add,
    capture,
    options,
    verify,
    allowed_cidrs,
    dedup_template,
    auto_resolve_minutes,
    team_id,
    escalation_policy_id
  }
}

/**
 * Writes the change without secrets. If only a secret changed, the diff has `verify` with both
 * sides alike.
 */
async function record(tx: Tx, actor: Actor, action: string, before: Integration | null, after: Integration): Promise<void> {
  const declared = sourceOf(after.source_type).verify?.settings ?? {}
  const shown = (settings: IntegrationSettings): Record<string, unknown> => shownSettings(declared, settings.verify)
  const settings = settingsOf(after)
  const diff = before ? difference(settingsOf(before), settings) : {}
  if (before && diff.verify) diff.verify = [shown(before), shown(after)]
  await insertAudit(tx, after.tenant_id, actor, { action, object_type: 'integration', object_id: after.integration_id, diff })
  const { source_type, visibility } = after
  await insertConfigVersion(tx, after.tenant_id, {
    kind: 'integration',
    id: after.integration_id,
    version: after.ver,
    body: { ...settings, verify: shown(after), source_type, visibility },
    actor: actorText(actor)
  })
}

const toSetting = ([name, setting]: [string, Setting]): SourceSetting =>
  setting.type === 'choice' ? { name, ...setting, choices: [...setting.choices] } : { name, ...setting }
const listed = (declared: Declared): SourceSetting[] => Object.entries(declared).map(toSetting)

function toSource(source_type: SourceType, publicUrl: string): SourceItem {
  const { about, default_severity = 'warning', options = {}, verify } = sourceOf(source_type)
  const { instructions, doors = [], severity_map, ...text } = about
  return {
    source_type,
    ...text,
    doors: [...doors, INCOMING],
    severity_map: { ...severity_map },
    default_severity,
    options: listed(options),
    verify: verify ? { always: verify.always ?? false, settings: listed(verify.settings) } : null,
    instructions: instructions(publicUrl, TOKEN_PLACEHOLDER)
  }
}

const Params = Type.Object({ id: Id })

export const integrationRoutes =
  ({ pool, analytics, patience, config: { publicUrl, secretsKey } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const ask = askPatiently(analytics, patience)

    async function activities(tenant_id: string, integrations: readonly Integration[]): Promise<(of: Integration) => Activity> {
      if (integrations.length === 0) return () => NONE
      const integration_ids = integrations.map(({ integration_id }) => integration_id)
      const rows = await ask('integration_activity', tenant_id, { integration_ids, at: Date.now() })
      const found = new Map(rows?.map(({ integration_id, ...activity }) => [integration_id, activity]))
      return ({ integration_id }) => found.get(integration_id) ?? (rows ? NONE : UNKNOWN)
    }

    const ignoredBy = (tenant_id: string, integrations: readonly Integration[]): Promise<Map<string, Ignored>> =>
      keyedTransaction(pool, wholeWorkspace(tenant_id), (tx) =>
        readIgnored(
          tx,
          tenant_id,
          integrations.map(({ integration_id }) => integration_id)
        )
      )

    async function shown(integration: Integration, token: string | null): Promise<IntegrationDetail> {
      const { tenant_id, integration_id } = integration
      const [activityOf, ignored] = await Promise.all([activities(tenant_id, [integration]), ignoredBy(tenant_id, [integration])])
      return toDetail(integration, publicUrl, token, activityOf(integration), ignored.get(integration_id))
    }

    /** Returns the changed settings. Throws VALIDATION_FAILED. */
    function changed(
      { tenant_id, integration_id, source_type }: Pick<Integration, 'tenant_id' | 'integration_id' | 'source_type'>,
      before: IntegrationSettings,
      { options = {}, verify = {}, ...fields }: Partial<IntegrationSettings>
    ): IntegrationSettings {
      const source = sourceOf(source_type)
      checkIntegration(fields, { source, before: before.dedup_template })
      const seal = (plain: string, field: string): string => {
        if (secretsKey === '')
          throw new ApiError('UNAVAILABLE', 'This service cannot store secrets. Its operator must set SERVICE_SECRETS_KEY')
        return sealForTenant(secretsKey, { tenant_id, resource: `integration:${integration_id}`, field }, plain)
      }
      return {
        ...before,
        ...fields,
        options: changedSettings({ path: 'options', declared: source.options ?? {}, before: before.options, changes: options, seal }),
        verify: changedSettings({ path: 'verify', declared: source.verify?.settings ?? {}, before: before.verify, changes: verify, seal })
      }
    }

    app.route({
      ...on('listSources', { querystring: Type.Object(paging), response: { 200: SourceList } }),
      handler: async (request) => {
        const page = pageOf(request.query)
        const items = sourceTypes
          .slice((page.page - 1) * page.per_page, page.page * page.per_page)
          .map((source_type) => toSource(source_type, publicUrl))
        return envelope(items, sourceTypes.length, page)
      }
    })

    app.route({
      ...on('listIntegrations', { querystring: Type.Object(paging), response: { 200: IntegrationList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, callerOf(request), (tx) => listIntegrations(tx, tenant_id, page))
        const [activityOf, ignored] = await Promise.all([activities(tenant_id, items), ignoredBy(tenant_id, items)])
        return envelope(
          items.map((item) => toDetail(item, publicUrl, null, activityOf(item), ignored.get(item.integration_id))),
          total,
          page
        )
      }
    })

    app.route({
      ...on('createIntegration', { body: CreateIntegrationBody, response: { 201: IntegrationDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { name, source_type, ...fields } = request.body
        const integration_id = uuidv7()
        const settings = changed({ tenant_id, integration_id, source_type }, { name, ...unset }, fields)
        const minted = mintIntegrationToken()
        const integration = await keyedTransaction(pool, callerOf(request), async (tx) => {
          await checkLimit(tx, tenant_id, 'inbound_integrations', countIntegrations)
          settings.team_id = await chosenTeam(tx, callerOf(request), 'team_id', settings.team_id)
          settings.escalation_policy_id = await chosenPolicy(tx, callerOf(request), settings.escalation_policy_id)
          await checkRoutes(tx, callerOf(request), settings.team_id)
          const { sha256, prefix } = minted
          const created = await insertIntegration(tx, tenant_id, { ...settings, integration_id, source_type, sha256, prefix })
          await record(tx, actor, 'integration.created', null, created)
          return created
        })
        return reply
          .code(201)
          .header('etag', `"${integration.ver}"`)
          .send(toDetail(integration, publicUrl, minted.value, NONE))
      }
    })

    app.route({
      ...on('readIntegration', { params: Params, response: { 200: IntegrationDetail } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const integration = await keyedTransaction(pool, callerOf(request), (tx) => readIntegration(tx, tenant_id, request.params.id))
        if (!integration) throw notFound()
        return reply.header('etag', `"${integration.ver}"`).send(await shown(integration, null))
      }
    })

    app.route({
      ...on('updateIntegration', { params: Params, body: UpdateIntegrationBody, response: { 200: IntegrationDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { source_type, ...changes } = request.body
        const integration = await keyedTransaction(pool, callerOf(request), async (tx) => {
          await beforeNaming(tx, tenant_id, changes)
          const before = await lockIntegration(tx, tenant_id, request.params.id)
          if (!before) throw notFound()
          if (source_type !== undefined && source_type !== before.source_type)
            throw invalid('source_type', 'immutable', 'is fixed at creation')
          const team_id = await givenTeam(tx, callerOf(request), before.team_id, changes.team_id)
          await checkRoutes(tx, callerOf(request), before.team_id, team_id)
          const escalation_policy_id = await givenPolicy(tx, callerOf(request), before.escalation_policy_id, changes.escalation_policy_id)
          const settings = { ...changed(before, settingsOf(before), changes), team_id, escalation_policy_id }
          if (isUnchanged(settingsOf(before), settings)) return before
          const after = await updateIntegration(tx, tenant_id, before.integration_id, settings)
          if (!after) throw notFound()
          await record(tx, actor, 'integration.updated', before, after)
          return after
        })
        return reply.header('etag', `"${integration.ver}"`).send(await shown(integration, null))
      }
    })

    app.route({
      ...on('deleteIntegration', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        await keyedTransaction(pool, callerOf(request), async (tx) => {
          const gone = await deleteIntegration(tx, tenant_id, request.params.id)
          if (!gone) throw notFound()
          await checkRoutes(tx, callerOf(request), gone.team_id)
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
        const integration = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const rotated = await replaceIntegrationToken(tx, tenant_id, request.params.id, { ...minted, grace_minutes })
          if (!rotated) throw notFound()
          await checkRoutes(tx, callerOf(request), rotated.team_id)
          await record(tx, actor, 'integration.token_rotated', null, rotated)
          return rotated
        })
        return reply.header('etag', `"${integration.ver}"`).send(await shown(integration, minted.value))
      }
    })
  }
