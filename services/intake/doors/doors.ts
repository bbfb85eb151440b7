/**
 * The doors for alerts: where each stands, how a sender shows its token there, which source reads
 * the body, and how the door speaks.
 * A token is good at every door: in the path the integration's own source parses, at a dedicated
 * door the door's. The third, the native receiver, has an address for every operation and is in
 * native.ts.
 * Source: docs/design/inbound-sources.md#s1-1 and #s2, docs/design/api/alerts-and-routing.md#s6-6.
 */

import type { IntegrationCredential } from '../../credentials/tokens.ts'
import { type Answer, type Failure, notFound } from '../../http/answer.ts'
import type { HttpRequest } from '../../http/uws.ts'
import type { Wording } from '../exchange.ts'
import type { Json, SequencedEvent, Source } from '../source.ts'
import { sources } from '../sources/index.ts'

/** What of a payload is on the log. */
export interface Taken {
  integration: IntegrationCredential
  events: readonly SequencedEvent[]
  /** Epoch ms. */
  received_at: number
  request_id: string
  /** Seconds since the request came. */
  took: number
}

export interface Door {
  name: 'incoming' | 'alert_router' | 'native_receiver'
  /** The token as presented; empty where there is none. */
  token(request: HttpRequest): string
  /** Answer to a missing or unknown token. */
  unknown: Failure
  /** undefined where this version has no parser for it. */
  source(source_type: string): Source | undefined
  /** The source of a body, where the body says which; default: `source`. */
  reads?(body: Json | readonly unknown[]): Source
  /** A body may be missing: it counts as an empty object. */
  bodiless?: true
  /** What must be looked up before the body is parsed: which alert the address means. */
  prepare?(integration: IntegrationCredential): Promise<Failure | null>
  /** How many alerts a payload counts for in the budget; default: those in it. */
  cost?(events: readonly SequencedEvent[]): number
  /**
   * The answer to a payload that was taken; default: docs/design/api/alerts-and-routing.md#ib-10.
   */
  accepted?(taken: Taken): Answer
  /** The text of a refusal in the words of this door's senders, made of ours; default: ours. */
  wording?: Wording
}

/** A door that stands at fixed addresses. */
export interface FixedDoor extends Door {
  /** Patterns of the server. */
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

/** The credential of an Authorization header with the scheme Bearer, in any case; else empty. */
export const bearer = (header: string): string => credentialOf(header, 'bearer')

/** As bearer, of another scheme, in lower case. */
export function credentialOf(header: string, scheme: string): string {
  const { length } = scheme
  return header.length > length + 1 && header.charCodeAt(length) === 32 && header.slice(0, length).toLowerCase() === scheme
    ? header.slice(length + 1).trim()
    : ''
}
