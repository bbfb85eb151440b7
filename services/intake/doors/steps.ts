/**
 * The steps from a request to the log, one file for each step.
 *
 *   admit      the headers: token, integration, address, budget, size, type
 *   decode     the bytes
 *   verify     the proof of the sender; asks others where it must
 *   parse      by the source of the integration or the door
 *   normalise  alike for every source
 *   append     and answer once the log has acknowledged
 *
 * The first step that refuses answers. After a refusal by the headers, the rest of the body is
 * dropped unread. After a later refusal, the payload counts as one alert and is stored as it
 * arrived (reject.ts). Nothing is decoded before the budget admits it, and the budget is asked
 * again once the body is complete. All steps run in one call unless another service must be asked.
 */
import { admit, isWithinBudget } from './admit.ts'
import type { AlertExchange, Payload, Steps } from './alert-exchange.ts'
import { append } from './append.ts'
import { decode } from './decode.ts'
import { normalise } from './normalise.ts'
import { parse } from './parse.ts'
import { reject } from './reject.ts'
import { asksOthers, verify, verifyLater } from './verify.ts'

const nothing = {}

function take(exchange: AlertExchange, bytes: Buffer): void {
  const { integration, source } = exchange
  if (!integration || !source || !isWithinBudget(exchange, integration)) return
  const payload: Payload = {
    exchange,
    integration,
    source,
    bytes,
    received_at: exchange.parts.now?.() ?? Date.now(),
    isDecoded: false,
    body: nothing,
    escaped: true
  }
  const refusal = decode(payload) ?? verify(payload)
  if (refusal instanceof Promise || (refusal === null && asksOthers(payload))) verifyLater(payload, refusal, takeVerified)
  else if (refusal !== null) reject(payload, refusal)
  else takeVerified(payload)
}

function takeVerified(payload: Payload): void {
  const events = parse(payload)
  if (!Array.isArray(events)) return void reject(payload, events)
  const { exchange, integration } = payload
  const counted = exchange.count(integration, exchange.door.cost?.(events) ?? events.length)
  append(payload, events, normalise(payload, events), counted)
}

export const steps: Steps = { admit, take }
