/**
 * The doors for alerts: a request starts here and continues in steps.ts. The limits on requests are
 * in ../exchange.ts.
 */
import type { Append } from '../../../streams/runtime/stream.ts'
import { type Answer, failed, methodNotAllowed, tell } from '../../http/answer.ts'
import { idOf } from '../../http/request-id.ts'
import type { HttpRequest, HttpResponse } from '../../http/uws.ts'
import { MAX_BYTES } from '../body.ts'
import { type ExchangeLimits, Exchanges } from '../exchange.ts'
import { AlertExchange, type Parts } from './alert-exchange.ts'
import type { Door } from './doors.ts'
import { createPacedAppend } from './paced-append.ts'
import { steps } from './steps.ts'

export type ReceptionLimits = Omit<ExchangeLimits, 'bodyBytes' | 'keptBytes'>

const defaults: ReceptionLimits = { requests: 2000, heldBytes: 64 * 1024 * 1024, bodyMs: 8000, bodyBytesPerSecond: 20 * 1024 }

export interface ReceptionOptions extends Omit<Parts, 'append' | 'pacedAppend'> {
  stream: Pick<Append, 'append' | 'appendEach'>
  /** Steady ms, used to measure how busy a workspace is. Default: steadyNow. */
  clock?: () => number
  limits?: Partial<ReceptionLimits>
}

export interface Reception {
  receive(door: Door, response: HttpResponse, request: HttpRequest): void
  /** Receives a request without a body, for sources that accept its query string as the body. */
  receiveQuery(door: Door, response: HttpResponse, request: HttpRequest): void
  /** Answers at once a request that belongs to no door. */
  reply(answer: (request_id: string) => Answer, response: HttpResponse, request: HttpRequest): void
  /** Number of requests without an answer yet. */
  inFlight(): number
  bytesHeld(): number
  /** Accepts no further requests. Resolves when all are answered, or after `ms`. */
  close(ms: number): Promise<void>
}

export function createReception({ limits, stream, clock, ...given }: ReceptionOptions): Reception {
  const { log, metrics } = given
  const parts: Parts = { ...given, append: stream.append, pacedAppend: createPacedAppend(stream, clock) }
  const exchanges = new Exchanges({ limits: { ...defaults, ...limits, bodyBytes: MAX_BYTES, keptBytes: MAX_BYTES }, log, metrics })

  const receive = (door: Door, response: HttpResponse, request: HttpRequest, query: string | null): void =>
    new AlertExchange(exchanges, parts, steps, door, response, request, query).receive(request)

  function reply(answer: (request_id: string) => Answer, response: HttpResponse, request: HttpRequest): void {
    const id = idOf(request)
    const made = answer(id)
    metrics.answered('none', made.status)
    tell(response, request, made, id)
  }

  return {
    receive: (door, response, request) => receive(door, response, request, null),
    receiveQuery(door, response, request) {
      // A missing query is undefined here, although the server's types say otherwise.
      const query = request.getQuery() || null
      if (query === null) reply((request_id) => failed(methodNotAllowed('POST'), request_id), response, request)
      else receive(door, response, request, query)
    },
    reply,
    inFlight: exchanges.inFlight,
    bytesHeld: exchanges.bytesHeld,
    close: exchanges.close
  }
}
