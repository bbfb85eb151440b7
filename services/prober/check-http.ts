/**
 * Makes one attempt at an HTTP check: sends the request, follows its redirects, and judges the
 * answer.
 *
 * Every hop is resolved and checked by the guard again. A redirect to another origin (scheme, host
 * or port) drops the body, credentials, cookies, secret headers and the client certificate, and a
 * challenge of another origin is not answered. A redirect to anything but http or https fails. 303,
 * and 301 or 302 after POST, continue as GET without the body, as browsers do; other redirects keep
 * the method. Timings of hops add up. The certificate is that of the first hop that showed one.
 * Never rejects because of the target; a failing target is an outcome.
 */
import { isUtf8 } from 'node:buffer'
import { MAX_URL } from '../../schemas/limits.ts'
import { type AttemptReport, attemptWithin, type Edge, type Running } from './attempt.ts'
import { SeenAnswer } from './captured.ts'
import type { Network } from './connection.ts'
import { digestAnswer } from './digest.ts'
import { CheckFailure } from './failure.ts'
import { performHop } from './http-hop.ts'
import type { HttpPlan, HttpRequest } from './http-plan.ts'
import type { Answer, Head, Hop } from './http-shapes.ts'
import { daysLeft, judge } from './judging.ts'

const redirectStatuses = new Set([301, 302, 303, 307, 308])

export const attemptHttp = (plan: HttpPlan, edge: Edge): Promise<AttemptReport> =>
  attemptWithin(plan.timeoutMs, edge.abort, async (running) => {
    const { report, watch } = running
    if (plan.keepsAnswer) report.answer = new SeenAnswer(plan.secrets ?? [])
    const { head, body, redirectUrl } = await followHttp(plan, edge, running)
    running.ended()
    report.version = head.version
    report.bytes = body.length
    const facts = {
      status: head.status,
      headers: head.headers,
      latency_ms: watch.read().total ?? 0,
      tls_days: daysLeft(report.tls, edge.now()),
      redirect_url: redirectUrl,
      ip: report.remoteIp ?? ''
    }
    const secrets = [...(plan.secrets ?? []), ...(plan.tokens?.secrets() ?? [])]
    await judge({ ...plan, secrets }, report, { facts, body, contentType: head.headers['content-type'] }, edge)
  })

export interface Followed extends Answer {
  redirectUrl: string | null
}

/** What changes from hop to hop. */
interface Way {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: Buffer | null
  /** The request is still at the origin that the credentials are meant for. */
  isHome: boolean
}

/** Sends the request, follows its redirects and returns the last answer. */
export async function followHttp(plan: HttpRequest, edge: Pick<Edge, 'network' | 'now'>, running: Running): Promise<Followed> {
  const { report, signal, deadlineAt } = running
  const { method, headers, body } = plan
  const way: Way = { url: plan.cacheBust ? bust(plan.url) : plan.url, method, headers, body, isHome: true }
  if (plan.tokens) {
    const token = await plan.tokens.token(edge, signal, deadlineAt)
    report.answer?.hide(token)
    way.headers = { ...headers, authorization: `Bearer ${token}` }
  }
  let redirectUrl: string | null = null
  let left = plan.maxRedirects
  for (;;) {
    const answer = await ask(plan, way, edge.network, running)
    const { head } = answer
    if (way.isHome && head.status === 401) plan.tokens?.forget()
    const location = locationOf(head)
    if (location === null) return { ...answer, redirectUrl }
    const next = target(location, way.url)
    if (!plan.followRedirects) return { ...answer, redirectUrl: next?.href ?? null }
    if (!next) throw new CheckFailure('redirect', 'The redirect leads to something that is no http or https address')
    if (left === 0) throw new CheckFailure('redirect', `More than ${plan.maxRedirects} redirects`)
    left--
    report.redirects.push(`${next.origin}${next.pathname}`.slice(0, MAX_URL))
    redirectUrl = next.href
    lead(way, next, head.status, plan)
  }
}

/** Performs one hop, and repeats it once if the answer is a challenge. */
async function ask(plan: HttpRequest, way: Way, network: Network, { report, watch, signal, deadlineAt }: Running): Promise<Answer> {
  const { digest } = plan
  const { url, method, headers, body, isHome } = way
  const hop: Hop = {
    url,
    method,
    headers,
    body,
    http2: plan.http2,
    verifyTls: plan.verifyTls,
    secureContext: isHome ? plan.secureContext : plan.strangersContext,
    family: plan.family,
    maxBodyBytes: plan.maxBodyBytes,
    deadlineAt,
    onTls: (tls) => {
      report.tls ??= tls
    },
    onConnected: (address) => {
      report.remoteIp = address
    },
    onHead: (head) => {
      report.status = head.status
      report.answer?.begin(head)
    },
    ...(report.answer && { onPiece: report.answer.add }),
    isBodyWanted: (head) => !(plan.followRedirects && locationOf(head) !== null)
  }
  const perform = async (hop: Hop): Promise<Answer> => {
    const answer = await performHop(hop, network, watch, signal)
    if (report.answer) report.answer.isWhole = hop.isBodyWanted(answer.head)
    return answer
  }
  const answer = await perform(hop)
  if (digest === null || !isHome || answer.head.status !== 401) return answer
  const challenge = [answer.head.headers['www-authenticate'] ?? ''].flat().join(', ')
  const authorization = digestAnswer(challenge, digest, { method, uri: `${url.pathname}${url.search}`, body })
  if (authorization === null) return answer
  return perform({ ...hop, headers: { ...headers, authorization } })
}

/** Changes the way as the redirect demands. */
function lead(way: Way, next: URL, status: number, { secretHeaders }: HttpRequest): void {
  const { method } = way
  const isElsewhere = next.origin !== way.url.origin
  const becomesGet = (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST')
  if (becomesGet) way.method = 'GET'
  if (becomesGet || isElsewhere) {
    way.body = null
    way.headers = without(way.headers, (name) => name.startsWith('content-'))
  }
  if (isElsewhere) {
    // Credentials that were dropped stay dropped: another origin chose the way back to the first
    // one.
    way.isHome = false
    way.headers = without(way.headers, (name) => name === 'host' || name === 'authorization' || secretHeaders.has(name))
  }
  way.url = next
}

const without = (headers: Readonly<Record<string, string>>, drop: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !drop(name)))

function locationOf({ status, headers }: Head): string | null {
  return redirectStatuses.has(status) ? (headers.location ?? null) : null
}

/**
 * Returns the text of a header whose bytes became one character each. Many servers write addresses
 * in UTF-8 as they are, without percent signs.
 */
function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return bytes.toString('latin1') === value && isUtf8(bytes) ? bytes.toString('utf8') : value
}

/** Returns the address of a redirect; null if it is not one that a check follows. */
function target(header: string, base: URL): URL | null {
  const location = headerText(header)
  if (!URL.canParse(location, base.href)) return null
  const url = new URL(location, base)
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return null
  url.hash = ''
  return url
}

/** Adds a query parameter that no cache has seen. */
function bust(target: URL): URL {
  const url = new URL(target.href)
  url.searchParams.set('_', `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`)
  return url
}
