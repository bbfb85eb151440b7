/**
 * Sends queries to the role analytics: POST /v1/query over a Unix socket, or over TCP with a shared
 * secret. If there is no answer within the deadline, for whatever reason, the caller gets
 * UNAVAILABLE with Retry-After. Nothing else in the api waits for analytics. A few queries run at
 * once and a few more wait; further ones are refused at once, so that slow answers do not pile up
 * here. One workspace gets at most half of the places (../../process/gate.ts), so that slow queries
 * of one do not keep the others waiting. Where no other has asked for some minutes, it gets all.
 * Contract: schemas/analytics.ts.
 */
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import type { Queries, QueryAnswer, QueryFailure, QueryName } from '../../../schemas/analytics.ts'
import { FairGate } from '../../process/gate.ts'
import type { Log } from '../../process/log.ts'
import type { Metrics } from '../../process/metrics.ts'
import { ApiError } from '../http/errors.ts'

export interface Analytics {
  /**
   * Throws ApiError UNAVAILABLE when there is no answer in time. A query that analytics does not
   * understand is an internal error.
   */
  ask<N extends QueryName>(name: N, tenant_id: string, params: Queries[N]['params']): Promise<QueryAnswer<N>>
  close(): void
}

export interface AnalyticsOptions {
  /** `unix:/path/to.sock` or `http://host:port`. */
  url: string
  /**
   * Sent as Bearer token over TCP. Empty for a socket file, which the permissions of its folder
   * protect.
   */
  secret: string
  log: Log
  metrics: Metrics
  limits?: Partial<typeof defaults>
}

const defaults = {
  /** From the call to the last byte, including the wait for a turn. */
  deadlineMs: 10_000,
  atOnce: 8,
  waiting: 256,
  /** The uptime of all that a workspace may have is 40 queries. */
  waitingOfOne: 64,
  /** A workspace is alone when no other has asked for so long. Counts from the start on. */
  aloneAfterMs: 600_000,
  /** The limits of the routes keep 800 buckets of 2,000 entities well below this. */
  answerBytes: 64 * 1024 * 1024
}

const RETRY_AFTER_SECONDS = '5'
const LATER = { headers: { 'retry-after': RETRY_AFTER_SECONDS } }
const away = (message: string): ApiError => new ApiError('UNAVAILABLE', message, LATER)
const BUSY = 'Too many questions to analytics at once'
const LATE = 'Analytics took too long'

/** Analytics cannot be reached, whoever asks and whatever for. */
export class Unreachable extends ApiError {
  constructor() {
    super('UNAVAILABLE', 'Analytics cannot be reached just now', LATER)
  }
}

/** Analytics refuses a query of this version: the two versions do not fit together. */
class Misunderstood extends Error {
  override readonly name = 'Misunderstood'
}

export function createAnalytics({ url, secret, log, metrics, limits: given = {} }: AnalyticsOptions): Analytics {
  const limits = { ...defaults, ...given }
  const agent = new Agent({ keepAlive: true, maxSockets: limits.atOnce, maxFreeSockets: limits.atOnce })
  const where: RequestOptions = url.startsWith('unix:') ? { socketPath: url.slice('unix:'.length) } : addressOf(url)
  const seconds = metrics.histogram(
    'service_api_analytics_seconds',
    'Time until analytics answered, or did not',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['query', 'outcome']
  )
  let asker = ''
  /** When the asking workspace last was another one than before. */
  let changedAt = performance.now()
  const gate = new FairGate(limits.atOnce, () => performance.now() - changedAt >= limits.aloneAfterMs)

  /** Waits for a turn; refuses at once when too many wait already. */
  async function turn(tenant_id: string, signal: AbortSignal): Promise<void> {
    if (asker !== tenant_id) {
      asker = tenant_id
      changedAt = performance.now()
    }
    if (gate.waiting >= limits.waiting || gate.waitingOf(tenant_id) >= limits.waitingOfOne) throw away(BUSY)
    await gate.enter(tenant_id, signal).catch(() => {
      throw away(BUSY)
    })
  }

  function post(body: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          ...where,
          agent,
          method: 'POST',
          path: '/v1/query',
          signal,
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            ...(secret !== '' && { authorization: `Bearer ${secret}` })
          }
        },
        (response) => {
          read(response, limits.answerBytes).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject)
        }
      )
      // Analytics may close a kept connection just as it is reused. A query changes nothing, so it
      // is sent again.
      request.on('error', (error) => (request.reusedSocket && !signal.aborted ? reject(new Stale(error)) : reject(error)))
      request.end(body)
    })
  }

  async function postTwice(body: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
    for (let tries = 1; ; tries++) {
      try {
        return await post(body, signal)
      } catch (error) {
        if (!(error instanceof Stale) || tries > limits.atOnce) throw error
      }
    }
  }

  async function ask<N extends QueryName>(name: N, tenant_id: string, params: Queries[N]['params']): Promise<QueryAnswer<N>> {
    const signal = AbortSignal.timeout(limits.deadlineMs)
    const started = performance.now()
    const told = (outcome: string): void => seconds.observe({ query: name, outcome }, (performance.now() - started) / 1000)
    try {
      await turn(tenant_id, signal)
    } catch (error) {
      told('refused')
      throw error
    }
    try {
      const { status, text } = await postTwice(JSON.stringify({ name, tenant_id, params }), signal)
      if (status === 200) {
        const answer: QueryAnswer<N> = JSON.parse(text)
        told('ok')
        return answer
      }
      const { code, message } = failureOf(text)
      if (code === 'bad_request' || code === 'too_large' || code === 'not_found')
        throw new Misunderstood(`analytics refused ${name}: ${code}: ${message}`)
      log.warn({ query: name, status, code }, 'analytics did not answer a query')
      throw code === 'timeout' ? away(LATE) : new Unreachable()
    } catch (error) {
      told(error instanceof Misunderstood ? 'misunderstood' : 'unavailable')
      if (error instanceof ApiError || error instanceof Misunderstood) throw error
      log.warn({ query: name, err: error }, 'analytics cannot be reached')
      throw signal.aborted ? away(LATE) : new Unreachable()
    } finally {
      gate.leave(tenant_id)
    }
  }

  return { ask, close: () => agent.destroy() }
}

class Stale extends Error {
  override readonly name = 'Stale'
  constructor(cause: Error) {
    super(`The kept connection had ended: ${cause.message}`, { cause })
  }
}

function addressOf(url: string): RequestOptions {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) }
}

async function read(response: IncomingMessage, most: number): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    const chunk: Buffer = part
    bytes += chunk.length
    if (bytes > most) throw new Error(`The answer is longer than ${most} bytes`)
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}

function failureOf(text: string): QueryFailure['error'] {
  try {
    const { error }: QueryFailure = JSON.parse(text)
    return error
  } catch {
    return { code: 'unavailable', message: 'not an answer of analytics' }
  }
}
