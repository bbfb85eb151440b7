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
import { type AttemptReport, attemptWithin, type Edge } from './attempt.ts'
import type { Network } from './connection.ts'
import { CheckFailure } from './failure.ts'
import type { Body } from './http-body.ts'
import { type Hop, performHop } from './http-hop.ts'
import type { HttpPlan } from './http-plan.ts'
import { daysLeft, judge } from './judging.ts'
import type { Stopwatch } from './phases.ts'

const redirectStatuses = new Set([301, 302, 303, 307, 308])

export const attemptHttp = (plan: HttpPlan, edge: Edge): Promise<AttemptReport> =>
  attemptWithin(plan.timeoutMs, edge.abort, async (running) => {
    const { report, watch, signal } = running
    const { message, body, redirectUrl } = await follow(plan, edge.network, watch, report, signal)
    running.ended()
    report.version = message.httpVersion
    report.bytes = body.length
    const facts = {
      status: message.statusCode ?? 0,
      headers: message.headers,
      latency_ms: watch.read().total ?? 0,
      tls_days: daysLeft(report.tls, edge.now()),
      redirect_url: redirectUrl,
      ip: report.remoteIp ?? ''
    }
    await judge(plan, report, { facts, body, contentType: message.headers['content-type'] }, edge)
  })

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
