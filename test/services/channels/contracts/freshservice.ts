/** Tickets of a Freshservice account, as in docs/design/outbound-channels.md#s3-15. */
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

type Config = { domain: string; api_key: string; requester_email: string }

const ROOT = '/api/v2/tickets'

const invalid = (field: string, message: string, code = 'invalid_value'): Answer =>
  refused(400, `${field}: ${message}`, { description: 'Validation failed', errors: [{ field, message, code }] })

const isOneOf = (value: unknown, ...allowed: number[]): boolean => typeof value === 'number' && allowed.includes(value)

/** Returns the refusal of a ticket; null if it has no fault. */
function ticketFault(ticket: Record<string, unknown>): Answer | null {
  const { email, subject, description, status, priority, source, tags = [], ...strange } = ticket
  const [unknown] = Object.keys(strange)
  if (unknown !== undefined) return invalid(unknown, 'Unexpected/invalid field in request', 'invalid_field')
  if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(String(email))) return invalid('email', 'It should be a valid email address')
  if (!isText(subject, 255)) return invalid('subject', 'Mandatory attribute missing', 'missing_field')
  if (!isText(description, 65_000)) return invalid('description', 'Mandatory attribute missing', 'missing_field')
  if (!isOneOf(status, 2, 3, 4, 5)) return invalid('status', 'It should be one of these values: 2,3,4,5')
  if (!isOneOf(priority, 1, 2, 3, 4)) return invalid('priority', 'It should be one of these values: 1,2,3,4')
  if (!isOneOf(source, 1, 2, 3)) return invalid('source', 'It should be one of these values')
  return Array.isArray(tags) && tags.every((tag) => isText(tag, 32)) ? null : invalid('tags', 'has a tag that is too long')
}

export const contract: Contract<Config> = {
  config: () => ({ domain: 'acme', api_key: 'fs0123456789abcdef', requester_email: 'ops@example.com' }),
  rotated: () => ({ domain: 'acme', api_key: 'fs9876543210fedcba', requester_email: 'ops@example.com' }),
  vendor({ api_key }) {
    const tickets = new Map<string, { id: number; tags: string[]; status?: unknown }>()
    const open = new Map<string, Asked>()
    const vendor = (asked: Asked): Answer => {
      const { pathname, searchParams } = new URL(asked.path, 'http://contract')
      if (asked.headers.authorization !== `Basic ${Buffer.from(`${api_key}:X`).toString('base64')}`)
        return refused(401, 'another key', { code: 'invalid_credentials', message: 'You have to be logged in to perform this action.' })
      if (asked.method === 'GET' && pathname === `${ROOT}/filter`) {
        const [, tag] = /^"tag:'([^']+)'"$/.exec(searchParams.get('query') ?? '') ?? []
        if (tag === undefined) return invalid('query', 'is no query')
        return took('look', { tickets: [...tickets.values()].filter(({ tags }) => tags.includes(tag)) })
      }
      const body = jsonIn(asked)
      if (body === null) return refused(415, 'no JSON')
      if (asked.method === 'POST' && pathname === ROOT) {
        const fault = ticketFault(body)
        if (fault) return fault
        const ticket = { ...body, id: tickets.size + 1, tags: (body.tags ?? []) as string[] }
        tickets.set(String(ticket.id), ticket)
        open.set(String(ticket.id), asked)
        return took('ticket', { ticket }, 201)
      }
      const [, id = '', notes] = /^\/api\/v2\/tickets\/(\d+)(\/notes)?$/.exec(pathname) ?? []
      const ticket = tickets.get(id)
      if (!ticket) return refused(404, 'no such ticket')
      if (notes) {
        if (asked.method !== 'POST') return refused(405, 'only POST')
        if (!isText(body.body, 65_000)) return invalid('body', 'Mandatory attribute missing', 'missing_field')
        return body.private === true ? took('note', { conversation: { id: 1 } }, 201) : refused(400, 'it would be mailed')
      }
      if (asked.method !== 'PUT') return refused(405, 'only PUT')
      if (!isOneOf(body.status, 2, 3, 4, 5)) return invalid('status', 'is none')
      ticket.status = body.status
      if (isOneOf(body.status, 4, 5)) open.delete(id)
      return took(`status ${body.status}`, { ticket })
    }
    return holding(vendor, open)
  },
  faults: {
    '400': { answer: { status: 400, body: { description: 'Validation failed', errors: [{ field: 'group_id', code: 'missing_field' }] } } }
  },
  wrong: {
    'another key': withHeader('authorization', `Basic ${Buffer.from('x:X').toString('base64')}`),
    'a key as a token': withHeader('authorization', 'Bearer fs0123456789abcdef'),
    'no requester': withJson(({ email: _gone, ...rest }) => rest),
    'a title that is too long': withJson((body) => ({ ...body, subject: 'x'.repeat(256) })),
    'a status in words': withJson((body) => ({ ...body, status: 'open' })),
    'a tag that is too long': withJson((body) => ({ ...body, tags: ['x'.repeat(33)] })),
    'a field that is none': withJson((body) => ({ ...body, url: 'https://example.com/' })),
    'another path': withPath(() => '/helpdesk/tickets.json')
  },
  checked: 'nothing: the vendor publishes no schema, and no client of others is known',
  row: {
    create: 'nothing → saved',
    test: 'ticket, status 4 → arrived',
    down: 'ticket → sent',
    update: 'note → sent',
    acknowledge: 'note → sent',
    recover: 'status 4, note → sent',
    rotate: 'ticket → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), ticket → sent',
    '500': '500, 3× look, ticket → sent',
    timeout: 'no answer, 3× look, ticket → sent',
    malformed: 'nonsense, 3× look, ticket → sent'
  }
}
