/**
 * Calls of the public API with the browser's session. Paths, parameters, bodies and answers are
 * typed by the generated document; an answer that is no success is thrown as a Refusal with the
 * server's words.
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
  /** Of what it concerns, as far as the person sees it. */
  names?: readonly string[]
  plan?: string
  upgrade_to?: string | null
  needed?: { scope: string; role: string }
}

/** Why the server did not do it, or that it could not be reached (status 0). */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly request_id: string | null
  readonly details: readonly Detail[]
  /** When to ask again, from Retry-After; null: it was not said. */
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
   * Asked again it may go well: nobody answered, or the service could not. What the person may not
   * have, or is not there, does not change by that.
   */
  get mayPass(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** The error of `cause` as a Refusal: what is none is the network's. */
export const toRefusal = (cause: unknown): Refusal =>
  cause instanceof Refusal ? cause : new Refusal(0, { error: statesText('unreachable.title'), code: 'UNREACHABLE' })

/** The server knows it no more, or hides it: what was read before must not stay in sight. */
export const isGone = (error: unknown): boolean => error instanceof Refusal && error.code === 'NOT_FOUND'

export const client = createClient<paths>({
  baseUrl: '/',
  querySerializer: { array: { style: 'form', explode: false } },
  // The api takes a write with a cookie only as JSON, one without a body, too.
  headers: { 'content-type': 'application/json' }
})

interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** The data of an answer; throws the Refusal. */
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

/** As take, of a route that answers text (CSV) only where it is asked to. */
export async function takeJson<Data>(asked: Promise<Answer<Data>>): Promise<Exclude<Data, string>> {
  const data = await take(asked)
  if (typeof data === 'string') throw new TypeError('takeJson: the answer is text')
  return data as Exclude<Data, string>
}
