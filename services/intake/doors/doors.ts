/**
 * The doors for alerts: the address of each, how a sender presents its token there, which source
 * reads the body, and how the door words its answers.
 *
 * A token works at every door. At the door with the token in its path, the integration's own source
 * parses the body; at a dedicated door, the door's source does. The third door, the native
 * receiver, has an address for every operation and is in native.ts.
 *
 * Source: docs/design/inbound-sources.md#s1-1 and #s2, docs/design/api/alerts-and-routing.md#s6-6.
 */

import type { IntegrationCredential } from '../../credentials/tokens.ts'
import { type Answer, type Failure, notFound } from '../../http/answer.ts'
import type { HttpRequest } from '../../http/uws.ts'
import type { Wording } from '../exchange.ts'
import type { Json, SequencedEvent, Source } from '../source.ts'
import { sources } from '../sources/index.ts'

/** What the log has accepted of a payload. */
export interface Taken {
  integration: IntegrationCredential
  events: readonly SequencedEvent[]
  /** Epoch ms. */
  received_at: number
  request_id: string
  /** Seconds since the request arrived. */
  took: number
}

export interface Door {
  name: 'incoming' | 'alert_router' | 'native_receiver'
  /** Reads the token of a request; empty when there is none. */
  token(request: HttpRequest): string
  /** The answer to a missing or unknown token. */
  unknown: Failure
  /** Returns undefined when this version has no parser for the type. */
  source(source_type: string): Source | undefined
  /** Returns the source when the body determines it. Default: `source`. */
  reads?(body: Json | readonly unknown[]): Source
  /** The body may be missing; then it counts as an empty object. */
  bodiless?: true
  /** Looks up what the parser needs before it reads the body: which alert the address names. */
  prepare?(integration: IntegrationCredential): Promise<Failure | null>
  /** How many alerts a payload counts for in the budget. Default: the number of alerts in it. */
  cost?(events: readonly SequencedEvent[]): number
  /** The answer to an accepted payload. Default: docs/design/api/alerts-and-routing.md#ib-10. */
  accepted?(taken: Taken): Answer
  /**
   * Converts the body of a refusal to the form that this door's senders expect. Default: unchanged.
   */
  wording?: Wording
}

/** A door at fixed addresses. */
export interface FixedDoor extends Door {
  /** Route patterns of the server. */
  paths: readonly string[]
}

const byType: ReadonlyMap<string, Source> = new Map(Object.entries(sources))

export const incoming: FixedDoor = {
  name: 'incoming',
  paths: ['/api/v1/webhooks/incoming/:integration_token'],
  token: (request) => request.getParameter(0),
  unknown: notFound,
  source: (source_type) => byType.get(source_type)
}

export const alertRouter: FixedDoor = {
  name: 'alert_router',
  paths: ['/api/v1/webhook/alertmanager', '/api/v1/webhook/prometheus'],
  token: (request) => bearer(request.getHeader('authorization')),
  unknown: {
    status: 401,
    code: 'INVALID_INTEGRATION_TOKEN',
    error: 'Expected the header "Authorization: Bearer svc_…" with the token of an integration',
    headers: [['WWW-Authenticate', 'Bearer']]
  },
  source: () => sources.alertmanager
}

export const doors: readonly FixedDoor[] = [incoming, alertRouter]

/**
 * Returns the credential of an Authorization header with the scheme Bearer, in any case; else empty
 * text.
 */
export const bearer = (header: string): string => credentialOf(header, 'bearer')

/** Like `bearer`, for another scheme, given in lower case. */
export function credentialOf(header: string, scheme: string): string {
  const { length } = scheme
  return header.length > length + 1 && header.charCodeAt(length) === 32 && header.slice(0, length).toLowerCase() === scheme
    ? header.slice(length + 1).trim()
    : ''
}
