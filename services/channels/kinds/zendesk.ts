/**
 * Zendesk: tickets by the API v2. `external_id` holds the incident's key.
 * Source: docs/design/outbound-channels.md#s3-22.
 */
import { Type } from 'typebox'
import type { Channel, Message, RemoteRef, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, emailFault, emailField, field, secretField } from '../config.ts'
import { deadChannel, judge, later, lost, objectIn, recordIn, succeeded, textIn, unsure } from '../judging.ts'
import { truncate } from '../text.ts'
import {
  basic,
  type Calls,
  callsTo,
  type Desk,
  type Ended,
  MAX_TICKET_TEXT,
  nameFault,
  nameUnder,
  onlyOpen,
  refusal,
  type Steps,
  ticketLines,
  ticketSteps
} from '../ticketing.ts'
import { severityOf, titleOf } from '../words.ts'

type Config = { subdomain: string; email: string; api_token: string }

const DOMAIN = 'zendesk.com'
const MAX_TITLE = 150
const PRIORITIES = { critical: 'urgent', warning: 'normal', info: 'low' } as const
const IS_CLOSED = /closed prevents ticket update/i

function isOpen(ticket: unknown): boolean {
  const status = recordIn(ticket)?.status
  return status !== 'solved' && status !== 'closed'
}

function refOf(ticket: unknown): RemoteRef | null {
  const id = textIn(recordIn(ticket), 'id')
  return id === null ? null : { ticket_id: id }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const { status } = reply
  if (status === 401) return deadChannel(reply, 'Zendesk refuses the e-mail address or the API token.')
  if (status === 403)
    return deadChannel(reply, 'The person of the e-mail address must be an agent who may open and solve tickets in Zendesk.')
  if (status === 404) return deadChannel(reply, 'Zendesk knows no such account.')
  if (status === 409) return later(reply, context.now)
  if (status === 400 || status === 422) return lost(reply, 'Zendesk refused this ticket.')
  return judge(reply, context)
}

function ticketOf(message: Message, context: SendContext) {
  const { lines, url } = ticketLines(message, context)
  const text = truncate(lines.join('\n'), MAX_TICKET_TEXT)
  return {
    subject: truncate(titleOf(message), MAX_TITLE),
    // Zendesk would mail a public comment to the requester.
    comment: { body: [text === '' ? titleOf(message) : text, ...(url === null ? [] : [url])].join('\n'), public: false },
    priority: PRIORITIES[severityOf(message)],
    type: 'incident',
    external_id: message.key
  }
}

function desk(message: Message, site: string, call: Calls, context: SendContext): Desk {
  function* change(ref: RemoteRef, text: string, more: object = {}): Steps<Ended> {
    const ticket = { comment: { body: truncate(text, MAX_TICKET_TEXT), public: false }, ...more }
    const reply = yield call('PUT', `/api/v2/tickets/${encodeURIComponent(ref.ticket_id ?? '')}.json`, { ticket })
    if (succeeded(reply) && refOf(objectIn(reply)?.ticket)) return { outcome: 'delivered' }
    if (reply.status === 404) return 'gone'
    if (reply.status !== 422) return judged(reply, context)
    return IS_CLOSED.test(reply.body) ? { outcome: 'skipped', why: 'ticket_closed' } : refusal(reply)
  }
  function* told(ref: RemoteRef, text: string, more?: object): ReturnType<Desk['note']> {
    const done = yield* change(ref, text, more)
    if (done === 'gone' || !('stays_open' in done)) return done
    return { outcome: 'permanent', why: done.stays_open, scope: 'delivery', user_text: 'Zendesk refused this change of the ticket.' }
  }
  return {
    site,
    behind: null,
    *open() {
      const once = { 'idempotency-key': message.delivery_id }
      const reply = yield call('POST', '/api/v2/tickets.json', { ticket: ticketOf(message, context) }, once)
      const ref = succeeded(reply) ? refOf(objectIn(reply)?.ticket) : null
      if (ref === null) return unsure(reply, judged(reply, context))
      return { outcome: 'delivered', remote_ref: ref, provider_message_id: ref.ticket_id ?? '' }
    },
    *find() {
      const reply = yield call('GET', `/api/v2/tickets.json?external_id=${encodeURIComponent(message.key)}`)
      const found = objectIn(reply)?.tickets
      const [first] = Array.isArray(found) ? found.filter((ticket) => !onlyOpen(message) || isOpen(ticket)) : []
      return succeeded(reply) && Array.isArray(found) ? { ref: refOf(first) } : { failed: judged(reply, context) }
    },
    note: (ref, text) => told(ref, text),
    acknowledge: (ref, text) => told(ref, text, { status: 'open' }),
    resolve: (ref, text) => change(ref, text, { status: 'solved' })
  }
}

export const channel: Channel<Config> = {
  kind: 'zendesk',
  name: 'Zendesk',
  hint: 'An account, the e-mail address of an agent, and an API token.',
  family: 'ticketing',
  config: Type.Object(
    {
      subdomain: field({ title: 'Subdomain', description: 'acme of acme.zendesk.com.', maxLength: 200 }),
      email: emailField({ title: 'E-mail', description: 'Of the agent who opens the tickets.' }),
      api_token: secretField({ title: 'API token', pattern: '^[!-~]{10,300}$', maxLength: 300 })
    },
    closed
  ),
  fields: [{ name: 'subdomain', host: true }, { name: 'email' }, { name: 'api_token', secret: true }],
  events: ['down', 'up', 'acknowledged'],
  unsent: 'drop',
  max_ambiguous: null,
  verified: false,
  check: ({ subdomain, email }) => nameFault('subdomain', DOMAIN, subdomain) ?? emailFault('email', email),
  normalise: (config) => ({ ...config, subdomain: nameUnder(DOMAIN, config.subdomain) ?? config.subdomain }),
  target: ({ subdomain }) => `${subdomain}.${DOMAIN}`,
  *steps(message, { subdomain, email, api_token }, ref, context) {
    const call = callsTo({ kind: 'zendesk', name: subdomain, domain: DOMAIN, ...basic(`${email}/token`, api_token) }, context)
    return yield* ticketSteps(message, ref, context, desk(message, subdomain, call, context))
  }
}
