/**
 * Deployment windows: a workflow opens them, they are bounded, and they are ended by a token that
 * works once and only for this.
 * Source: docs/design/api/maintenance.md#s10-2.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import {
  CancelDeploymentBody,
  DeploymentDetail,
  DeploymentList,
  DeploymentQuery,
  EndDeploymentBody,
  EndedDeployment,
  ExtendDeploymentBody,
  StartDeploymentBody,
  StartedDeployment
} from '../../../schemas/http/maintenance.ts'
import { DEPLOYMENT_MINUTES, SETTLE_SECONDS } from '../../../schemas/http/maintenance-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { storable } from '../../../streams/incident/rules.ts'
import { mintEndToken, sha256 } from '../../credentials/credentials.ts'
import { bearerToken } from '../../credentials/token-forms.ts'
import { type Actor, actorText, insertAudit } from '../../store/audit.ts'
import {
  type Deployment,
  failingOf,
  findWindowEnd,
  listWindows,
  lockWindow,
  type StoredWindow,
  spansOfRow,
  type WindowSettings,
  windowStateAt
} from '../../store/maintenance.ts'
import { addWindow, changeWindow } from '../../store/maintenance-turns.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { postgresNow } from '../../store/schedule-history.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import type { Services } from '../services.ts'
import {
  checkDeployments,
  checkEffect,
  checkScope,
  lockedWindow,
  matchedBy,
  newWindow,
  record,
  seenWindow,
  teamsOfMatchers
} from './change.ts'
import { checkedScope, toDeployment } from './shapes.ts'

const MINUTE_MS = 60_000
const Params = Type.Object({ id: Id })

function settingsOf(body: StartDeploymentBody, now: number): WindowSettings {
  const scope = checkedScope(body.scope)
  if (scope.all && body.confirm_all !== true) throw invalid('confirm_all', 'required', 'must be true: the scope is the whole workspace')
  const settings: WindowSettings = {
    name: storable(body.name),
    reason: null,
    scope,
    effect: body.effect ?? 'suppress_notifications',
    schedule: { kind: 'once', starts_at: now, ends_at: now + (body.duration_minutes ?? DEPLOYMENT_MINUTES) * MINUTE_MS },
    settle_seconds: body.settle_seconds ?? SETTLE_SECONDS,
    count_in_uptime: false
  }
  checkEffect(settings)
  return settings
}

const deploymentOf = ({ environment, service, version, git, run_url, on_expire }: StartDeploymentBody): Deployment => ({
  environment: environment ?? null,
  service: service ?? null,
  version: version ?? null,
  git: git ?? null,
  run_url: run_url ?? null,
  on_expire: on_expire ?? 'alert',
  extended: false,
  outcome: null,
  note: null
})

/** Returns the span that runs now; null: none does. */
const running = (window: StoredWindow, now: number) =>
  window.cancelled_at === null ? (spansOfRow(window).find((span) => span.starts_at <= now && now < span.ends_at) ?? null) : null

const cut = (window: StoredWindow, now: number, until: number): [number, number][] => [
  ...window.holes.map(([from, to]): [number, number] => [from, to]),
  [now, until]
]

/** Reads the token from the header, else from the body. Throws INVALID_END_TOKEN. */
function tokenOf(request: FastifyRequest, body: EndDeploymentBody): string {
  const header = request.headers.authorization
  const token = bearerToken('mwe', header ?? `Bearer ${body.end_token ?? ''}`)
  if (token === undefined) throw invalidToken()
  return token
}

const invalidToken = (): ApiError =>
  new ApiError('INVALID_END_TOKEN', 'No deployment window has this end token', { headers: { 'www-authenticate': 'Bearer' } })

async function end(tx: Tx, services: Services, window: StoredWindow, body: EndDeploymentBody, actor: Actor): Promise<EndedDeployment> {
  const { deployment, tenant_id, window_id } = window
  if (window.end_used_at !== null || window.cancelled_at !== null)
    throw new ApiError('END_TOKEN_USED', window.cancelled_at === null ? 'The end token was used already' : 'The window was cancelled')
  const now = await postgresNow(tx)
  const span = running(window, now)
  if (!span || !deployment) throw new ApiError('WINDOW_EXPIRED', 'The window reached its maximum duration and has already ended')
  const ended = { ...deployment, outcome: body.outcome ?? 'succeeded', note: body.note === undefined ? null : storable(body.note) }
  const after = { ...window, holes: cut(window, now, span.ends_at), end_used_at: now, deployment: ended }
  await changeWindow(tx, services.codec, window, after, { actor: actorText(actor), now })
  const diff: Record<string, [unknown, unknown]> = { outcome: [null, ended.outcome] }
  await insertAudit(tx, tenant_id, actor, { action: 'deployment.ended', object_type: 'maintenance_window', object_id: window_id, diff })
  const failing_now = await failingOf(tx, tenant_id, window.scope)
  return { id: window_id, ended_at: iso(now), duration_seconds: Math.round((now - span.starts_at) / 1000), failing_now }
}

/**
 * Locks the window, and returns it with the time of Postgres. Throws CONFLICT if it does not run.
 */
async function lockRunning(tx: Tx, caller: Caller, id: string) {
  const window = await lockedWindow(tx, caller, id, 'deployment')
  const now = await postgresNow(tx)
  const span = running(window, now)
  if (!span || !window.deployment) throw new ApiError('CONFLICT', `The window is ${windowStateAt(window, now)}`)
  return { window, span, deployment: window.deployment, now }
}

async function start(tx: Tx, services: Services, caller: Caller, body: StartDeploymentBody): Promise<StartedDeployment> {
  await checkDeployments(tx, caller)
  const now = await postgresNow(tx)
  const settings = settingsOf(body, now)
  await checkScope(tx, caller, settings.scope, null)
  const token = mintEndToken()
  const more = { origin: 'deployment', deployment: deploymentOf(body), team_ids: teamsOfMatchers(settings.scope) } as const
  const change = newWindow(caller, settings, more)
  const made = await addWindow(tx, services.codec, change, { actor: actorText(caller.actor), now, sha256: token.sha256 })
  await record(tx, caller, 'deployment.started', made.window_id)
  const window = await seenWindow(tx, caller, made.window_id)
  return {
    ...toDeployment(window, now),
    end_token: token.value,
    end_url: new URL('/api/v1/deployments/maintenance/end', services.config.publicUrl).href,
    matched: await matchedBy(tx, caller, settings.scope)
  }
}

async function extend(tx: Tx, services: Services, caller: Caller, id: string, minutes: number): Promise<StoredWindow> {
  const { window, span, deployment, now } = await lockRunning(tx, caller, id)
  if (deployment.extended) throw new ApiError('WINDOW_LIMIT', 'A window can be extended once')
  const ends_at = span.ends_at + minutes * MINUTE_MS
  const schedule = { kind: 'once', starts_at: span.starts_at, ends_at } as const
  const after = { ...window, schedule, deployment: { ...deployment, extended: true } }
  await changeWindow(tx, services.codec, window, after, { actor: actorText(caller.actor), now })
  await record(tx, caller, 'deployment.extended', id, { ends_at: [iso(span.ends_at), iso(ends_at)] })
  return seenWindow(tx, caller, id)
}

async function cancel(tx: Tx, services: Services, caller: Caller, id: string, note: string | undefined): Promise<StoredWindow> {
  const { window, deployment, now } = await lockRunning(tx, caller, id)
  const after = {
    ...window,
    cancelled_at: now,
    deployment: { ...deployment, outcome: 'cancelled' as const, note: note === undefined ? null : storable(note) }
  }
  await changeWindow(tx, services.codec, window, after, { actor: actorText(caller.actor), now })
  await record(tx, caller, 'deployment.cancelled', id)
  return seenWindow(tx, caller, id)
}

const shown = async (tx: Tx, window: StoredWindow): Promise<DeploymentDetail> => toDeployment(window, await postgresNow(tx))

export const deploymentRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { pool } = services

    app.route({
      ...on('startDeployment', { body: StartDeploymentBody, response: { 201: StartedDeployment } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const started = await tenantTransaction(pool, caller, (tx) => start(tx, services, caller, request.body))
        return reply.code(201).send(started)
      }
    })

    app.route({
      ...on('endDeployment', { body: EndDeploymentBody, response: { 200: EndedDeployment } }),
      handler: async (request) => {
        const token = tokenOf(request, request.body)
        const found = await findWindowEnd(pool, sha256(token))
        if (!found) throw invalidToken()
        const { tenant_id, window_id } = found
        const actor: Actor = { kind: 'system', id: `deployment:${window_id}`, via: 'api', request_id: request.id }
        return tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
          // If two requests come at the same time, one finds the token used.
          const window = await lockWindow(tx, tenant_id, window_id)
          if (!window) throw invalidToken()
          return end(tx, services, window, request.body, actor)
        })
      }
    })

    app.route({
      ...on('listDeployments', { querystring: DeploymentQuery, response: { 200: DeploymentList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        const { state: states, service, environment } = request.query
        const filter = { origin: 'deployment', states, service, environment } as const
        return tenantTransaction(pool, caller, async (tx) => {
          const at = await postgresNow(tx)
          const { items, total } = await listWindows(tx, caller.tenant_id, filter, at, page)
          return envelope(
            items.map((window) => toDeployment(window, at)),
            total,
            page
          )
        })
      }
    })

    app.route({
      ...on('readDeployment', { params: Params, response: { 200: DeploymentDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const id = request.params.id.toLowerCase()
        const window = await keyedTransaction(pool, caller, async (tx) => shown(tx, await seenWindow(tx, caller, id, 'deployment')))
        return reply.header('etag', `"${window.version}"`).send(window)
      }
    })

    app.route({
      ...on('extendDeployment', { params: Params, body: ExtendDeploymentBody, response: { 200: DeploymentDetail } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const id = request.params.id.toLowerCase()
        return tenantTransaction(pool, caller, async (tx) => shown(tx, await extend(tx, services, caller, id, request.body.minutes)))
      }
    })

    app.route({
      ...on('cancelDeployment', { params: Params, body: CancelDeploymentBody, response: { 200: DeploymentDetail } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const id = request.params.id.toLowerCase()
        return tenantTransaction(pool, caller, async (tx) => shown(tx, await cancel(tx, services, caller, id, request.body.note)))
      }
    })
  }
