/**
 * Identifies the caller and checks that they may use the route: Bearer `service_<64 hex>` or the
 * cookie `service_session`; then the scope of the route's row. For writes with the cookie, the
 * request must also come from this service's own page (Origin, or Sec-Fetch-Site where browsers
 * leave Origin out) and be JSON.
 *
 * 401 UNAUTHENTICATED: no credential, an unknown one, one of another kind. 401
 * TOKEN_EXPIRED_OR_REVOKED: known but dead. 403 FORBIDDEN or READ_ONLY_TOKEN with
 * `details[].needed`. No part of a credential reaches a log or an answer.
 * Source: docs/design/specification.md#s5, docs/design/api.md#s1-4.
 */
import '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '../../../schemas/http/endpoints.ts'
import { mayCall, rightsOf, roleOf, scopesFor } from '../../../schemas/http/rights.ts'
import { seenBy } from '../../../schemas/http/visibility.ts'
import { planOf } from '../../../schemas/plans.ts'
import { bearerToken, expectedToken } from '../../credentials/token-forms.ts'
import type { Credentials, ProberCredential } from '../../credentials/tokens.ts'
import { isAllowed } from '../../http/networks.ts'
import type { Origins, Page } from '../../http/origins.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'

export const SESSION_COOKIE = 'service_session'

/**
 * The cached look-ups of services/credentials/tokens.ts, and the question why a look-up found
 * nothing.
 */
export interface CallerLookups {
  credentials: Pick<Credentials, 'apiToken' | 'session' | 'prober'>
  isDead(credential: string): Promise<boolean>
}

const unauthenticated = (message: string): ApiError =>
  new ApiError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': 'Bearer' } })

const dead = (what: string): ApiError =>
  new ApiError('TOKEN_EXPIRED_OR_REVOKED', `The ${what} has expired or was revoked`, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' }
  })

/** Returns the value of the session cookie, if it has the right form. */
export function sessionCookie(request: FastifyRequest): string | null {
  const value = request.cookies[SESSION_COOKIE]
  return value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value) ? value : null
}

export const isWrite = (request: FastifyRequest): boolean => request.method !== 'GET' && request.method !== 'HEAD'

async function byToken(header: string, request: FastifyRequest, { credentials, isDead }: CallerLookups): Promise<Caller> {
  const token = bearerToken('service', header)
  if (token === undefined) throw unauthenticated(`Authorization must be: Bearer ${expectedToken('service')}, a workspace API token`)
  const entry = await credentials.apiToken(token)
  if (!entry) throw (await isDead(token)) ? dead('token') : unauthenticated('The token is not known')
  const role = roleOf(entry.role)
  return {
    kind: 'token',
    tenant_id: entry.tenant_id,
    user_id: entry.user_id,
    seen_by: seenBy(role, entry.user_id),
    role,
    plan: planOf(entry.plan).id,
    rights: rightsOf(role, entry.scopes),
    expires_at: entry.expires_at,
    actor: { kind: 'token', id: entry.token_id, via: 'api', request_id: request.id },
    token_id: entry.token_id,
    token_name: entry.name,
    token_scopes: entry.scopes,
    networks: entry.allowed_cidrs
  }
}

async function bySession(value: string, request: FastifyRequest, { credentials, isDead }: CallerLookups): Promise<Caller> {
  const entry = await credentials.session(value)
  if (!entry) throw (await isDead(value)) ? dead('session') : unauthenticated('The session is not known: log in again')
  const role = roleOf(entry.role)
  return {
    kind: 'session',
    tenant_id: entry.tenant_id,
    user_id: entry.user_id,
    seen_by: seenBy(role, entry.user_id),
    role,
    plan: planOf(entry.plan).id,
    rights: rightsOf(role, null),
    expires_at: entry.expires_at,
    actor: { kind: 'user', id: entry.user_id, via: 'ui', request_id: request.id },
    session_sha256: entry.sha256
  }
}

/**
 * Returns the caller; null on public routes, and on `optional_session` routes without a valid
 * session.
 */
export async function authenticate(endpoint: Endpoint, request: FastifyRequest, lookups: CallerLookups): Promise<Caller | null> {
  if (endpoint.auth === 'public') return null
  const header = request.headers.authorization
  const cookie = sessionCookie(request)
  if (endpoint.auth === 'optional_session') {
    if (cookie === null) return null
    return bySession(cookie, request, lookups).catch((error: unknown) => {
      if (error instanceof ApiError) return null
      throw error
    })
  }
  if (endpoint.auth === 'session') {
    if (cookie === null) throw unauthenticated('This route needs a session: log in')
    return bySession(cookie, request, lookups)
  }
  if (header !== undefined) return byToken(header, request, lookups)
  if (cookie !== null) return bySession(cookie, request, lookups)
  throw unauthenticated('No credential: send Authorization: Bearer with a workspace API token, or log in')
}

/**
 * Identifies a prober by the token of its region: only such a prober may receive the region's
 * assignment. Throws INVALID_PROBER_TOKEN.
 */
export async function authenticateProber(request: FastifyRequest, credentials: Pick<Credentials, 'prober'>): Promise<ProberCredential> {
  const refused = (message: string): ApiError =>
    new ApiError('INVALID_PROBER_TOKEN', message, { headers: { 'www-authenticate': 'Bearer' } })
  const token = bearerToken('prober', request.headers.authorization ?? '')
  if (token === undefined) throw refused(`Authorization must be: Bearer ${expectedToken('prober')}, the token of a prober`)
  const prober = await credentials.prober(token)
  if (!prober) throw refused('The token is not known, or was revoked')
  return prober
}

/** Refuses a token that is used from outside its allowed networks. */
export function checkNetwork(caller: Caller, address: string): void {
  if (caller.kind === 'token' && !isAllowed(address, caller.networks))
    throw new ApiError('IP_NOT_ALLOWED', 'The token may not be used from this address')
}

/** Refuses a caller whose role or scopes do not suffice. */
export function authorize(endpoint: Endpoint, caller: Caller): void {
  if (mayCall(endpoint, caller)) return
  const { role } = endpoint
  const [scope, ...more] = scopesFor(endpoint)
  const message = role ? `Needs scope ${scope}, and a role that has it (${role} or above)` : `Needs scope ${[scope, ...more].join(' or ')}`
  const details = [{ message, needed: { scope: scope ?? '', role: role ?? 'owner' } }]
  const readOnly = caller.kind === 'token' && caller.token_scopes.every((own) => own === 'read' || own === 'data:read')
  if (readOnly && scope !== 'read') throw new ApiError('READ_ONLY_TOKEN', 'The token may only read', { details })
  throw new ApiError('FORBIDDEN', caller.kind === 'token' ? 'The token, or its owner, may not do this' : 'Your role may not do this', {
    details
  })
}

const textOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header.join() : header)

/** Says whose page made the browser send this request. */
export const pageOf = ({ headers }: FastifyRequest, origins: Origins): Page =>
  origins.pageOf({ origin: headers.origin, host: headers.host, fetchSite: textOf(headers['sec-fetch-site']) })

/** Checks writes that are authenticated by the cookie. */
export function checkCookieWrite(request: FastifyRequest, origins: Origins): void {
  if (pageOf(request, origins) !== 'ours')
    throw new ApiError('ORIGIN_REJECTED', 'A write with the session cookie must come from a page of this service')
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'A write with the session cookie must be application/json')
  }
}
