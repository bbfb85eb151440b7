/**
 * The way of an alert from a request to the log, one file for each step.
 *
 *   admit      token, integration, address, budget, size, type    refused: answered, and the rest of the body is dropped unread
 *   decode     the bytes                                           refused: counts as one alert, kept as it came
 *   verify     the proof of the sender, and look-ups                 likewise
 *   parse      by the source                                         likewise
 *   normalise  alike for every source
 *   append     answered once the log has acknowledged
 *
 * Nothing is decoded before the budget admits it, and the budget is asked again once the body is whole. All of it happens in one call where nothing must be asked
 * of others.
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
    received_at: Date.now(),
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
  exchange.count(integration, exchange.door.cost?.(events) ?? events.length)
  append(payload, events, normalise(payload, events))
}

export const steps: Steps = { admit, take }
