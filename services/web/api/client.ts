/**
 * Calls the public API with the browser's session. Paths, parameters, bodies and answers are typed
 * by the generated document. An unsuccessful answer is thrown as a Refusal with the server's words.
 */
import createClient from 'openapi-fetch'
import { statesText } from '../texts/states.ts'
import type { paths } from './openapi.ts'

export interface Detail {
  path?: string
  rule?: string
  message?: string
  limit_key?: string
  limit?: number
  actual?: number
  /** The names of the objects concerned, as far as the person may see them. */
  names?: readonly string[]
  plan?: string
  upgrade_to?: string | null
  needed?: { scope: string; role: string }
}

/** The server's reason for not doing a request, or status 0 if the server could not be reached. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly request_id: string | null
  readonly details: readonly Detail[]
  /** Seconds to wait before a retry, from Retry-After; null: the server gave none. */
  readonly retryAfterSeconds: number | null

  constructor(
    status: number,
    body: { error?: string; code?: string; request_id?: string; details?: readonly Detail[] },
    retryAfter: string | null = null
  ) {
    super(body.error ?? statesText('answered.status', { status }))
    this.status = status
    this.code = body.code ?? 'UNKNOWN'
    this.request_id = body.request_id ?? null
    this.details = body.details ?? []
    this.retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null
  }

  /**
   * Whether a retry may succeed: nobody answered, or the service failed. A retry changes nothing if
   * the person lacks the right or the object does not exist.
   */
  get mayPass(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** Returns `cause` as a Refusal. Any other error counts as a network failure. */
export const toRefusal = (cause: unknown): Refusal =>
  cause instanceof Refusal ? cause : new Refusal(0, { error: statesText('unreachable.title'), code: 'UNREACHABLE' })

/**
 * Retries of figures, which have a small budget of requests: one that was refused for too many
 * requests is made again after Retry-After. Each pause is longer, for others wait for it, too.
 */
export const figuresAgain = {
  retry: (failures: number, error: Error): boolean => {
    const refusal = toRefusal(error)
    return refusal.status === 429 ? failures < 5 : refusal.mayPass && failures < 2
  },
  retryDelay: (failures: number, error: Error): number => {
    const { retryAfterSeconds } = toRefusal(error)
    return retryAfterSeconds === null ? 1_000 * 2 ** failures : Math.max(1, retryAfterSeconds) * 1_000 * (failures + 1)
  }
} as const

/**
 * Whether the server no longer has the object, or hides it. Data that was read earlier must then
 * not stay visible.
 */
export const isGone = (error: unknown): boolean => error instanceof Refusal && error.code === 'NOT_FOUND'

export const client = createClient<paths>({
  baseUrl: '/',
  querySerializer: { array: { style: 'form', explode: false } },
  // The api accepts a write with a cookie only as JSON, even a write without a body.
  headers: { 'content-type': 'application/json' }
})

interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** Returns the data of an answer. Throws a Refusal if there is none. */
export async function take<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  let answer: Answer<Data>
  try {
    answer = await asked
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw toRefusal(error)
  }
  const { data, error, response } = answer
  if (response.ok) return data as Data
  throw new Refusal(response.status, typeof error === 'object' && error !== null ? error : {}, response.headers.get('retry-after'))
}

/** Like take, for a route that answers text (CSV) only on request. */
export async function takeJson<Data>(asked: Promise<Answer<Data>>): Promise<Exclude<Data, string>> {
  const data = await take(asked)
  if (typeof data === 'string') throw new TypeError('takeJson: the answer is text')
  return data as Exclude<Data, string>
}
