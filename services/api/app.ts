/**
 * Builds the api without a listening socket: plugins in their order, then the routes. Tests use
 * `inject`.
 *
 * A request passes: id → security headers → who calls, whether they may, rate
 * (plugins/admission.ts) → body → validation → route. Everything before the body happens without
 * reading a byte of it, so a large body from a stranger costs nothing.
 */
import cookie from '@fastify/cookie'
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  LogController
} from 'fastify'
import type { Endpoint } from '../../schemas/http/endpoints.ts'
import { mailFate } from '../delivery/senders.ts'
import { endable } from '../http/http-end.ts'
import { requestIdOf } from '../http/request-id.ts'
import { version } from '../process/version.ts'
import { createAlertRoute } from './alerts/create.ts'
import { alertEventRoutes } from './alerts/events.ts'
import { explainRoutes } from './alerts/explain.ts'
import { alertRoutes } from './alerts/routes.ts'
import { analyticsRoutes } from './analytics/routes.ts'
import { mailCallbackRoutes } from './callbacks/mail.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import { discordRoutes } from './chat/discord.ts'
import { chatIdentityRoutes } from './chat/identities.ts'
import { installRoutes } from './chat/installs.ts'
import { linkedSenderRoutes } from './chat/linked-senders.ts'
import { pairingRoutes } from './chat/pairing.ts'
import { slackRoutes } from './chat/slack.ts'
import { telegramRoutes } from './chat/telegram.ts'
import { installDocs } from './docs/routes.ts'
import { byHandRoutes } from './escalation/by-hand.ts'
import { escalationPolicyRoutes } from './escalation/routes.ts'
import { feedRoutes } from './feed/routes.ts'
import { heartbeatRoutes } from './heartbeats/routes.ts'
import { clientErrors } from './http/client-errors.ts'
import { methodsOf } from './http/endpoint.ts'
import { absent, installErrors, send, toApiError } from './http/errors.ts'
import { refuseBadFraming } from './http/framing.ts'
import { compileSerializersLater } from './http/serialization.ts'
import { validatorCompiler } from './http/validation.ts'
import { incidentBulkRoutes } from './incidents/bulk.ts'
import { incidentCommentRoutes } from './incidents/comments.ts'
import { incidentEditRoutes } from './incidents/edit.ts'
import { incidentMergeRoutes } from './incidents/merge.ts'
import { incidentPageRoutes } from './incidents/page.ts'
import { postmortemRoutes } from './incidents/postmortem.ts'
import { incidentRoutes } from './incidents/routes.ts'
import { warRoomRoutes } from './incidents/war-room.ts'
import { integrationEventRoutes } from './integrations/events.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { testAlertRoute } from './integrations/test-alert.ts'
import { locationRoutes } from './locations/routes.ts'
import { deploymentRoutes } from './maintenance/deployments.ts'
import { maintenanceRoutes } from './maintenance/routes.ts'
import { monitorActions } from './monitors/actions.ts'
import { monitorBulkRoutes } from './monitors/bulk.ts'
import { certificateRoutes } from './monitors/certificates.ts'
import { createDefinitions } from './monitors/definition.ts'
import { monitorExplainRoutes } from './monitors/explain.ts'
import { groupRoutes } from './monitors/groups.ts'
import { importRoutes } from './monitors/import.ts'
import { pushRoute } from './monitors/pushed.ts'
import { monitorRoutes } from './monitors/routes.ts'
import { trialRoutes } from './monitors/trial.ts'
import { createUptimes } from './monitors/uptimes.ts'
import { channelRoutes } from './notifications/channels.ts'
import { deliveryRoutes } from './notifications/deliveries.ts'
import { deviceRoutes } from './notifications/devices.ts'
import { mailLinkRoutes } from './notifications/links.ts'
import { mailboxRoutes } from './notifications/mailbox.ts'
import { preferenceRoutes } from './notifications/preferences.ts'
import { templateRoutes } from './notifications/templates.ts'
import { verifyRoutes } from './notifications/verify.ts'
import { calendarRoutes } from './on-call/calendars.ts'
import { onCallNowRoutes } from './on-call/now.ts'
import { overrideRoutes } from './on-call/overrides.ts'
import { scheduleRoutes } from './on-call/schedules.ts'
import { swapRoutes } from './on-call/swaps.ts'
import { scheduleVersionRoutes } from './on-call/versions.ts'
import { accountRoutes } from './people/account.ts'
import { authRoutes } from './people/auth.ts'
import { forgottenRoutes } from './people/forgotten.ts'
import { Guesses } from './people/guesses.ts'
import { inviteRoutes } from './people/invites.ts'
import { memberRoutes } from './people/members.ts'
import { viewRoutes } from './people/views.ts'
import { createAdmission } from './plugins/admission.ts'
import { installBodies, MAX_BODY_BYTES } from './plugins/body.ts'
import { hideHiddenPolicies } from './plugins/hidden-policies.ts'
import { installLocalProxy } from './plugins/local-proxy.ts'
import { installOpenApi } from './plugins/openapi.ts'
import { proberRoutes } from './probers/routes.ts'
import { publicRoutes } from './public/routes.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { regionRoutes } from './regions/routes.ts'
import { backtestRoutes } from './routing/backtest-routes.ts'
import { routingRuleRoutes } from './routing/routes.ts'
import { routingSetRoutes } from './routing/set-routes.ts'
import { routingTestRoutes } from './routing/test-routes.ts'
import type { Services } from './services.ts'
import { silenceRoutes } from './silences/routes.ts'
import { teamRoutes } from './teams/routes.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { captureRoutes } from './watched/captures.ts'
import { historyRoutes } from './watched/histories.ts'
import { type Dashboard, installWeb, openDashboard, wantsPage } from './web.ts'
import { auditLogRoutes } from './workspace/audit-log.ts'
import { limitTeller } from './workspace/limit-notices.ts'
import { workspaceRoutes } from './workspace/routes.ts'

/** A sender that does not finish its headers, or its body, within this time is answered 408. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/**
 * A role must end within 10 s, and the notes about used credentials are written after the last
 * answer.
 */
const CLOSE_MS = 8000

/**
 * A route as the router has it. A route without an endpoint is passed on to another server, or
 * serves browsers.
 */
export interface Route {
  method: string
  url: string
  endpoint: Endpoint | null
  /** The schemas of what the route takes and answers. */
  schema: FastifySchema | undefined
}

type App = ReturnType<typeof makeServer>

export async function buildApp(services: Services): Promise<{ app: FastifyInstance; readiness: Readiness; routes: readonly Route[] }> {
  const { config, log, metrics, pool, uses, ingest } = services
  const readiness = createReadiness(pool)
  const app = makeServer(log, config.trustedProxies)
  const endConnections = endable(app.server)
  app.addHook('preClose', async () => endConnections(CLOSE_MS))
  app.setValidatorCompiler(validatorCompiler)
  refuseBadFraming(app)
  installErrors(app, limitTeller(services))
  const routes = recordRoutes(app)
  measureRequests(app, metrics)
  await app.register(cookie)
  await app.register(helmet, securityHeaders(config.publicUrl))
  await installOpenApi(app, config.publicUrl, version)
  const dashboard = openDashboard({ name: config.productName, frames: mailFate(config) === 'kept' })
  installAdmission(app, services, dashboard)
  // An absent body counts as {}.
  app.addHook('preValidation', async (request) => {
    if (request.routeOptions.config.endpoint && request.body === undefined) request.body = {}
  })
  await app.register(async (api) => {
    installBodies(api)
    hideHiddenPolicies(api, pool)
    await registerRoutes(api, services, readiness)
    await installWeb(api, dashboard)
  })
  installDocs(app)
  installLocalProxy(app, config)
  app.addHook('onClose', async () => void (await Promise.all([uses.close(), ingest.close()])))
  return { app, readiness, routes }
}

/** Creates Fastify with this service's limits, before any plugin is registered. */
function makeServer(log: Services['log'], trustedProxies: Services['config']['trustedProxies']) {
  return Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // URLs of doors and sockets contain tokens, so the framework must not log requests.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    bodyLimit: MAX_BODY_BYTES,
    // Proxies that are trusted to state a sender's address. Limits per address and the allowed
    // networks of tokens depend on it.
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // A missing Host is refused together with other bad framing: Node itself would answer 400 and
    // read on. The parser stays strict, whatever flags the process has.
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 1000, requireHostHeader: false, insecureHTTPParser: false },
    routerOptions: { maxParamLength: 256 },
    schemaController: { compilersFactory: { buildSerializer: compileSerializersLater } },
    clientErrorHandler: clientErrors,
    frameworkErrors: (error, request, reply) => send(reply as FastifyReply, request as FastifyRequest, toApiError(error))
  }).withTypeProvider<TypeBoxTypeProvider>()
}

/** Records the routes that are registered from now on, one entry per method. */
function recordRoutes(app: App): readonly Route[] {
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    for (const one of [method].flat()) routes.push({ method: one, url, endpoint: config?.endpoint ?? null, schema })
  })
  return routes
}

function measureRequests(app: App, metrics: Services['metrics']): void {
  const seconds = metrics.histogram(
    'service_api_request_seconds',
    'Time from the first byte of a request to the last of its answer',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    ['route', 'method', 'status']
  )
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request
    // The label is the route's pattern, never the path: a path may contain a token.
    seconds.observe({ route: routeOptions.url ?? 'none', method, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
  })
}

const securityHeaders = (publicUrl: string): FastifyHelmetOptions => ({
  global: true,
  strictTransportSecurity: publicUrl.startsWith('https:'),
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"]
    }
  }
})

/** Checks who calls and whether they may, before a byte of the body is read. */
function installAdmission(app: App, services: Services, dashboard: Dashboard): void {
  const admission = createAdmission(services)
  app.decorateRequest('caller', null)
  app.decorateRequest('prober', null)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    // No route takes the request, so it is answered before its body is read.
    if (request.is404) {
      const error = absent(request.method, request.url, methodsOf)
      if (error.code === 'NOT_FOUND' && dashboard && wantsPage(request)) return dashboard(reply.code(404))
      throw error
    }
    const { endpoint } = request.routeOptions.config
    if (!endpoint) return
    if (endpoint.no_store) reply.header('cache-control', 'no-store')
    else if (endpoint.auth !== 'public') reply.header('cache-control', 'private, no-cache')
    // A page of any origin may read what is public; nothing here depends on a cookie.
    if (endpoint.auth === 'public' && endpoint.method === 'GET') reply.header('access-control-allow-origin', '*')
    await admission(endpoint, request, reply)
  })
}

/** Registers the routes of every resource of the API. */
async function registerRoutes(api: FastifyInstance, services: Services, readiness: Readiness): Promise<void> {
  const routes = api.withTypeProvider<TypeBoxTypeProvider>()
  /**
   * Adds routes to the API itself. A parser or a hook for requests that such a plugin sets would
   * hold for every route; a hook for the end of the api is fine.
   */
  const add = (plugin: FastifyPluginAsyncTypebox): Promise<void> => plugin(routes, {})
  /**
   * Adds routes that parse or check requests in a way of their own. Their context takes time to
   * make, so it is for them alone.
   */
  const apart = async (plugin: FastifyPluginAsyncTypebox): Promise<void> => void (await api.register(plugin))
  const guesses = new Guesses(services.buckets)
  await add(authRoutes(services, guesses))
  await add(forgottenRoutes(services))
  await add(incidentRoutes(services))
  await add(incidentPageRoutes(services))
  await add(incidentEditRoutes(services))
  await add(incidentMergeRoutes(services))
  await add(postmortemRoutes(services))
  await add(warRoomRoutes(services))
  await add(incidentBulkRoutes(services))
  await add(alertRoutes(services))
  await add(createAlertRoute(services))
  await add(alertEventRoutes(services))
  await add(explainRoutes(services))
  await add(incidentCommentRoutes(services))
  await add(heartbeatRoutes(services))
  await add(analyticsRoutes(services))
  await add(historyRoutes(services))
  await add(captureRoutes(services))
  const uptimes = createUptimes(services.analytics, services.patience)
  const definitions = createDefinitions(services)
  await add(monitorRoutes(services, uptimes, definitions))
  await add(monitorExplainRoutes(services))
  await add(trialRoutes(services, definitions))
  await add(monitorBulkRoutes(services, definitions))
  await add(importRoutes(services, definitions))
  await add(groupRoutes(services))
  await add(monitorActions(services, uptimes))
  await add(pushRoute(services))
  await add(certificateRoutes(services))
  await add(regionRoutes(services))
  await add(locationRoutes(services))
  await add(proberRoutes(services))
  await add(integrationRoutes(services))
  await add(feedRoutes(services))
  await add(integrationEventRoutes(services))
  await add(testAlertRoute(services))
  await add(routingRuleRoutes(services))
  await add(routingSetRoutes(services))
  await add(routingTestRoutes(services))
  await add(backtestRoutes(services))
  await add(deliveryRoutes(services))
  await add(silenceRoutes(services))
  await add(maintenanceRoutes(services))
  await add(deploymentRoutes(services))
  await add(scheduleRoutes(services))
  await add(scheduleVersionRoutes(services))
  await add(overrideRoutes(services))
  await add(swapRoutes(services))
  await add(calendarRoutes(services))
  await add(onCallNowRoutes(services))
  await add(channelRoutes(services))
  await add(mailboxRoutes(services))
  await apart(mailLinkRoutes(services))
  await add(preferenceRoutes(services))
  await add(templateRoutes(services))
  await add(deviceRoutes(services))
  await add(verifyRoutes(services))
  await apart(callbackRoutes(services))
  await apart(mailCallbackRoutes(services))
  await add(chatIdentityRoutes(services))
  await add(installRoutes(services))
  await add(linkedSenderRoutes(services))
  await apart(slackRoutes(services))
  await apart(discordRoutes(services))
  await apart(telegramRoutes(services))
  await add(pairingRoutes(services))
  await add(escalationPolicyRoutes(services))
  await add(byHandRoutes(services))
  await add(tokenRoutes(services))
  await add(workspaceRoutes(services))
  await add(accountRoutes(services, guesses))
  await add(memberRoutes(services))
  await add(viewRoutes(services))
  await add(auditLogRoutes(services))
  await add(teamRoutes(services))
  await add(inviteRoutes(services, guesses))
  await add(publicRoutes(readiness, services.pool))
}
