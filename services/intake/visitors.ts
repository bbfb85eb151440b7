/**
 * Removes data about visitors. Error trackers report the request in which an error occurred, and
 * who made it: headers, cookies, bodies and addresses of people whom the service need not know. For
 * these sources, a stored payload keeps only what helps to find the error again: the address
 * without its query, the method, and the visitor's id in the workspace's own system. Everything
 * else in these objects is removed, because each tracker lets its users add members to them.
 *
 * Source: docs/design/inbound-sources.md#s1-4; https://docs.sentry.io/clientdev/interfaces/http/,
 * https://docs.rollbar.com/reference/create-item, https://bugsnagerrorreportingapi.docs.apiary.io.
 */

/** Objects about a request or its sender → the members that stay. Names in lower case. */
type Staying = ReadonlyMap<string, ReadonlySet<string>>

export interface Visitors {
  objects: Staying
  /** Names of members that are removed wherever they occur, with any value; in any case. */
  gone: string
}

const request: ReadonlySet<string> = new Set(['url', 'method', 'httpmethod'])
const person: ReadonlySet<string> = new Set(['id'])
const PEOPLE = '(?:user|client|remote)[._]?(?:ip|addr|host|email|name)[a-z_]*|ip[._]?address'
/** CGI, WSGI and Rack pass the headers of a request as variables with these names. */
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
 * The beginnings of these names, for text that could not be decoded. Removing too much is better
 * there than removing too little.
 */
export const VISITOR_WORDS =
  'request|sentry\\.interfaces|user|person|headers|http_|remote_|rack\\.|query_string|client[._]?(?:ip|addr)|ip[._]?address|env|session'

const trackers: ReadonlySet<string> = new Set(['sentry', 'bugsnag', 'rollbar'])

/** Returns the rules for a source; null: the source reports no visitors. */
export const visitorsOf = (source: string): Visitors | null => (trackers.has(source) ? errorTracker : null)

/** The name of a member that holds only the address of a request. */
export const REQUEST_URL = 'requestUrl'

/** Returns the members of a request or person that stay, if their values are texts or numbers. */
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

/**
 * Cuts an address before its query or fragment, and removes the user; leaves any other text as it
 * is.
 */
export const withoutQuery = (text: string): string => text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
