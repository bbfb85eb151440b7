/**
 * The refusals of a door and their texts: answers to a request whose headers or body are wrong, or
 * that comes at a wrong moment.
 *
 * Source: docs/design/api.md#s1-5, docs/design/api/alerts-and-routing.md#s6-6,
 * docs/design/api.md#s20; docs/design/inbound-sources.md#s1-4, #s1-7.
 */
import { type Failure, unavailable } from '../../http/answer.ts'
import { Malformed } from '../body.ts'
import type { RateStanding } from '../rates.ts'
import { Unparseable } from '../source.ts'

export const crowded = unavailable('This door has its hands full: try again', 1)
export const leaving = { ...unavailable('This door is closing: try again', 1), close: true }
export const noCredentials = unavailable('Tokens cannot be checked at the moment: try again', 2)
export const noParser = unavailable('This version of the door has no parser for the source of the integration', 30)
export const queueFull = unavailable('The log does not keep up: nothing was stored, try again', 2)
export const noAcknowledgement = unavailable(
  'The log did not acknowledge in time: the alerts may or may not be stored, sending them again is safe',
  5
)
export const disabled: Failure = { status: 403, code: 'INTEGRATION_DISABLED', error: 'This integration is disabled' }
export const tooSlow: Failure = { status: 408, code: 'REQUEST_TIMEOUT', error: 'The body did not arrive in time', close: true }
export const badLength: Failure = { status: 400, code: 'MALFORMED_JSON', error: 'Content-Length is not a number', close: true }
/** Used at the doors for pings and results. */
export const malformedLength: Failure = { ...badLength, code: 'MALFORMED_REQUEST' }
export const encoded: Failure = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', error: 'Send the body without Content-Encoding' }
export const wrongType: Failure = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  error: 'Expected JSON (application/json) or a form (application/x-www-form-urlencoded): choose JSON at the sender'
}

export const addressNotAllowed: Failure = {
  status: 403,
  code: 'IP_NOT_ALLOWED',
  error: 'The integration may not be used from this address'
}

/** Thrown when a parser refuses a request for a reason outside the payload. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.error)
    this.failure = failure
  }
}

/**
 * Returns true for types that can be neither JSON nor a form, whatever the bytes are. Senders use
 * all other types, text/plain included, for JSON.
 */
export function isForeignType(type: string): boolean {
  if (type === '' || type.startsWith('application/json')) return false
  const lower = type.toLowerCase()
  return foreign.some((prefix) => lower.startsWith(prefix))
}
// biome-ignore format: a list
const foreign = ['image/', 'audio/', 'video/', 'font/', 'multipart/', 'application/xml', 'text/xml', 'text/html', 'application/pdf', 'application/zip',
  'application/gzip', 'application/x-protobuf', 'application/protobuf', 'application/msgpack', 'application/grpc']

/** Parses Content-Length. -1: no length given; NaN: not a number. */
export function lengthOf(header: string): number {
  if (header === '') return -1
  for (let i = 0; i < header.length; i++) {
    const code = header.charCodeAt(i)
    if (code < 48 || code > 57) return Number.NaN
  }
  return Number(header)
}

/** Returns the refusal for an error that the sender caused. Rethrows internal errors. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return error.failure
  if (error instanceof Malformed) return { status: 400, code: 'MALFORMED_JSON', error: error.message }
  if (error instanceof Unparseable) return { status: 422, code: 'UNPARSEABLE_PAYLOAD', error: error.message, details: error.details }
  throw error
}

export function rateLimited({ name, limit, reset_seconds }: RateStanding): Failure {
  const error = `More than ${limit} requests a minute (${name}): nothing was stored, try again in ${reset_seconds} s`
  return { status: 429, code: 'RATE_LIMITED', error, headers: [['Retry-After', String(reset_seconds)]] }
}
