/**
 * The prober's client of the service: hello, the assignment, results. It sends JSON over kept-alive
 * connections, follows no redirects and uses no proxy from the environment. A call returns the
 * status and the parsed body, or rejects if there was no answer. The caller decides what a status
 * means.
 */
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { ConfigAnswer, HelloAnswer, HelloBody } from '../../schemas/http/prober.ts'

const TIMEOUT_MS = 10_000
/**
 * Added to the wait of a long poll: the call must outlast the service's wait, but end before people
 * have to wait for a prober to notice that it hangs.
 */
const POLL_SLACK_MS = 10_000
/** An assignment of 50,000 monitors with long bodies stays below this. */
const MAX_BYTES = 256 * 1_048_576

export interface Reply<T> {
  status: number
  /** Null unless the status is 2xx and there is a body. */
  body: T | null
  /** Seconds that the service asks to wait; null if it does not say. */
  retryAfter: number | null
}

export interface Service {
  hello(body: HelloBody, timeoutMs?: number): Promise<Reply<HelloAnswer>>
  /** `since` undefined: the whole assignment. */
  config(instance: string, since: number | undefined, waitSeconds: number, signal: AbortSignal): Promise<Reply<ConfigAnswer>>
  /** `text`: the JSON of a ResultsBody. */
  results(text: string, signal: AbortSignal): Promise<Reply<unknown>>
  /** `text`: the JSON of a TrialBody. */
  trial(text: string, signal: AbortSignal): Promise<Reply<unknown>>
  close(): void
}

export function createService(baseUrl: string, token: string, version: string): Service {
  const base = new URL(baseUrl)
  const isTls = base.protocol === 'https:'
  // Enough for hello, config, results, captures and trials at the same time.
  const agent = isTls ? new HttpsAgent({ keepAlive: true, maxSockets: 6 }) : new HttpAgent({ keepAlive: true, maxSockets: 6 })
  const prefix = base.pathname.replace(/\/$/, '')
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': `prober/${version}` }

  function call<T>(
    method: 'GET' | 'POST',
    path: string,
    text: string | null,
    timeoutMs: number,
    signal: AbortSignal | null
  ): Promise<Reply<T>> {
    return new Promise((resolve, reject) => {
      const options = {
        agent,
        method,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        path: `${prefix}${path}`,
        headers: text === null ? headers : { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
        ...(signal && { signal })
      }
      const sent = isTls ? requestHttps(options) : requestHttp(options)
      // Limits the whole call: a socket's own timeout would wait for ever on an answer that drips.
      const timer = setTimeout(() => sent.destroy(new Error('The service did not answer in time')), timeoutMs)
      const fail = (error: Error): void => {
        clearTimeout(timer)
        reject(error)
      }
      sent.on('error', fail)
      sent.on('response', (answer) => {
        const chunks: Buffer[] = []
        let bytes = 0
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > MAX_BYTES) sent.destroy(new Error('The answer of the service is too large'))
          else chunks.push(chunk)
        })
        answer.on('error', fail)
        answer.on('end', () => {
          clearTimeout(timer)
          const status = answer.statusCode ?? 0
          const isGood = status >= 200 && status < 300 && bytes > 0
          try {
            const retryAfter = Number(answer.headers['retry-after'] ?? Number.NaN)
            resolve({
              status,
              body: isGood ? (JSON.parse(Buffer.concat(chunks).toString('utf8')) as T) : null,
              retryAfter: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : null
            })
          } catch (error) {
            reject(new Error('The answer of the service is not JSON', { cause: error }))
          }
        })
      })
      sent.end(text ?? undefined)
    })
  }

  return {
    hello: (body, timeoutMs = TIMEOUT_MS) => call('POST', '/api/v1/prober/hello', JSON.stringify(body), timeoutMs, null),
    config(instance, since, waitSeconds, signal) {
      const query = new URLSearchParams({ instance_id: instance, wait_seconds: String(waitSeconds) })
      if (since !== undefined) query.set('since', String(since))
      return call('GET', `/api/v1/prober/config?${query}`, null, waitSeconds * 1000 + POLL_SLACK_MS, signal)
    },
    results: (text, signal) => call('POST', '/api/v1/prober/results', text, TIMEOUT_MS, signal),
    trial: (text, signal) => call('POST', '/api/v1/prober/trials', text, TIMEOUT_MS, signal),
    close: () => agent.destroy()
  }
}
