/**
 * Error trackers report the request in which an error came about, and who made it: headers,
 * cookies, bodies and addresses of people who are no concern of ours. Of these sources a kept
 * payload has what finds the error again: the address without its query, the method, the visitor's
 * id in the workspace's own system. What is not named here goes, since each of them lets its users
 * add to these objects.
 * Source: docs/design/inbound-sources.md#s1-4; https://docs.sentry.io/clientdev/interfaces/http/,
 * https://docs.rollbar.com/reference/create-item, https://bugsnagerrorreportingapi.docs.apiary.io.
 */

/** Objects about a request or its maker → members that stay. Names in lower case. */
type Staying = ReadonlyMap<string, ReadonlySet<string>>

export interface Visitors {
  objects: Staying
  /** Names of members that go wherever they stand, whatever they hold; in any case. */
  gone: string
}

const request: ReadonlySet<string> = new Set(['url', 'method', 'httpmethod'])
const person: ReadonlySet<string> = new Set(['id'])
const PEOPLE = '(?:user|client|remote)[._]?(?:ip|addr|host|email|name)[a-z_]*|ip[._]?address'
/** CGI, WSGI and Rack have a request's headers as variables of these names. */
const VARIABLES = 'http_[a-z_]+|remote_(?:addr|host|user)|query_string|rack\\.[a-z_.]+'
const HEADERS = '(?:request|response)?[._]?(?:headers|cookies?)'

const objects: Staying = new Map([
  ['request', request],
  ['sentry.interfaces.http', request],
  ['user', person],
  ['sentry.interfaces.user', person],
  ['person', person]
])
const errorTracker: Visitors = { objects, gone: `^(?:${HEADERS}|${PEOPLE}|${VARIABLES}|env|session)$` }

/**
 * How these names begin, for text that could not be decoded: rather too much goes there than too
 * little.
 */
export const VISITOR_WORDS =
  'request|sentry\\.interfaces|user|person|headers|http_|remote_|rack\\.|query_string|client[._]?(?:ip|addr)|ip[._]?address|env|session'

const trackers: ReadonlySet<string> = new Set(['sentry', 'bugsnag', 'rollbar'])

/** Null: the source reports no visitors. */
export const visitorsOf = (source: string): Visitors | null => (trackers.has(source) ? errorTracker : null)

/** Where the address of the request stands by itself. */
export const REQUEST_URL = 'requestUrl'

/** What stays of a request or person: plain values alone. */
export function withoutVisitor(value: unknown, stays: ReadonlySet<string>): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return copy
  for (const [name, member] of Object.entries(value)) {
    if (!stays.has(name.toLowerCase())) continue
    if (typeof member === 'string') copy[name] = withoutQuery(member)
    else if (typeof member === 'number') copy[name] = member
  }
  return copy
}

/** An address up to its query or fragment, and without a user; any other text as it is. */
export const withoutQuery = (text: string): string => text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
