/**
 * The doors for alerts: where each stands, how a sender shows its token there, and which source reads the body.
 * A token is good at every door: in the path the integration's own source parses, at a dedicated door the door's.
 * Source: inbound-sources.md 1.1 and 2.1, api-design.md 6.6.
 */
import type { HttpRequest } from '../../uws.ts'
import type { Source } from '../source.ts'
import { sources } from '../sources/index.ts'
import { type Failure, notFound } from './answer.ts'

export interface Door {
  name: 'incoming' | 'alert_router'
  /** Patterns of the server. */
  paths: readonly string[]
  /** The token as presented; empty where there is none. */
  token(request: HttpRequest): string
  /** Answer to a missing or unknown token. */
  unknown: Failure
  /** undefined where this version has no parser for it. */
  source(source_type: string): Source | undefined
}

const byType: ReadonlyMap<string, Source> = new Map(Object.entries(sources))

export const incoming: Door = {
  name: 'incoming',
  paths: ['/api/v1/webhooks/incoming/:integration_token'],
  token: (request) => request.getParameter(0),
  unknown: notFound,
  source: (source_type) => byType.get(source_type)
}

export const alertRouter: Door = {
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

export const doors: readonly Door[] = [incoming, alertRouter]

/** The credential of an Authorization header with the scheme Bearer, in any case; else empty. */
export function bearer(header: string): string {
  return header.length > 7 && header.charCodeAt(6) === 32 && header.slice(0, 6).toLowerCase() === 'bearer' ? header.slice(7).trim() : ''
}
