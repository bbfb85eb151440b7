/**
 * The table `incident` of a ServiceNow instance, with its usual data policy, as in
 * docs/design/outbound-channels.md#s3-14.
 */
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

type Config = { instance: string; username: string; password: string }
type Row = Record<string, string>

const TABLE = '/api/now/table/incident'
const FIELDS = new Set([
  'short_description',
  'description',
  'urgency',
  'impact',
  'correlation_id',
  'correlation_display',
  'work_notes',
  'state',
  'close_code',
  'close_notes'
])
const CLOSE_CODES = ['Solution provided', 'Workaround provided', 'Known error', 'Duplicate']

const error = (status: number, message: string, detail = ''): Answer =>
  refused(status, `${message} ${detail}`.trim(), { error: { message, detail }, status: 'failure' })

/** Returns the refusal of a record's fields; null if they have no fault. */
function fieldFault(body: Record<string, unknown>): Answer | null {
  const strange = Object.keys(body).find((name) => !FIELDS.has(name))
  if (strange !== undefined) return error(400, 'Invalid field', strange)
  if (!Object.values(body).every((value) => typeof value === 'string')) return error(400, 'Values are texts')
  const { short_description, description, correlation_id, urgency, impact, state, close_code, close_notes } = body as Row
  const lengths = [short_description ?? '', 160, description ?? '', 4000, correlation_id ?? '', 100] as const
  for (let at = 0; at < lengths.length; at += 2)
    if ([...String(lengths[at])].length > Number(lengths[at + 1])) return error(400, 'Value too long', String(lengths[at + 1]))
  if ([urgency, impact].some((grade) => grade !== undefined && !/^[123]$/.test(grade))) return error(400, 'Invalid choice')
  if (state !== undefined && !/^[12367]$/.test(state)) return error(400, 'Invalid state')
  if (state === '6' && (!CLOSE_CODES.includes(close_code ?? '') || !isText(close_notes, 4000)))
    return error(403, 'Operation Failed', 'Data Policy Exception: The following fields are mandatory: Close code, Close notes')
  return null
}

function isAuthorized({ headers }: Asked, { username, password }: Config): boolean {
  return headers.authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

export const contract: Contract<Config> = {
  config: () => ({ instance: 'acme', username: 'svc.alerts', password: 'pa55-word-of-now' }),
  rotated: () => ({ instance: 'acme', username: 'svc.alerts', password: 'pa55-word-of-then' }),
  vendor(config) {
    const rows = new Map<string, Row>()
    const open = new Map<string, Asked>()
    const vendor = (asked: Asked): Answer => {
      const { pathname, searchParams } = new URL(asked.path, 'http://contract')
      if (!isAuthorized(asked, config)) return error(401, 'User Not Authenticated', 'Required to provide Auth information')
      if (!asked.headers.accept?.includes('application/json')) return error(406, 'only JSON')
      const id = pathname.startsWith(`${TABLE}/`) ? pathname.slice(TABLE.length + 1) : null
      if (id === null && pathname !== TABLE) return error(400, 'Invalid table')
      const shown = (row: Row) => ({ sys_id: row.sys_id, number: row.number })
      if (asked.method === 'GET' && id === null) {
        const [, key, done = ''] = /^correlation_id=([^^]+)(?:\^stateNOT IN([\d,]+))?/.exec(searchParams.get('sysparm_query') ?? '') ?? []
        const found = [...rows.values()]
          .filter(({ correlation_id, state = '1' }) => correlation_id === key && !done.split(',').includes(state))
          .slice(0, Number(searchParams.get('sysparm_limit')))
        return took('look', { result: found.map(shown) })
      }
      const body = jsonIn(asked)
      if (body === null) return error(400, 'no JSON')
      const fault = fieldFault(body)
      if (fault) return fault
      if (asked.method === 'POST' && id === null) {
        if (!isText(body.short_description, 160))
          return error(403, 'Operation Failed', 'Data Policy Exception: mandatory: Short description')
        const sys_id = String(rows.size + 1).padStart(32, '0')
        const row = { ...(body as Row), sys_id, number: `INC${String(rows.size + 1).padStart(7, '0')}` }
        rows.set(sys_id, row)
        open.set(sys_id, asked)
        return took('record', { result: shown(row) }, 201)
      }
      if (asked.method !== 'PATCH' && asked.method !== 'PUT') return error(405, 'Method not supported')
      const row = rows.get(id ?? '')
      if (!row) return error(404, 'No Record found', "Record doesn't exist or ACL restricts the record retrieval")
      Object.assign(row, body)
      if (body.state === '6') open.delete(id ?? '')
      return took(body.state === '6' ? 'resolve' : body.state === '2' ? 'in progress' : 'work note', { result: shown(row) })
    }
    return holding(vendor, open)
  },
  faults: {
    '400': { answer: { status: 400, body: { error: { message: 'Exception while reading request' }, status: 'failure' } } },
    malformed: {
      answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Your instance is hibernating' },
      times: 1,
      name: 'a page'
    }
  },
  wrong: {
    'another password': withHeader('authorization', `Basic ${Buffer.from('svc.alerts:x').toString('base64')}`),
    'no user': withHeader('authorization', null),
    'a title that is too long': withJson((body) => ({ ...body, short_description: 'x'.repeat(161) })),
    'no title': withJson(({ short_description: _gone, ...rest }) => rest),
    'a number where a text is meant': withJson((body) => ({ ...body, urgency: 1 })),
    'another table': withPath((path) => path.replace('/incident', '/problem_of_none'))
  },
  checked: 'the Python client `pysnow`: what it sends is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'record, resolve → arrived',
    down: 'record → sent',
    update: 'work note → sent',
    acknowledge: 'in progress → sent',
    recover: 'resolve → sent',
    rotate: 'record → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), record → sent',
    '500': '500, look, record → sent',
    timeout: 'no answer, look, record → sent',
    malformed: 'a page, look, record → sent'
  }
}
