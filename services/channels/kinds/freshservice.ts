/**
 * Freshservice: tickets by the API v2. A tag holds the incident's key.
 * Source: docs/design/outbound-channels.md#s3-15.
 */
import { Type } from 'typebox'
import type { Channel, Message, RemoteRef, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, emailFault, emailField, field, secretField } from '../config.ts'
import { deadChannel, judge, lost, objectIn, recordIn, succeeded, textIn, unsure } from '../judging.ts'
import { escapeHtml, truncate } from '../text.ts'
import {
  basic,
  type Calls,
  callsTo,
  type Desk,
  MAX_TICKET_TEXT,
  nameFault,
  nameUnder,
  onlyOpen,
  refusal,
  ticketLines,
  ticketSteps
} from '../ticketing.ts'
import { severityOf, titleOf } from '../words.ts'

type Config = { domain: string; api_key: string; requester_email: string }

const DOMAIN = 'freshservice.com'
const MAX_TITLE = 255
const PRIORITIES = { critical: 4, warning: 2, info: 1 } as const
const OPEN = 2
const RESOLVED = 4
const CLOSED = 5
/** The source "portal": not every account has a source for tickets that a program opens. */
const SOURCE = 2
/** The search finds a ticket only minutes after it was opened. */
const behind = { until_attempt: 4, wait_ms: 120_000 }

/** At most 32 characters, the limit of a tag. */
const tagOf = ({ key }: Message): string =>
  key
    .replace(/^svc-[a-z]+-/, '')
    .replaceAll('-', '')
    .slice(0, 32)

const paragraphs = (lines: readonly string[]): string => lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('')
const html = (text: string): string => paragraphs(truncate(text, MAX_TICKET_TEXT).split('\n'))

function isOpen(ticket: unknown): boolean {
  const status = recordIn(ticket)?.status
  return status !== RESOLVED && status !== CLOSED
}

function refOf(ticket: unknown): RemoteRef | null {
  const id = textIn(recordIn(ticket), 'id')
  return id === null ? null : { ticket_id: id }
}

/**
 * The names of the fields that the account requires and the service does not know, as
 * `custom_field, group_id`.
 */
function fieldsIn(reply: SendReply): string {
  const errors = objectIn(reply)?.errors
  const names = Array.isArray(errors) ? errors.map((error) => textIn(recordIn(error), 'field')).filter((name) => name !== null) : []
  return names.slice(0, 5).join(', ')
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const { status } = reply
  if (status === 401) return deadChannel(reply, 'Freshservice refuses the API key.')
  if (status === 403) return deadChannel(reply, 'The agent of the API key may not open or change tickets in Freshservice.')
  if (status === 404) return deadChannel(reply, 'Freshservice knows no such account.')
  if (status === 400 || status === 422) {
    const fields = fieldsIn(reply)
    return lost(reply, fields === '' ? 'Freshservice refused this ticket.' : `Freshservice refused these fields of the ticket: ${fields}.`)
  }
  return judge(reply, context)
}

function ticketOf(message: Message, context: SendContext, email: string) {
  const { lines, url } = ticketLines(message, context)
  const link = url === null ? '' : `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`
  const title = truncate(titleOf(message), MAX_TITLE)
  const text = truncate(lines.join('\n'), MAX_TICKET_TEXT)
  return {
    email,
    subject: title,
    description: `${text === '' ? paragraphs([title]) : paragraphs(text.split('\n'))}${link}`,
    status: OPEN,
    priority: PRIORITIES[severityOf(message)],
    source: SOURCE,
    tags: [tagOf(message)]
  }
}

function desk(message: Message, { domain, requester_email }: Config, call: Calls, context: SendContext): Desk {
  const path = (ref: RemoteRef): string => `/api/v2/tickets/${encodeURIComponent(ref.ticket_id ?? '')}`
  function* note(ref: RemoteRef, text: string): ReturnType<Desk['note']> {
    const reply = yield call('POST', `${path(ref)}/notes`, { body: html(text), private: true })
    if (reply.status === 404) return 'gone'
    return succeeded(reply) && objectIn(reply) ? { outcome: 'delivered' } : judged(reply, context)
  }
  return {
    site: domain,
    behind,
    *open() {
      const reply = yield call('POST', '/api/v2/tickets', ticketOf(message, context, requester_email))
      const ref = succeeded(reply) ? refOf(objectIn(reply)?.ticket) : null
      if (ref === null) return unsure(reply, judged(reply, context))
      return { outcome: 'delivered', remote_ref: ref, provider_message_id: ref.ticket_id ?? '' }
    },
    *find() {
      const reply = yield call('GET', `/api/v2/tickets/filter?query=${encodeURIComponent(`"tag:'${tagOf(message)}'"`)}`)
      const found = objectIn(reply)?.tickets
      const [first] = Array.isArray(found) ? found.filter((ticket) => !onlyOpen(message) || isOpen(ticket)) : []
      return succeeded(reply) && Array.isArray(found) ? { ref: refOf(first) } : { failed: judged(reply, context) }
    },
    note,
    acknowledge: note,
    *resolve(ref, text) {
      // Set the status first: a retry may set it again without harm, but must not add the note
      // again.
      const reply = yield call('PUT', path(ref), { status: RESOLVED })
      if (reply.status === 404) return 'gone'
      if (reply.status === 400) return refusal(reply)
      if (!succeeded(reply) || !objectIn(reply)) return judged(reply, context)
      return message.event === 'test' ? { outcome: 'delivered' } : yield* note(ref, text)
    }
  }
}

export const channel: Channel<Config> = {
  kind: 'freshservice',
  name: 'Freshservice',
  hint: 'An account, the API key of an agent, and in whose name tickets are opened.',
  family: 'ticketing',
  config: Type.Object(
    {
      domain: field({ title: 'Domain', description: 'acme of acme.freshservice.com: no domain of your own.', maxLength: 200 }),
      api_key: secretField({ title: 'API key', description: 'Of an agent.', pattern: '^[!-~]{10,200}$', maxLength: 200 }),
      requester_email: emailField({ title: 'Requester', description: 'An e-mail address: in its name tickets are opened.' })
    },
    closed
  ),
  fields: [{ name: 'domain', host: true }, { name: 'api_key', secret: true }, { name: 'requester_email' }],
  events: ['down', 'up', 'acknowledged'],
  unsent: 'drop',
  max_ambiguous: null,
  verified: false,
  check: ({ domain, requester_email }) => nameFault('domain', DOMAIN, domain) ?? emailFault('requester_email', requester_email),
  normalise: (config) => ({ ...config, domain: nameUnder(DOMAIN, config.domain) ?? config.domain }),
  target: ({ domain }) => `${domain}.${DOMAIN}`,
  *steps(message, config, ref, context) {
    const { domain, api_key } = config
    const call = callsTo({ kind: 'freshservice', name: domain, domain: DOMAIN, ...basic(api_key, 'X', api_key) }, context)
    return yield* ticketSteps(message, ref, context, desk(message, config, call, context))
  }
}
