/**
 * Turns one monitor of an assignment into a plan: what to send and what to expect, or why it cannot
 * be checked. Pure; the secrets are opened before (plans.ts).
 *
 * Checks run on connections that the prober opens itself, so the phases are exactly what happened
 * on the wire. Headers that frame a message or describe the connection are left to the client.
 * Other headers that people write override the defaults. Secret headers and credentials stay with
 * the origin they were meant for (`secretHeaders`).
 */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { SecureContext } from 'node:tls'
import { type Auth, authTypes, isSecretHeader } from '../../schemas/http/check-config.ts'
import type { HttpConfig } from '../../schemas/http/check-types/http.ts'
import type { Assignment } from '../../schemas/http/prober.ts'
import type { DigestAccount } from './digest.ts'
import { secretsOf } from './found.ts'
import { type Judged, judgedOf } from './judging.ts'
import { type TokenSource, tokenSource } from './oauth-token.ts'
import { PlanFault } from './prober-type.ts'
import { familyOf } from './targets.ts'
import { contextOf, trust } from './trust.ts'

/** What is sent, and how redirects are followed. */
export interface HttpRequest {
  url: URL
  method: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Names of the headers that are not sent to another origin. */
  secretHeaders: ReadonlySet<string>
  body: Buffer | null
  /** Account that answers a challenge of the target's origin; null: no challenge is answered. */
  digest: DigestAccount | null
  /** Where the request's token comes from; null: it needs none. */
  tokens: TokenSource | null
  http2: boolean
  followRedirects: boolean
  maxRedirects: number
  verifyTls: boolean
  /** Null: the default roots. */
  secureContext: SecureContext | null
  /** The same without a client certificate, for other origins. */
  strangersContext: SecureContext | null
  family: 0 | 4 | 6
  cacheBust: boolean
  maxBodyBytes: number
}

export interface HttpPlan extends HttpRequest, Judged {
  timeoutMs: number
  /** Whether the answer of a failed check is kept. */
  keepsAnswer: boolean
}

/** These headers frame the message or belong to one connection. */
const ours = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

const contentTypes: Record<NonNullable<HttpConfig['body_type']>, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain; charset=utf-8',
  xml: 'application/xml',
  graphql: 'application/json'
}

/** Plans an HTTP check. The secrets in `assignment.config` are already opened. Throws PlanFault. */
export function planHttp(assignment: Assignment, userAgent: string): HttpPlan {
  const config = assignment.config as HttpConfig
  const { request, hasCredentials, secrets } = planRequest(parseTarget(assignment.target), config, userAgent)
  const timeoutMs = assignment.timeout_seconds * 1000
  return { ...request, ...judgedOf(assignment), hasCredentials, secrets, timeoutMs, keepsAnswer: config.capture_on_failure === true }
}

interface PlannedRequest {
  request: HttpRequest
  hasCredentials: boolean
  /** Secrets in the request, which nobody may see. */
  secrets: string[]
}

/** Throws PlanFault. */
export function planRequest(url: URL, config: HttpConfig, userAgent: string): PlannedRequest {
  const { auth } = config
  const body = bodyOf(config)
  const { headers, secretHeaders } = headersOf(config, body, userAgent)
  const verifyTls = config.verify_tls ?? true
  const strangersContext = config.ca_pem ? trust(config.ca_pem) : null
  const family = familyOf(config.ip_family)
  const reach = { verifyTls, secureContext: strangersContext, family, userAgent: headers['user-agent'] ?? userAgent }
  const request = {
    url,
    method: config.method ?? 'GET',
    headers,
    secretHeaders,
    body,
    digest: auth?.type === 'digest' ? { username: auth.username ?? '', password: auth.password ?? '' } : null,
    tokens: auth?.type === 'oauth2_client' ? tokenSource(auth, reach) : null,
    http2: config.http_version === '2',
    followRedirects: config.follow_redirects ?? true,
    maxRedirects: config.max_redirects ?? 5,
    verifyTls,
    secureContext: auth?.type === 'mtls' ? shownContext(auth, config.ca_pem || null, verifyTls) : strangersContext,
    strangersContext,
    family,
    cacheBust: config.cache_bust ?? false,
    maxBodyBytes: config.max_body_bytes ?? 1_048_576
  }
  const sent = [...secretHeaders].flatMap((name) => secretsOf(headers[name] ?? ''))
  return {
    request,
    hasCredentials: secretHeaders.has('authorization') || (auth !== undefined && auth.type !== 'none'),
    secrets: [...sent, ...[auth?.password, auth?.client_secret].flatMap((secret) => secret ?? [])]
  }
}

/** Throws PlanFault. */
export function parseTarget(target: string): URL {
  const url = URL.canParse(target) ? new URL(target) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new PlanFault('The target is no http or https address')
  if (url.username || url.password) throw new PlanFault('The target holds credentials; they belong into auth')
  return url
}

function shownContext({ cert_pem = '', key_pem }: Auth, ca: string | null, verify: boolean): SecureContext {
  return contextOf({ cert: cert_pem, key: key_pem ?? '' }, ca, verify ? 'TLSv1.2' : 'TLSv1')
}

function bodyOf({ body, body_type }: HttpConfig): Buffer | null {
  if (body === null || body === undefined) return null
  return Buffer.from(body_type === 'graphql' ? graphql(body) : body)
}

/**
 * Wraps a plain GraphQL query in the JSON request that servers expect. A body that already is one
 * stays.
 */
function graphql(body: string): string {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && 'query' in value) return body
  } catch {
    // Not JSON, so it is a plain GraphQL query.
  }
  return JSON.stringify({ query: body })
}

function headersOf(config: HttpConfig, body: Buffer | null, userAgent: string): Pick<HttpPlan, 'headers' | 'secretHeaders'> {
  const headers: Record<string, string> = {
    'user-agent': config.user_agent || userAgent,
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br'
  }
  const secretHeaders = new Set<string>()
  if (body) {
    headers['content-type'] = contentTypes[config.body_type ?? 'text']
    headers['content-length'] = String(body.length)
  }
  if (config.cache_bust) headers['cache-control'] = 'no-cache'
  for (const header of config.headers ?? []) {
    const { name, value } = header
    const lower = name.toLowerCase()
    if (ours.has(lower) || value === null) continue
    if (!isHeader(lower, value)) throw new PlanFault('A header has characters that HTTP does not allow')
    headers[lower] = value
    if (isSecretHeader(header)) secretHeaders.add(lower)
  }
  const authorization = authorizationOf(config)
  if (authorization !== null) {
    if (!isHeader('authorization', authorization)) throw new PlanFault('The credentials have characters that HTTP does not allow')
    headers.authorization = authorization
    secretHeaders.add('authorization')
  }
  return { headers, secretHeaders }
}

export function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the value of Authorization for the first request. The other types of authentication
 * answer a challenge, ask for a token, or show a certificate.
 */
function authorizationOf({ auth }: HttpConfig): string | null {
  if (!auth) return null
  if (!authTypes.includes(auth.type))
    throw new PlanFault(`This prober does not know authentication of the type ${String(auth.type).slice(0, 32)}`)
  if (auth.type === 'basic') return `Basic ${Buffer.from(`${auth.username ?? ''}:${auth.password ?? ''}`).toString('base64')}`
  return auth.type === 'bearer' ? `Bearer ${auth.token ?? ''}` : null
}
