/**
 * One monitor of an assignment → what to send and what to expect, or why it cannot be checked. Pure
 * but for opening its secrets.
 *
 * HTTP/1.1 only, by connections of our own: the phases are then exactly what happened on the wire.
 * Headers that frame a message or speak of the connection are left to the client; people's others
 * win over the defaults. Secret headers and credentials stay with the origin they were meant for
 * (`secretHeaders`).
 */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { SecureContext } from 'node:tls'
import { isSecretHeader } from '../../schemas/http/check-config.ts'
import type { HttpConfig } from '../../schemas/http/check-types/http.ts'
import type { Assignment } from '../../schemas/http/prober.ts'
import { secretsOf } from './found.ts'
import { type Judged, judgedOf } from './judging.ts'
import { PlanFault } from './prober-type.ts'
import { trust } from './trust.ts'

export interface HttpPlan extends Judged {
  url: URL
  method: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Names among them that are not sent to another origin. */
  secretHeaders: ReadonlySet<string>
  body: Buffer | null
  hasCredentials: boolean
  followRedirects: boolean
  maxRedirects: number
  verifyTls: boolean
  /** Null: the default roots. */
  secureContext: SecureContext | null
  family: 0 | 4 | 6
  cacheBust: boolean
  maxBodyBytes: number
  timeoutMs: number
}

/** They frame the message or belong to one connection. */
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

/** `assignment.config` with its secrets already opened. Throws PlanFault. */
export function planHttp(assignment: Assignment, userAgent: string): HttpPlan {
  const config = assignment.config as HttpConfig
  // Settings of before may still ask for it.
  const version: string | undefined = config.http_version
  if (version === '2') throw new PlanFault('This prober speaks HTTP/1.1 only')
  const url = parseTarget(assignment.target)
  const body = bodyOf(config)
  const { headers, secretHeaders } = headersOf(config, body, userAgent)
  return {
    url,
    method: config.method ?? 'GET',
    headers,
    secretHeaders,
    body,
    hasCredentials: secretHeaders.has('authorization'),
    secrets: [...secretHeaders].flatMap((name) => secretsOf(headers[name] ?? '')),
    followRedirects: config.follow_redirects ?? true,
    maxRedirects: config.max_redirects ?? 5,
    verifyTls: config.verify_tls ?? true,
    secureContext: config.ca_pem ? trust(config.ca_pem) : null,
    family: config.ip_family === '4' ? 4 : config.ip_family === '6' ? 6 : 0,
    cacheBust: config.cache_bust ?? false,
    maxBodyBytes: config.max_body_bytes ?? 1_048_576,
    timeoutMs: assignment.timeout_seconds * 1000,
    ...judgedOf(assignment)
  }
}

function parseTarget(target: string): URL {
  const url = URL.canParse(target) ? new URL(target) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new PlanFault('The target is no http or https address')
  if (url.username || url.password) throw new PlanFault('The target holds credentials; they belong into auth')
  return url
}

function bodyOf({ body, body_type }: HttpConfig): Buffer | null {
  if (body === null || body === undefined) return null
  return Buffer.from(body_type === 'graphql' ? graphql(body) : body)
}

/** A query as it is written becomes the request that servers expect; what already is one stays. */
function graphql(body: string): string {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && 'query' in value) return body
  } catch {
    // Not JSON: a query in its own language.
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

function authorizationOf({ auth }: HttpConfig): string | null {
  const type: string = auth?.type ?? 'none'
  if (!auth || type === 'none') return null
  if (type === 'basic') return `Basic ${Buffer.from(`${auth.username ?? ''}:${auth.password ?? ''}`).toString('base64')}`
  if (type === 'bearer') return `Bearer ${auth.token ?? ''}`
  throw new PlanFault(`This prober does not know authentication of the type ${type.slice(0, 32)}`)
}
