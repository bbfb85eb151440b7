/**
 * Step 1: decides whether the body of a request is read at all. The first check that fails answers,
 * in this order: token, integration enabled, address, a parser, method, budget, size, type,
 * encoding.
 */

import { type IntegrationCredential, Unavailable } from '../../credentials/tokens.ts'
import { methodNotAllowed } from '../../http/answer.ts'
import { isAllowed } from '../../http/networks.ts'
import type { HttpRequest } from '../../http/uws.ts'
import type { Source } from '../source.ts'
import { sources } from '../sources/index.ts'
import type { AlertExchange } from './alert-exchange.ts'
import { addressNotAllowed, badLength, disabled, encoded, isForeignType, noCredentials, noParser, wrongType } from './refusals.ts'

const everyHeader: readonly string[] = [...new Set(Object.values(sources).flatMap((source: Source) => source.headers ?? []))]

export function admit(exchange: AlertExchange, request: HttpRequest): void {
  const { credentials, log } = exchange.parts
  const token = exchange.door.token(request)
  const found = token === '' ? null : credentials.integration(token)
  if (!(found instanceof Promise)) {
    check(exchange, found)
    if (!exchange.over) keepHeaders(exchange, request)
    return
  }
  keepHeaders(exchange, request)
  found.then(
    (integration) => exchange.guarded(() => void (exchange.over || check(exchange, integration))),
    (error: unknown) => {
      if (!(error instanceof Unavailable)) log.error({ err: error, request_id: exchange.id }, 'a token could not be checked')
      exchange.fail(noCredentials)
    }
  )
}

function check(exchange: AlertExchange, integration: IntegrationCredential | null): void {
  const { door, encoding, length, query, type } = exchange
  if (!integration) return void exchange.fail(door.unknown)
  exchange.integration = integration
  if (!integration.enabled) return void exchange.fail(disabled)
  const { allowed_cidrs } = integration
  if (allowed_cidrs.length > 0 && !isAllowed(exchange.address(), allowed_cidrs)) return void exchange.fail(addressNotAllowed)
  const source = door.source(integration.source_type)
  if (!source) return void exchange.fail(noParser)
  if (query !== null && !source.query) return void exchange.fail(methodNotAllowed('POST'))
  if (!isWithinBudget(exchange, integration)) return
  if (exchange.isTooLarge(length)) return
  if (Number.isNaN(length)) return void exchange.fail(badLength)
  if (isForeignType(type)) return void exchange.fail(wrongType)
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') return void exchange.fail(encoded)
  exchange.admitted(source, integration)
}

/**
 * Asks the budget when the headers have arrived, and again when the body has: other requests of the
 * workspace may have used the budget meanwhile. False: the request has been answered.
 */
export function isWithinBudget(exchange: AlertExchange, integration: IntegrationCredential): boolean {
  const standing = exchange.askBudget(integration)
  if (standing.admitted) return true
  exchange.parts.metrics.refused('budget')
  exchange.refuseOverBudget(standing)
  return false
}

/** Copies the headers, because the request object is invalid after its handler returns. */
function keepHeaders({ source, headers }: AlertExchange, request: HttpRequest): void {
  for (const name of source ? (source.headers ?? []) : everyHeader) {
    const value = request.getHeader(name)
    if (value !== '') headers[name] = value
  }
}
