/**
 * The native receiver: Opsgenie's Alert API, as far as its senders use it. Each operation has its
 * own address, a request carries one alert, and the header is `GenieKey <token>`, or Basic with the
 * token as the password.
 *
 *   POST v2/alerts                                               opens or repeats the alert of its
 *                                                                alias; an array is Prometheus's
 *                                                                own (also with Bearer), which
 *                                                                puts api/ before it
 *   POST v2/alerts/{alert}/close                                 resolves it
 *   POST v2/alerts/{alert}/acknowledge|unacknowledge|notes|snooze    a note on the timeline:
 *                                                                    whoever acknowledged elsewhere
 *                                                                    did not acknowledge here
 *   PUT  v2/alerts/{alert}/message|description                   rewords the ongoing incident
 *
 * Reads and pings are in native-reads.ts. {alert} is an alias, or the id of an alert of this
 * integration, or the number (tiny) of the incident that is the alert, according to
 * `identifierType`. When that is missing or `id`, an alias is accepted too. A request about an
 * alert that is not open is accepted and does nothing. Every request but an array counts as one
 * alert.
 *
 * An alert is identified by its alias. Without an alias, it is identified by entity, source and
 * message, so that a repeat does not open a second alert. The dedup template of the integration
 * does not apply: only the create carries labels, the other requests have the alias alone.
 *
 * Source: docs/design/specification.md#s4-2, #s4-3 and #s5; docs/design/inbound-sources.md#s2-2;
 * docs/design/api/alerts-and-routing.md#ib-12, #ib-13; docs.opsgenie.com/docs/alert-api (2026-11).
 */

import type { Link } from '../../../schemas/generated/events.ts'
import { MAX_ALERT_KEY } from '../../../schemas/limits.ts'
import type { IntegrationCredential } from '../../credentials/tokens.ts'
import { type Answer, type Failure, methodNotAllowed, notFound } from '../../http/answer.ts'
import type { HttpRequest } from '../../http/uws.ts'
import type { Wording } from '../exchange.ts'
import { passwordOf } from '../proof.ts'
import { digest, instant, link, listOrNothing, objectOrNothing, optionalText, severityOf, single, textOrNothing } from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { sources } from '../sources/index.ts'
import { bearer, credentialOf, type Door, type Taken } from './doors.ts'
import { mintRequestId } from './native-requests.ts'
import { Refused } from './refusals.ts'

export const segments = ['alertmanager', 'prometheus', 'opsgenie'] as const

/** The source kind in the signal keys of this door's alerts. */
export const KIND = 'opsgenie'

/** The alert that an address names. */
export interface Named {
  by: 'alias' | 'id' | 'tiny'
  /** Decoded. */
  identifier: string
}

export const noteActions = ['acknowledge', 'unacknowledge', 'notes', 'snooze'] as const
export const updateActions = ['message', 'description'] as const
export type Written =
  | { action: 'create' }
  | { action: 'close' | (typeof noteActions)[number] | (typeof updateActions)[number]; alert: Named }
export type Read =
  | { action: 'get'; alert: Named }
  | { action: 'list' }
  | { action: 'request'; request_id: string }
  | { action: 'ping'; name: string }

/**
 * What an address and a method ask for: a write, a read, or a refusal when there is no such
 * operation.
 */
export type Operation = { write: Written } | { read: Read } | { refused: Failure }

const misspelt = (error: string): Operation => ({ refused: { status: 422, code: 'VALIDATION_FAILED', error } })
const nothing: Operation = { refused: notFound }
const posted: ReadonlySet<string> = new Set(['close', ...noteActions])
const put: ReadonlySet<string> = new Set(updateActions)
/** The vendor takes them all, and they mean the same. */
const pinged: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch'])

/** The path that Prometheus adds to the prefix of any Alertmanager. */
const ADDED_BY_PROMETHEUS = /^api\/v2\/alerts\/?$/

/** Decodes one path segment; null when it is empty or its escapes are not UTF-8. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment).trim() || null
  } catch {
    return null
  }
}

/**
 * Returns the operation of a request. `path` is the part after the segment of the door, `v2/…`;
 * `method` is in lower case; `identifierType` comes from the query, and is empty when missing.
 */
export function operationOf(method: string, path: string, identifierType: string): Operation {
  if (ADDED_BY_PROMETHEUS.test(path)) return method === 'post' ? { write: { action: 'create' } } : { refused: methodNotAllowed('POST') }
  const [version, resource, ...parts] = path.split('/')
  if (parts.at(-1) === '') parts.pop()
  if (version !== 'v2') return nothing
  if (resource === 'heartbeats') {
    const name = decoded(parts[0] ?? '')
    if (parts.length !== 2 || parts[1] !== 'ping' || name === null) return nothing
    return pinged.has(method) ? { read: { action: 'ping', name } } : { refused: methodNotAllowed('GET, POST, PUT, PATCH') }
  }
  if (resource !== 'alerts' || parts.length > 2) return nothing
  const [first, second] = parts
  if (first === undefined) {
    if (method === 'post') return { write: { action: 'create' } }
    return method === 'get' ? { read: { action: 'list' } } : { refused: methodNotAllowed('GET, POST') }
  }
  if (first === 'requests' && second !== undefined && method === 'get') return { read: { action: 'request', request_id: second } }
  const by = identifierType === '' ? 'id' : identifierType.toLowerCase()
  if (by !== 'alias' && by !== 'id' && by !== 'tiny') return misspelt('identifierType must be alias, id or tiny')
  const identifier = decoded(first)
  if (identifier === null) return misspelt('The identifier must be one path segment of percent-encoded UTF-8')
  if (identifier.length > MAX_ALERT_KEY) return misspelt(`An identifier has at most ${MAX_ALERT_KEY} characters`)
  const alert: Named = { by, identifier }
  if (second === undefined) return method === 'get' ? { read: { action: 'get', alert } } : { refused: methodNotAllowed('GET') }
  if (posted.has(second)) {
    return method === 'post' ? { write: { action: second, alert } as Written } : { refused: methodNotAllowed('POST') }
  }
  if (put.has(second)) return method === 'put' ? { write: { action: second, alert } as Written } : { refused: methodNotAllowed('PUT') }
  return nothing
}

/**
 * Returns the token of a request and the `scheme` that it was sent with. The vendor takes its key
 * as the password of Basic, too, with any user name.
 */
export function keyOf(header: string): { token: string; scheme: 'geniekey' | 'bearer' } {
  const token = credentialOf(header, 'geniekey') || passwordOf(credentialOf(header, 'basic'))
  return token === '' ? { token: bearer(header), scheme: 'bearer' } : { token, scheme: 'geniekey' }
}

export const unknownKey: Failure = {
  status: 401,
  code: 'INVALID_INTEGRATION_TOKEN',
  error: 'Expected the header "Authorization: GenieKey svc_…" with the token of an integration',
  headers: [['WWW-Authenticate', 'GenieKey']]
}

/** Adds to the body of a refusal the members that the vendor's clients read. */
export const inVendorsWords: Wording = (ours, took) => ({ message: ours.error, ...ours, took, requestId: ours.request_id })

/** The signal of an id or a number, and its alias. */
export interface Located {
  signal_key: string
  alias: string
}
/**
 * Returns null when this integration has no such alert. Rejects when the lookup is not possible.
 */
export type Locate = (integration: IntegrationCredential, alert: Named) => Promise<Located | null>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Returns whether it can be an id or a number of ours; otherwise it is an alias, whatever
 * `identifierType` says.
 */
export const mayBeOurs = ({ by, identifier }: Named): boolean =>
  by === 'id' ? UUID.test(identifier) : by === 'tiny' && /^[1-9][0-9]{0,14}$/.test(identifier)

/**
 * Returns a door for one request; the address of the request defines the operation. When `locate`
 * rejects with Refused, the request is refused.
 */
export function nativeDoor(operation: Written, request: HttpRequest, locate: Locate): Door {
  const { token, scheme } = keyOf(request.getHeader('authorization'))
  const isCreate = operation.action === 'create'
  let located: Located | null = null
  let isArray = false
  const source: Source = {
    ...receiver,
    parse(input) {
      if (scheme === 'bearer') throw new Refused(unknownKey)
      const body = single(input.body)
      if (operation.action === 'create') return receiver.parse({ ...input, body })
      const dedup_key = located?.alias ?? operation.alert.identifier
      return changed(operation, body, dedup_key).map((event) => (located ? { ...event, signal_key: located.signal_key } : event))
    }
  }
  return {
    name: 'native_receiver',
    token: () => token,
    unknown: unknownKey,
    source: () => source,
    reads(body) {
      isArray = isCreate && Array.isArray(body)
      return isArray ? prometheus : source
    },
    bodiless: true,
    ...(operation.action !== 'create' &&
      mayBeOurs(operation.alert) && {
        async prepare(integration: IntegrationCredential): Promise<Failure | null> {
          try {
            located = await locate(integration, operation.alert)
            return null
          } catch (error) {
            if (error instanceof Refused) return error.failure
            throw error
          }
        }
      }),
    cost: (events) => (isArray ? events.length : 1),
    accepted: (taken) => (isArray ? done : accepted(taken, operation, located?.signal_key ?? null)),
    wording: inVendorsWords
  }
}

const done: Answer = { status: 200, body: '', headers: [], close: false }

function accepted({ integration, events, received_at, took }: Taken, { action }: Written, signal_key: string | null): Answer {
  const requestId = mintRequestId(integration, { action, received_at, signal_key, dedup_key: events[0]?.dedup_key ?? '' })
  return { status: 202, body: JSON.stringify({ result: 'Request will be processed', took, requestId }), headers: [], close: false }
}

/**
 * A door, not a source that a user can choose. So only the text of the source alertmanager mentions
 * it.
 */
export const receiver = {
  kind: KIND,
  fixed_key: true,
  key_change: 'native_receiver',
  about: {
    name: 'Opsgenie Alert API',
    description: 'Whatever can send to Opsgenie: the address ends in /, the API key is the token of an integration.',
    severity_map: { P1: 'critical', P2: 'critical', P3: 'warning', P4: 'info', P5: 'info' },
    resolves_when: 'The alert is closed by its sender.',
    sample: { message: 'Disk full on db-7', alias: 'db-7/disk', priority: 'P1' },
    instructions: () => []
  },
  parse: ({ body }) => created(single(body))
} satisfies Source

/**
 * The alerts that Prometheus itself sends to an Alertmanager. Their end time gives the status: it
 * is in the future as long as the alert fires.
 */
const prometheus: Source = {
  ...sources.alertmanager,
  sequence: 'occurrence',
  parse(input) {
    const alerts = listOrNothing(input.body).map((value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const ends = instant((value as Json).endsAt)
      return { ...value, status: ends !== null && ends <= input.received_at ? 'resolved' : 'firing' }
    })
    return sources.alertmanager.parse({ ...input, body: { alerts } })
  }
}

/**
 * Removes the count that Alertmanager puts in the title, because it changes between notifications.
 */
const withoutCount = (message: string): string => message.replace(/^\[FIRING:\d+\]\s*/, '')

const event = (action: ParsedEvent['action'], dedup_key: string, title: string, description: string | null): ParsedEvent => ({
  action,
  reason: null,
  dedup_key,
  title,
  description,
  severity: null,
  source_severity: null,
  occurred_at: null,
  sequence: null,
  delivery_id: null,
  labels: {},
  links: []
})

/** Returns the event that opens the alert of the alias, and a note with what the sender says. */
function created(body: Json): ParsedEvent[] {
  const message = textOrNothing(body.message, 'message') ?? ''
  const entity = optionalText(body.entity)
  const source = optionalText(body.source)
  const given = textOrNothing(body.alias, 'alias')
  if (given !== null && given.length > MAX_ALERT_KEY) {
    throw new Unparseable({
      path: 'alias',
      rule: 'max',
      message: `at most ${MAX_ALERT_KEY} characters`,
      limit: MAX_ALERT_KEY,
      actual: given.length
    })
  }
  const alias = given ?? digest(`${entity ?? ''}|${source ?? ''}|${message}`)
  const details = objectOrNothing(body.details)
  const priority = optionalText(body.priority)?.toUpperCase() ?? ''
  const word = /^P[1-5]$/.test(priority) ? priority : optionalText(details.severity)
  const opened: ParsedEvent = {
    ...event('fire', alias, titleOf(message, details, given), optionalText(body.description)),
    severity: severityOf(word),
    source_severity: word,
    labels: labelsOf(body, details, alias),
    links: linksOf(source, details)
  }
  const note = optionalText(body.note)
  return note === null ? [opened] : [opened, event('note', alias, note, said(optionalText(body.user), note))]
}

/** An alert is opened even when the sender's template left its message empty. */
const titleOf = (message: string, details: Json, alias: string | null): string =>
  withoutCount(message).trim() || optionalText(details.alertname) || alias || 'Alert without a message'

/** Returns the details unchanged, and beside them the fields of the vendor as labels. */
function labelsOf(body: Json, details: Json, alias: string): Json {
  const labels: Record<string, unknown> = Object.create(null)
  labels.alias = alias
  const named: readonly (readonly [string, string])[] = [
    ['entity', optionalText(body.entity) ?? ''],
    ['tags', texts(body.tags)],
    ['responders', texts(listOrNothing(body.responders).map(responderName))]
  ]
  for (const [name, value] of named) if (value !== '') labels[name] = value
  for (const [name, value] of Object.entries(details)) if (!(name in labels)) labels[name] = value
  return labels
}

const responderName = (responder: unknown): unknown => {
  const { name, username, id } = objectOrNothing(responder)
  return name ?? username ?? id
}

const texts = (value: unknown): string =>
  listOrNothing(value)
    .flatMap((one) => optionalText(one) ?? [])
    .join(',')

function linksOf(source: string | null, details: Json): Link[] {
  const links = [link('Source', source)]
  for (const [name, value] of Object.entries(details)) {
    if (name === 'url') links.push(link('Link', value))
    else if (name.endsWith('_url')) links.push(link(name.slice(0, -'_url'.length).replaceAll('_', ' ') || 'Link', value))
  }
  return links.filter((one) => one !== null)
}

/** A sentence for the timeline: who said what. */
const said = (user: string | null, note: string): string => (user === null ? note : `${user}: ${note}`)

const deeds = {
  acknowledge: 'acknowledged the alert',
  unacknowledge: 'took the acknowledgement of the alert back',
  snooze: 'snoozed the alert'
}

function changed(operation: Exclude<Written, { action: 'create' }>, body: Json, dedup_key: string): ParsedEvent[] {
  const { action } = operation
  const user = optionalText(body.user)
  const note = textOrNothing(body.note, 'note')
  const about = (description: string): ParsedEvent => event('note', dedup_key, description, description)
  switch (action) {
    case 'close': {
      const closed = event('resolve', dedup_key, dedup_key, null)
      return note === null ? [closed] : [about(said(user, note)), closed]
    }
    case 'notes':
      if (note === null) throw new Unparseable({ path: 'note', rule: 'required', message: 'a string that is not blank is required' })
      return [about(said(user, note))]
    case 'acknowledge':
    case 'unacknowledge':
    case 'snooze': {
      const until = action === 'snooze' ? instant(body.endTime) : null
      const source = optionalText(body.source)
      const sentence = `${user ?? 'The sender'} ${deeds[action]}${source === null || link('', source) ? '' : ` in ${source}`}`
      const whole = until === null ? sentence : `${sentence} until ${new Date(until).toISOString()}`
      return [about(note === null ? whole : `${whole}: ${note}`)]
    }
    case 'message':
    case 'description': {
      // Alertmanager leaves out a field that its template made empty, and drops the notification
      // when such a request is refused.
      const told = textOrNothing(body[action], action)
      const title = action === 'message' ? withoutCount(told ?? '').trim() : ''
      const description = action === 'description' ? told : null
      if (title === '' && description === null) return [{ ...event('ignore', dedup_key, dedup_key, null), reason: 'unchanged' }]
      return [event('update', dedup_key, title, description)]
    }
  }
}
