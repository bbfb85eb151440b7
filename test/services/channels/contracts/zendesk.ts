/** Tickets of a Zendesk account, as in docs/design/outbound-channels.md#s3-22. */
import {
  type Answer,
  type Asked,
  type Contract,
  holding,
  isText,
  jsonIn,
  refused,
  took,
  withHeader,
  withJson,
  withPath
} from '../contract.ts'

type Config = { subdomain: string; email: string; api_token: string }
type Ticket = Record<string, unknown> & { id: number; status: string }

const STATES = ['new', 'open', 'pending', 'hold', 'solved', 'closed']
const FIELDS = new Set(['id', 'subject', 'comment', 'priority', 'type', 'external_id', 'status'])

const invalid = (field: string, description: string): Answer =>
  refused(422, `${field}: ${description}`, {
    error: 'RecordInvalid',
    description: 'Record validation errors',
    details: { [field]: [{ description }] }
  })

/** Returns the refusal of a ticket; null if it has no fault. */
function ticketFault(ticket: Record<string, unknown>): Answer | null {
  const strange = Object.keys(ticket).find((name) => !FIELDS.has(name))
  if (strange !== undefined) return refused(400, `${strange} is no field`, { error: 'UnpermittedParameters' })
  const { subject, comment, priority, type, external_id, status } = ticket
  if (subject !== undefined && !isText(subject, 150)) return invalid('subject', 'is too long')
  const { body, public: isPublic } = (comment ?? {}) as Record<string, unknown>
  if (!isText(body, 65_535)) return invalid('comment', 'Comment: cannot be blank')
  if (isPublic !== false) return refused(400, 'it would be mailed')
  if (priority !== undefined && !['urgent', 'high', 'normal', 'low'].includes(String(priority))) return invalid('priority', 'is invalid')
  if (type !== undefined && !['problem', 'incident', 'question', 'task'].includes(String(type))) return invalid('type', 'is invalid')
  if (external_id !== undefined && !isText(external_id, 255)) return invalid('external_id', 'is too long')
  return status === undefined || STATES.includes(String(status)) ? null : invalid('status', 'is invalid')
}

export const contract: Contract<Config> = {
  config: () => ({ subdomain: 'acme', email: 'agent@example.com', api_token: 'zd0123456789abcdef' }),
  rotated: () => ({ subdomain: 'acme', email: 'agent@example.com', api_token: 'zd9876543210fedcba' }),
  vendor({ email, api_token }) {
    const tickets = new Map<string, Ticket>()
    const answered = new Map<string, { body: string; ticket: Ticket }>()
    const open = new Map<string, Asked>()
    const vendor = (asked: Asked): Answer => {
      const { pathname, searchParams } = new URL(asked.path, 'http://contract')
      if (asked.headers.authorization !== `Basic ${Buffer.from(`${email}/token:${api_token}`).toString('base64')}`)
        return refused(401, 'another token', { error: "Couldn't authenticate you" })
      if (!/application\/json|\*\/\*/.test(asked.headers.accept ?? '')) return refused(406, 'only JSON')
      if (asked.method === 'GET' && pathname === '/api/v2/tickets.json') {
        const found = [...tickets.values()].filter(({ external_id }) => external_id === searchParams.get('external_id'))
        return took('look', { tickets: found, next_page: null, previous_page: null, count: found.length })
      }
      const body = (jsonIn(asked)?.ticket ?? null) as Record<string, unknown> | null
      if (body === null) return refused(400, 'no ticket', { error: 'ParameterMissing' })
      if (asked.method === 'POST' && pathname === '/api/v2/tickets.json') {
        const once = asked.headers['idempotency-key']
        const before = once === undefined ? undefined : answered.get(once)
        if (before)
          return before.body === asked.body
            ? took('the same ticket', { ticket: before.ticket }, 201, { 'x-idempotency-lookup': 'hit' })
            : refused(400, 'another ticket by the same key', { error: 'IdempotentRequestError' })
        if (!isText(body.subject, 150)) return invalid('subject', 'Subject: cannot be blank')
        const fault = ticketFault(body)
        if (fault) return fault
        const ticket = { ...body, id: tickets.size + 1, status: 'new' }
        tickets.set(String(ticket.id), ticket)
        open.set(String(ticket.id), asked)
        if (once !== undefined) answered.set(once, { body: asked.body, ticket })
        return took('ticket', { ticket, audit: { id: 1, ticket_id: ticket.id, events: [] } }, 201, { 'x-idempotency-lookup': 'miss' })
      }
      const ticket = tickets.get(/^\/api\/v2\/tickets\/(\d+)\.json$/.exec(pathname)?.[1] ?? '')
      if (!ticket) return refused(404, 'no such ticket', { error: 'RecordNotFound', description: 'Not found' })
      if (asked.method !== 'PUT') return refused(405, 'only PUT')
      if (ticket.status === 'closed') return invalid('status', 'Status: closed prevents ticket update')
      const fault = ticketFault(body)
      if (fault) return fault
      ticket.status = String(body.status ?? ticket.status)
      if (ticket.status === 'solved') open.delete(String(ticket.id))
      return took(body.status === undefined ? 'note' : ticket.status, { ticket, audit: { id: 2, ticket_id: ticket.id, events: [] } })
    }
    return holding(vendor, open)
  },
  faults: {
    '400': {
      answer: { status: 422, body: { error: 'RecordInvalid', details: { base: [{ description: 'Group: is required' }] } } },
      name: '422'
    }
  },
  wrong: {
    'another token': withHeader('authorization', `Basic ${Buffer.from('agent@example.com/token:x').toString('base64')}`),
    'a password in place of a token': withHeader(
      'authorization',
      `Basic ${Buffer.from('agent@example.com:zd0123456789abcdef').toString('base64')}`
    ),
    'no JSON is taken': withHeader('accept', 'text/html'),
    'no comment': withJson((body) => ({ ticket: { ...(body.ticket as object), comment: { body: '', public: false } } })),
    'a comment that is mailed': withJson((body) => ({ ticket: { ...(body.ticket as object), comment: { body: 'x' } } })),
    'no such priority': withJson((body) => ({ ticket: { ...(body.ticket as object), priority: 'critical' } })),
    'a ticket without its frame': withJson((body) => body.ticket as Record<string, unknown>),
    'another path': withPath(() => '/api/v1/tickets.json')
  },
  checked: 'the Python client `zenpy`: what it sends is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'ticket, solved → arrived',
    down: 'ticket → sent',
    update: 'note → sent',
    acknowledge: 'open → sent',
    recover: 'solved → sent',
    rotate: 'ticket → sent',
    '400': '422 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), ticket → sent',
    '500': '500, look, ticket → sent',
    timeout: 'no answer, look, ticket → sent',
    malformed: 'nonsense, look, ticket → sent'
  }
}
