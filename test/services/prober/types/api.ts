import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Step, Variable } from '../../../../schemas/http/api-steps.ts'
import type { Assignment } from '../../../../schemas/http/prober.ts'
import type { AttemptReport } from '../../../../services/prober/attempt.ts'
import { assignment, http, networkOf, tcp } from '../stand.ts'
import type { Case, TypeCases } from './cases.ts'

/** A shop that returns a token for the right password, and lets in a client with the token. */
async function shop(request: IncomingMessage, response: ServerResponse, other: string): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString('utf8')
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
  const { authorization, 'x-plain': plain } = request.headers
  const json = (status: number, value: object): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r 1/2' }).end(JSON.stringify(value))
  }
  if (pathname === '/login') {
    const isRight = body === '{"user":"a\\"b","password":"hunter2"}' || body === 'user=a%22b&password=hunter2'
    return isRight ? json(200, { token: 'hunter2-token', id: 7, deep: { list: [{ ok: true }] } }) : json(401, { error: body })
  }
  if (pathname === '/cart/7' || pathname === '/cart/r%201%2F2')
    return json(authorization === 'Bearer hunter2-token' ? 200 : 401, { items: 3, echo: body })
  if (pathname === '/find') return json(200, { q: searchParams.get('q') })
  if (pathname === '/away') return void response.writeHead(307, { location: `${other}/seen` }).end()
  if (pathname === '/loop') return void response.writeHead(302, { location: '/loop' }).end()
  if (pathname === '/seen') return json(authorization || body ? 500 : 200, { plain })
  if (pathname === '/xml') return json(body === '<a>&lt;&amp;&gt;</a>' ? 200 : 400, {})
  if (pathname === '/marked') return void response.end('\ufeff{"id":7,"token":"hunter2-token"}')
  if (pathname === '/numbers')
    return void response.end('{"note":"\\"1234567890123456789","ids":[-9223372036854775807,12,1e2],"id":1234567890123456789}')
  if (pathname === '/orders/1234567890123456789/-9223372036854775807/12/100') return json(200, {})
  if (pathname === '/late') return void setTimeout(() => json(200, {}), 30)
  if (pathname === '/large') return void response.end('x'.repeat(300_000))
  json(404, { error: 'no such page' })
}

const login: Step = {
  name: 'Log in',
  method: 'POST',
  url: '/login',
  body: '{"user":"{{user}}","password":"{{password}}"}',
  extract: [
    { name: 'token', source: 'json', property: '$.token' },
    { name: 'id', source: 'json', property: '$.id' }
  ]
}
const cart: Step = { url: '/cart/{{id}}', headers: [{ name: 'Authorization', value: 'Bearer {{token}}' }] }
const variables: Variable[] = [
  { name: 'user', value: 'a"b' },
  { name: 'password', value: 'hunter2', secret: true }
]

export const cases: TypeCases = {
  against: 'a shop of Node',
  async cases(stage): Promise<Case[]> {
    const other = await http(stage, (request, response) => void shop(request, response, ''))
    const base = await http(stage, (request, response) => void shop(request, response, other))
    const silent = await tcp(stage, () => undefined)
    const noise = await tcp(stage, (socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
    const of = (steps: Step[], changes: Partial<Assignment> = {}, config: object = {}): Assignment =>
      assignment(base, { type: 'api', timeout_seconds: 10, config: { steps, variables, ...config } as Assignment['config'], ...changes })
    const one = (what: string, gives: Case['gives'], steps: Step[], changes: Partial<Assignment> = {}, shows: unknown = {}): Case => ({
      what,
      gives,
      monitor: of(steps, changes),
      shows
    })
    const status = (value: number): NonNullable<Step['assertions']> => [{ source: 'status', op: 'eq', value }]
    const header: NonNullable<Step['extract']> = [{ name: 'id', source: 'header', property: 'X-Request-Id' }]
    return [
      one('a log-in and what is behind it', 'success', [login, cart], {}, { status: 200, redirects: [], body: null }),
      one('a form', 'success', [{ ...login, body: 'user={{user}}&password={{password}}', body_type: 'form' }, cart]),
      one('a value of a header, in a path', 'success', [login, { url: '/find?q=1', extract: header }, cart]),
      one('a value in a query', 'success', [
        { url: '/find?q={{user}}', assertions: [{ source: 'json', property: '$.q', op: 'eq', value: 'a"b' }] }
      ]),
      {
        ...one('a value in XML', 'success', []),
        monitor: of(
          [{ url: '/xml', method: 'POST', body: '<a>{{v}}</a>', body_type: 'xml' }],
          {},
          { variables: [{ name: 'v', value: '<&>' }] }
        )
      },
      one('an error that is expected', 'success', [{ url: '/none', assertions: status(404) }]),
      one('an assertion of the last answer', 'success', [login, cart], {
        assertions: [{ source: 'json', property: '$.items', op: 'gt', value: 2 }]
      }),
      one('the first step fails', 'http_status', [{ ...login, body: '{}' }, cart], {}, { message: /^Step 1, Log in: The status is 401/ }),
      one(
        'credentials that are refused',
        'auth',
        [login, { ...cart, headers: [{ name: 'Authorization', value: 'Basic {{token}}' }] }],
        {},
        { message: /^Step 2: / }
      ),
      one(
        'an assertion of a step',
        'assertion',
        [{ url: '/find?q=1', assertions: [{ source: 'body', op: 'contains', value: 'no' }] }],
        {},
        { assertions: [] }
      ),
      one('one that degrades, and the step behind it', 'degraded', [
        { url: '/find?q=1', assertions: [{ source: 'body', op: 'contains', value: 'no', on_fail: 'degraded' }] },
        login
      ]),
      one('slow as a whole', 'degraded', [{ url: '/late' }, { url: '/late' }], { degraded_after_ms: 40 }),
      one(
        'a value that is missing',
        'assertion',
        [{ url: '/find', extract: [{ name: 'x', source: 'json', property: '$.token' }] }, login],
        {},
        {
          message: 'Step 1: The answer has no value for {{x}}'
        }
      ),
      one('an object for a value', 'assertion', [{ ...login, extract: [{ name: 'x', source: 'json', property: '$.deep' }] }]),
      one('a value inside a list', 'success', [{ ...login, extract: [{ name: 'x', source: 'json', property: '$.deep.list[0].ok' }] }]),
      one('a body that begins with a byte order mark', 'success', [{ ...login, method: 'GET', url: '/marked', body: null }, cart]),
      one('integers with more digits than a number keeps', 'success', [
        {
          url: '/numbers',
          extract: [
            { name: 'id', source: 'json', property: '$.id' },
            { name: 'low', source: 'json', property: '$.ids[0]' },
            { name: 'few', source: 'json', property: '$.ids[1]' },
            { name: 'power', source: 'json', property: '$.ids[2]' }
          ]
        },
        { url: '/orders/{{id}}/{{low}}/{{few}}/{{power}}' }
      ]),
      one('credentials, and a redirect to another origin', 'success', [
        login,
        {
          url: '/away',
          method: 'POST',
          body: '{"a":"{{token}}"}',
          headers: [
            { name: 'Authorization', value: 'Bearer {{token}}' },
            { name: 'X-Plain', value: 'p' }
          ]
        }
      ]),
      one('an answer that is too large', 'body_too_large', [{ url: '/large' }], {}, { message: /^Step 1: / }),
      one('an answer that gives a secret back', 'assertion', [login], { assertions: [{ source: 'body', op: 'contains', value: 'zzz' }] }),
      one('silence', 'timeout', [{ url: `http://127.0.0.1:${silent}/` }], { timeout_seconds: 1 }, { message: /^Step 1: / }),
      one('another protocol', 'protocol', [login, { url: `http://127.0.0.1:${noise}/` }]),
      one('a port that is closed', 'connect', [{ url: 'http://127.0.0.1:1/' }]),
      one('a name that does not exist', 'dns', [{ url: 'http://nowhere.test/' }]),
      one('TLS that is none', 'tls', [{ url: base.replace('http:', 'https:') }]),
      one('redirects without end', 'redirect', [{ url: '/loop' }]),
      { ...one('an address that is refused', 'blocked_target', [login]), network: networkOf({ open: [], closed: [], own: [] }) },
      {
        ...one('nothing of a secret in the report', 'success', [login, cart]),
        holds: (report: AttemptReport) => (/hunter2/.test(JSON.stringify(report)) ? JSON.stringify(report) : null)
      }
    ]
  }
}
