/**
 * Notification channels and their kinds. Secrets are sealed and never shown again. A channel of a
 * team that the caller must not see does not exist for them.
 * Source: docs/design/api/notifications.md#no-1 to #no-7 and #no-26.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import {
  ChannelDetail,
  type ChannelKindItem,
  ChannelKindList,
  ChannelList,
  ChannelQuery,
  ConfirmChannelQuery,
  CreateChannelBody,
  CreateChannelQuery,
  DeleteChannelQuery,
  ReplaceChannelBody,
  UpdateChannelBody
} from '../../../schemas/http/notification-channels.ts'
import { type ChannelKind, channelKinds } from '../../../schemas/http/notification-words.ts'
import { type Plan, planOf } from '../../../schemas/plans.ts'
import { apps } from '../../channels/apps/index.ts'
import type { Deployment } from '../../channels/channel.ts'
import { channels } from '../../channels/kinds/index.ts'
import { deploymentOf, sendersOf } from '../../delivery/senders.ts'
import { createAddressGuard } from '../../http/address-guard.ts'
import { insertAudit } from '../../store/audit.ts'
import { listChannels, readChannel, type StoredChannel } from '../../store/channels.ts'
import { readTestedChannel, type TestedChannel } from '../../store/delivery-reads.ts'
import { keyedTransaction, tenantTransaction } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import { isSetUp } from './addresses.ts'
import { type ChannelRules, changeChannel, createChannel, endChannel, planHas, planWith } from './channel-change.ts'
import { shownConfig } from './channel-config.ts'
import { planHasApp, planWithApp } from './channel-install.ts'
import { confirmAgain } from './confirmation.ts'
import { failureOfTest, testedDiff, testRates } from './send-test.ts'
import { endBot, withBot } from './telegram-bot.ts'

const Params = Type.Object({ id: Id })

/** Rolls back a transaction that only tried something out. */
class TakenBack extends Error {
  override readonly name = 'TakenBack'
}

export function toChannelDetail(stored: StoredChannel): ChannelDetail {
  const channel = channels[stored.kind]
  return {
    id: stored.channel_id,
    tenant_id: stored.tenant_id,
    name: stored.name,
    kind: stored.kind,
    enabled: stored.enabled,
    team_id: stored.team_id,
    is_default: stored.is_default,
    verified_at: iso(stored.verified_at),
    needs_verification: (channel?.verified ?? false) && stored.verified_at === null,
    target: channel?.target(stored.config) ?? '',
    config: channel ? shownConfig(channel, stored.config) : {},
    events: stored.events,
    min_severity: stored.min_severity,
    template_overrides: stored.template_overrides,
    allowed_team_ids: stored.allowed_team_ids,
    health: {
      state: stored.health_state,
      disabled_reason: stored.disabled_reason,
      last_ok_at: iso(stored.last_ok_at),
      last_error: stored.last_error,
      consecutive_failures: stored.consecutive_failures,
      quota_exhausted_until: iso(stored.quota_exhausted_until)
    },
    created_by: stored.created_by,
    created_at: iso(stored.created_at),
    updated_at: iso(stored.updated_at),
    version: stored.ver
  }
}

/** `deployment` null: nothing of an install can be stored. */
function appFor(plan: Plan, kind: ChannelKind, deployment: Deployment | null): ChannelKindItem['app'] {
  const app = apps[kind]
  if (!app) return null
  const available = planHasApp(plan, kind)
  const set_up = deployment !== null && app.account(deployment) !== null
  return { set_up, available, upgrade_to: available ? null : planWithApp(plan, kind) }
}

const kindsFor = (plan: Plan, rules: ChannelRules, deployment: Deployment | null): ChannelKindItem[] =>
  channelKinds.flatMap((kind) => {
    const channel = channels[kind]
    if (!channel) return []
    const available = planHas(plan, kind)
    return [
      {
        kind,
        name: channel.name,
        hint: channel.hint,
        family: channel.family,
        schema: JSON.parse(JSON.stringify(channel.config)),
        secrets: channel.fields.filter(({ secret, read_only }) => secret && !read_only).map(({ name }) => name),
        default_events: [...channel.events],
        needs_verification: channel.verified,
        available,
        set_up: isSetUp(rules, kind),
        upgrade_to: available ? null : planWith(plan, kind),
        app: appFor(plan, kind, deployment)
      }
    ]
  })

export const channelRoutes =
  ({ pool, config, log }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { secretsKey, channelAllowCidrs, publicUrl, twilioAccountSid } = config
    const senders = sendersOf(config, pool)
    app.addHook('onClose', async () => senders.close())
    const bots = { pool, config, log, http: senders.http }
    const deployment = secretsKey === '' ? null : deploymentOf(config)
    const guard = createAddressGuard({ open: channelAllowCidrs, closed: [], own: [] })
    const rules: ChannelRules = { secretsKey, guard, allowHttp: channelAllowCidrs.length > 0, twilioAccountSid }

    /**
     * Creates the channel, rolls back, and then tests it: nothing is locked while the other side
     * answers.
     */
    async function verifyFirst(caller: Caller, body: CreateChannelBody): Promise<void> {
      const { tenant_id } = caller
      const tried: TestedChannel[] = []
      await tenantTransaction(pool, caller, async (tx) => {
        const made = await createChannel(tx, caller, body, rules)
        const stored = await readTestedChannel(tx, tenant_id, made.channel_id)
        if (stored) tried.push(stored)
        throw new TakenBack('the channel is tested before it is saved')
      }).catch((error: unknown) => {
        if (!(error instanceof TakenBack)) throw error
      })
      const [stored] = tried
      if (!stored) throw notFound()
      const failure = await failureOfTest({ pool, config, senders, rates: testRates }, caller, stored)
      if (failure !== null) throw invalid('config', 'test_failed', `was not saved, because the test did not arrive: ${failure}`)
    }

    app.route({
      ...on('listChannels', { querystring: ChannelQuery, response: { 200: ChannelList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { page: _page, per_page: _per_page, ...filter } = request.query
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, caller, (tx) => listChannels(tx, caller.tenant_id, filter, page))
        return envelope(items.map(toChannelDetail), total, page)
      }
    })

    app.route({
      ...on('createChannel', { querystring: CreateChannelQuery, body: CreateChannelBody, response: { 201: ChannelDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        if (request.query.verify) await verifyFirst(caller, request.body)
        const saved = await keyedTransaction(pool, caller, async (tx) => {
          const created = await createChannel(tx, caller, request.body, rules)
          const act = { action: 'channel.tested', object_type: 'channel', object_id: created.channel_id, diff: testedDiff(true) }
          if (request.query.verify) await insertAudit(tx, caller.tenant_id, caller.actor, act)
          return created
        })
        const made = await withBot(bots, caller, saved)
        return reply.code(201).header('etag', `"${made.ver}"`).send(toChannelDetail(made))
      }
    })

    app.route({
      ...on('readChannel', { params: Params, response: { 200: ChannelDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const channel = await keyedTransaction(pool, caller, (tx) => readChannel(tx, caller.tenant_id, request.params.id))
        if (!channel) throw notFound()
        return reply.header('etag', `"${channel.ver}"`).send(toChannelDetail(channel))
      }
    })

    app.route({
      ...on('updateChannel', { params: Params, body: UpdateChannelBody, response: { 200: ChannelDetail } }),
      handler: async (request, reply) => {
        const { params, body } = request
        const caller = callerOf(request)
        const saved = await keyedTransaction(pool, caller, (tx) => changeChannel(tx, request, params.id, body, rules, false))
        const after = await withBot(bots, caller, saved)
        return reply.header('etag', `"${after.ver}"`).send(toChannelDetail(after))
      }
    })

    app.route({
      ...on('replaceChannel', { params: Params, body: ReplaceChannelBody, response: { 200: ChannelDetail } }),
      handler: async (request, reply) => {
        const { params, body } = request
        const caller = callerOf(request)
        const saved = await keyedTransaction(pool, caller, (tx) => changeChannel(tx, request, params.id, body, rules, true))
        const after = await withBot(bots, caller, saved)
        return reply.header('etag', `"${after.ver}"`).send(toChannelDetail(after))
      }
    })

    app.route({
      ...on('confirmChannelAgain', { params: Params, response: { 202: Type.Object({}) } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await keyedTransaction(pool, caller, (tx) => confirmAgain(tx, caller, request.params.id, rules))
        return reply.code(202).send({})
      }
    })

    app.route({
      ...on('deleteChannel', { params: Params, querystring: DeleteChannelQuery, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const { params, query } = request
        const caller = callerOf(request)
        const was = await tenantTransaction(pool, caller, (tx) => endChannel(tx, request, params.id, query.force ?? false))
        await endBot(bots, caller, was)
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('listChannelKinds', { response: { 200: ChannelKindList } }),
      handler: async (request) => ({ items: kindsFor(planOf(callerOf(request).plan), rules, deployment) })
    })

    app.route({
      ...on('confirmChannel', { querystring: ConfirmChannelQuery, response: { 302: Type.Null() } }),
      // Opening a mail's link changes nothing: the page asks first (links.ts).
      handler: async (request, reply) => reply.redirect(`${publicUrl}/links/${encodeURIComponent(request.query.token)}`, 302)
    })
  }
