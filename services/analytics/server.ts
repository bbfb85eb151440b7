/**
 * Serves POST /v1/query for the api: over a Unix socket that only this user can open, or over TCP
 * with a shared secret. Rows are sent as the engine wrote them.
 *
 * `complete_until` is read before the query runs, so the answer holds at least what it promises.
 * The in-process engine runs one statement after another, so questions take turns by workspace, and
 * when too many wait, further callers are told to retry. A question whose caller has gone is
 * dropped, if it has not begun, or after the statement that runs.
 */
import { timingSafeEqual } from 'node:crypto'
import { chmodSync, existsSync, unlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { QueryFailure } from '../../schemas/analytics.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { endable } from '../http/http-end.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { BadRequest } from './buckets.ts'
import { type Engine, QueryTooLarge } from './engine.ts'
import { type Question, questionOf } from './queries.ts'
import { Turns } from './turns.ts'

export interface ServerOptions {
  /** `unix:/path/to.sock` or `http://host:port`. */
  url: string
  /** Over TCP, requests must carry it as a Bearer token. */
  secret: string
  engine: Engine
  /** How many questions run at a time. One: its statements run one after another, too. */
  atOnce?: number
  /** Null while it is unknown. */
  completeUntil(topic: TopicName): number | null
  log: Log
  metrics: Metrics
  now?(): number
}

export interface QueryServer {
  /** The address it listens on; over TCP with the port that it got. */
  url: string
  close(): Promise<void>
}

const MAX_BODY_BYTES = 1024 * 1024
const QUERY_MS = 8000
/** How long running queries may take to finish when the role ends. */
const CLOSE_MS = 5000
/** Enough for buckets of many entities; pages are far smaller. */
const MAX_ROWS = 250_000
const MAX_WAITING = 64

type Code = QueryFailure['error']['code']
const statuses: Record<Code, number> = {
  bad_request: 400,
  unauthorized: 401,
  not_found: 404,
  too_large: 413,
  unavailable: 503,
  timeout: 504
}

class Refused extends Error {
  readonly code: Code

  constructor(code: Code, message: string) {
    super(message)
    this.code = code
  }
}

function sameSecret(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  // The length is not secret. The compared buffers have the same length whatever was given.
  return timingSafeEqual(a.length === b.length ? a : Buffer.alloc(b.length), b) && a.length === b.length
}

async function bodyOf(message: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of message as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_BODY_BYTES) throw new Refused('too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`)
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    throw new BadRequest('the body is no JSON')
  }
}

/**
 * Removes a socket file that nobody answers on, which a dead process left. Throws when somebody
 * answers.
 */
async function clearSocket(path: string): Promise<void> {
  if (!existsSync(path)) return
  const alive = await new Promise<boolean>((resolve) => {
    const probe = request({ socketPath: path, path: '/', timeout: 1000 })
    probe.once('response', () => resolve(true))
    probe.once('timeout', () => resolve(true))
    probe.once('error', () => resolve(false))
    probe.end()
  })
  if (alive) throw new Error(`another process answers on ${path}`)
  unlinkSync(path)
}

export async function serveQueries(options: ServerOptions): Promise<QueryServer> {
  const { engine, log, metrics, now = Date.now } = options
  const seconds = metrics.histogram(
    'service_analytics_query_seconds',
    'From a question to its answer',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['query', 'outcome']
  )
  const unix = options.url.startsWith('unix:') ? options.url.slice('unix:'.length) : null
  if (unix === null && options.secret === '') throw new Error('over TCP the query server needs a secret')
  const { atOnce = 1 } = options
  const turns = new Turns(atOnce)
  let waiting = 0

  function authorize(message: IncomingMessage): void {
    if (unix !== null) return
    const given = /^Bearer (.+)$/.exec(message.headers.authorization ?? '')?.[1] ?? ''
    if (!sameSecret(given, options.secret)) throw new Refused('unauthorized', 'the secret is not the one of this service')
  }

  async function textsOf({ statements }: Question, gone: AbortSignal): Promise<string[]> {
    const limits = { timeMs: QUERY_MS, maxRows: MAX_ROWS }
    if (atOnce > 1) return Promise.all(statements.map(({ sql, params }) => engine.query(sql, params, limits)))
    const texts: string[] = []
    for (const { sql, params } of statements) {
      gone.throwIfAborted()
      texts.push(await engine.query(sql, params, limits))
    }
    return texts
  }

  async function answer(message: IncomingMessage, gone: AbortSignal, say: (name: string) => void): Promise<string> {
    authorize(message)
    if (message.method !== 'POST' || message.url !== '/v1/query') throw new Refused('not_found', 'there is only POST /v1/query')
    const body = await bodyOf(message)
    const { name, tenant_id, params } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
    const question = questionOf(name, tenant_id, params, now())
    say(String(name))
    if (waiting >= MAX_WAITING) throw new Refused('unavailable', 'too many questions at once')
    const marks = question.topics.map((topic) => options.completeUntil(topic))
    const complete = marks.includes(null) ? null : Math.min(...marks.map(Number))
    waiting += 1
    try {
      await turns.enter(String(tenant_id).toLowerCase(), gone)
      try {
        const texts = await textsOf(question, gone)
        return `{"rows":${question.answer(texts)},"complete_until":${complete}}`
      } finally {
        turns.leave()
      }
    } finally {
      waiting -= 1
    }
  }

  function failure(error: unknown): Refused {
    if (error instanceof Refused) return error
    if (error instanceof BadRequest) return new Refused('bad_request', error.message)
    if (error instanceof QueryTooLarge) return new Refused('timeout', 'the answer takes too long or is too large: ask for less')
    log.warn({ err: error }, 'a question failed')
    return new Refused('unavailable', 'the engine did not answer')
  }

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = performance.now()
    let query = 'none'
    let outcome = 'ok'
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Refused('unavailable', 'the caller has gone')))
    try {
      const text = await answer(message, gone.signal, (name) => {
        query = name
      })
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
    } catch (error) {
      const refused = failure(error)
      outcome = refused.code
      const body: QueryFailure = { error: { code: refused.code, message: refused.message } }
      response.writeHead(statuses[refused.code], { 'content-type': 'application/json' }).end(JSON.stringify(body))
      message.resume()
    }
    seconds.observe({ query, outcome }, (performance.now() - begun) / 1000)
  }

  const server = createServer((message, response) => {
    handle(message, response).catch((error: unknown) => {
      log.error({ err: error }, 'an answer could not be sent')
      response.destroy()
    })
  })
  const endConnections = endable(server)
  if (unix !== null) await clearSocket(unix)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (unix !== null) {
      // The socket is created with its final rights: between listen and a later chmod, anybody
      // could connect.
      const before = process.umask(0o177)
      server.listen(unix, resolve)
      process.umask(before)
    } else {
      const { hostname, port } = new URL(options.url)
      server.listen(Number(port || 80), hostname, resolve)
    }
  })
  if (unix !== null) chmodSync(unix, 0o600)
  const address = server.address()
  return {
    url: unix !== null ? options.url : `http://${new URL(options.url).hostname}:${(address as AddressInfo).port}`,
    async close() {
      endConnections(CLOSE_MS)
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  }
}
