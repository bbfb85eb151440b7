/**
 * One attempt at an HTTP check: the request, the redirects it is led through, and what is thought
 * of the answer.
 *
 * Every hop is resolved and guarded anew. A redirect to another origin (scheme, host or port) loses
 * the body, credentials, cookies and secret headers; one to anything but http or https fails. 303,
 * and 301 or 302 after POST, go on as GET without the body, as browsers do; others keep the method.
 * Timings of hops add up; the certificate is that of the first hop that showed one. Never rejects
 * for what a target does: that is an outcome.
 */
import type { IncomingMessage } from 'node:http'
import { MAX_URL } from '../../schemas/limits.ts'
import { MATCHED_CHARACTERS } from '../../schemas/safe-regex.ts'
import type { AssertionPool } from './assertion-pool.ts'
import { type AssertionResult, type CompiledAssertion, type Facts, failedOf, resultsOf } from './assertions.ts'
import type { TlsReport } from './certificate.ts'
import { Undecided } from './evaluator.ts'
import { CheckFailure, ourFault, type Reason, timedOut, toFailure } from './failure.ts'
import { type Body, BodyTooLarge, excerptOf, textOf, Undecodable } from './http-body.ts'
import { type Hop, type Network, performHop } from './http-hop.ts'
import type { HttpPlan } from './http-plan.ts'
import { Stopwatch, type Timings } from './phases.ts'

export interface AttemptReport {
  /** prober_error: the prober could not do it, which says nothing of the target. */
  outcome: 'success' | 'degraded' | 'failure' | 'prober_error'
  reason: Reason | null
  message: string | null
  timings: Timings
  status: number | null
  version: string | null
  /** Of the body as it unpacks. */
  bytes: number | null
  /** Where each redirect led, without query: it may hold what is nobody's business. */
  redirects: string[]
  remoteIp: string | null
  tls: TlsReport | null
  /** Of those that were decided. */
  assertions: AssertionResult[]
  /** Of a large body the beginning. */
  body: string | null
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])
const DAY_MS = 86_400_000

/** Thrown into an attempt by its own clock. */
const OVER = Symbol('over')

/** Bodies up to it are decoded and parsed beside other checks, in about a millisecond. */
const SMALL_BODY_BYTES = 65_536
/** As much of a larger one is decoded for its excerpt. */
const EXCERPT_BYTES = 8192
/** Above what expressions look at, in any charset. */
const MATCHED_BYTES = 4 * MATCHED_CHARACTERS + 1024

/**
 * What an attempt needs from outside. `abort` ends it; it then rejects with the signal's reason.
 */
export interface Edge {
  network: Network
  pool: Pick<AssertionPool, 'evaluate'>
  /** Epoch ms by the service's clock. */
  now: () => number
  abort: AbortSignal
}

export async function attemptHttp(plan: HttpPlan, { network, pool, now, abort }: Edge): Promise<AttemptReport> {
  const report: AttemptReport = {
    outcome: 'failure',
    reason: null,
    message: null,
    timings: { dns: null, connect: null, tls: null, request: null, ttfb: null, download: null, total: null },
    status: null,
    version: null,
    bytes: null,
    redirects: [],
    remoteIp: null,
    tls: null,
    assertions: [],
    body: null
  }
  // Not AbortSignal.any: on Node 20 what it makes of a signal that lives as long as the process is
  // never freed.
  const ending = new AbortController()
  const onAbort = (): void => ending.abort(abort.reason)
  const timer = setTimeout(() => ending.abort(OVER), plan.timeoutMs)
  if (abort.aborted) onAbort()
  abort.addEventListener('abort', onAbort)
  const watch = new Stopwatch()
  try {
    const { message, body, redirectUrl } = await follow(plan, network, watch, report, ending.signal)
    watch.stop()
    // What the target had to do is done.
    clearTimeout(timer)
    report.version = message.httpVersion
    report.bytes = body.length
    await judge(plan, report, { message, body, redirectUrl }, watch.read().total ?? 0, { pool, now, abort })
  } catch (error) {
    const { phase } = watch
    watch.stop()
    if (abort.aborted) throw abort.reason
    const own = error instanceof Undecided ? error.message : ourFault(error, phase)
    if (own === null) {
      const failure = error === OVER ? timedOut(phase) : (bodyFailure(error) ?? toFailure(error, phase))
      if (!failure) throw error
      report.reason = failure.reason
      report.message = failure.message
    } else {
      report.outcome = 'prober_error'
      report.message = own
    }
  } finally {
    clearTimeout(timer)
    abort.removeEventListener('abort', onAbort)
  }
  report.timings = watch.read()
  return report
}

function bodyFailure(error: unknown): CheckFailure | null {
  if (error instanceof BodyTooLarge) return new CheckFailure('body_too_large', error.message)
  return error instanceof Undecodable ? new CheckFailure('protocol', error.message) : null
}

interface Followed {
  message: IncomingMessage
  body: Body
  redirectUrl: string | null
}

async function follow(plan: HttpPlan, network: Network, watch: Stopwatch, report: AttemptReport, signal: AbortSignal): Promise<Followed> {
  const deadlineAt = performance.now() + plan.timeoutMs
  let { method, body } = plan
  let headers: Readonly<Record<string, string>> = plan.headers
  let url = plan.cacheBust ? bust(plan.url) : plan.url
  let redirectUrl: string | null = null
  for (;;) {
    const hop: Hop = {
      url,
      method,
      headers,
      body,
      verifyTls: plan.verifyTls,
      secureContext: plan.secureContext,
      family: plan.family,
      maxBodyBytes: plan.maxBodyBytes,
      deadlineAt,
      onTls: (tls) => {
        report.tls ??= tls
      },
      onConnected: (address) => {
        report.remoteIp = address
      },
      onStatus: (status) => {
        report.status = status
      },
      isRedirect: (message) => plan.followRedirects && locationOf(message) !== null
    }
    const answer = await performHop(hop, network, watch, signal)
    const location = locationOf(answer.message)
    if (location === null) return { ...answer, redirectUrl }
    const next = target(location, url)
    if (!plan.followRedirects) return { ...answer, redirectUrl: next?.href ?? null }
    if (!next) throw new CheckFailure('redirect', 'The redirect leads to something that is no http or https address')
    if (report.redirects.length >= plan.maxRedirects) throw new CheckFailure('redirect', `More than ${plan.maxRedirects} redirects`)
    report.redirects.push(`${next.origin}${next.pathname}`.slice(0, MAX_URL))
    redirectUrl = next.href
    const { statusCode } = answer.message
    const isElsewhere = next.origin !== url.origin
    const becomesGet = (statusCode === 303 && method !== 'HEAD') || ((statusCode === 301 || statusCode === 302) && method === 'POST')
    if (becomesGet) method = 'GET'
    if (becomesGet || isElsewhere) {
      body = null
      headers = without(headers, (name) => name.startsWith('content-'))
    }
    // Once lost they stay lost: a way back to the first origin was laid by another.
    if (isElsewhere) headers = without(headers, (name) => name === 'host' || plan.secretHeaders.has(name))
    url = next
  }
}

const without = (headers: Readonly<Record<string, string>>, drop: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !drop(name)))

function locationOf(message: IncomingMessage): string | null {
  return redirectStatuses.has(message.statusCode ?? 0) ? (message.headers.location ?? null) : null
}

/** Null when it is none that a check follows. */
function target(location: string, base: URL): URL | null {
  if (!URL.canParse(location, base.href)) return null
  const url = new URL(location, base)
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return null
  url.hash = ''
  return url
}

/** A parameter that no cache has seen. */
function bust(target: URL): URL {
  const url = new URL(target.href)
  url.searchParams.set('_', `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`)
  return url
}

/**
 * Rejects with Undecided where the assertions that were decided leave it open whether the target is
 * as it is expected.
 */
async function judge(
  plan: HttpPlan,
  report: AttemptReport,
  { message, body, redirectUrl }: Followed,
  latencyMs: number,
  { pool, now, abort }: Omit<Edge, 'network'>
): Promise<void> {
  const contentType = message.headers['content-type']
  const isSmall = body.length <= SMALL_BODY_BYTES
  const facts: Omit<Facts, 'body'> = {
    status: message.statusCode ?? 0,
    headers: message.headers,
    latency_ms: latencyMs,
    tls_days: report.tls?.not_after ? (Date.parse(report.tls.not_after) - now()) / DAY_MS : null,
    redirect_url: redirectUrl,
    ip: report.remoteIp ?? ''
  }
  const text = isSmall ? textOf(body.first(SMALL_BODY_BYTES), contentType) : excerptOf(body.first(EXCERPT_BYTES), contentType)
  report.body = text
  const isHere = (one: CompiledAssertion): boolean => one.place === 'here' || (one.place === 'small' && isSmall)
  report.assertions = resultsOf(plan.planned.filter(isHere), { ...facts, body: text })
  const left = plan.planned.filter((one) => !isHere(one))
  const asked = left.map(({ index }) => index)
  // To hand 10 MiB on is work, too.
  const needed = left.every(({ isMatch, source }) => isMatch && source !== 'json') ? [body.first(MATCHED_BYTES)] : body.pieces
  const certain = failedOf(plan.planned, report.assertions, facts.status)
  if (left.length > 0) {
    const { share, monitor, assertions } = plan
    try {
      const apart = await pool.evaluate({ share, monitor, assertions, asked, facts, body: needed, contentType }, abort)
      report.assertions = [...report.assertions, ...apart].sort((one, other) => one.index - other.index)
    } catch (error) {
      // Whatever they would say, the target is down by what is already known.
      if (!(error instanceof Undecided) || certain?.onFail !== 'down') throw error
    }
  }
  const failed = failedOf(plan.planned, report.assertions, facts.status)
  if (failed) {
    const isStatus = failed.source === 'status'
    report.outcome = failed.onFail === 'degraded' ? 'degraded' : 'failure'
    // A refusal of the credentials that the monitor sends is not the same as a page that is gone.
    report.reason = isStatus
      ? plan.hasCredentials && (facts.status === 401 || facts.status === 407)
        ? 'auth'
        : 'http_status'
      : 'assertion'
    report.message = isStatus
      ? `The status is ${facts.status}; expected: ${failed.message}`
      : `Assertion ${(failed.index ?? 0) + 1} does not hold: ${failed.message}`
  } else if (plan.degradedAfterMs !== null && latencyMs > plan.degradedAfterMs) {
    report.outcome = 'degraded'
    report.reason = 'assertion'
    report.message = `It took longer than ${plan.degradedAfterMs} ms`
  } else report.outcome = 'success'
}
