/**
 * Tests of the HTTP check against real servers: phases, redirects, bodies, encodings, certificates,
 * timeouts and retries.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { HttpConfig } from '../../../schemas/http/check-types/http.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import type { AttemptReport } from '../../../services/prober/attempt.ts'
import { performRound } from '../../../services/prober/check.ts'
import { ourFault } from '../../../services/prober/failure.ts'
import { planHttp } from '../../../services/prober/http-plan.ts'
import { planOf } from '../../../services/prober/plans.ts'
import { PlanFault } from '../../../services/prober/prober-type.ts'
import { assignment, attempt, certificate, facts, http, https, MONITOR, networkOf, pool, TENANT, tcp } from './stand.ts'

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Answers with the request that it got. */
const echo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await read(request)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
}

interface Echoed {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}
const echoed = ({ body }: AttemptReport): Echoed => JSON.parse(body ?? '{}') as Echoed

function addsUp(t: Test, { timings }: AttemptReport): void {
  const { dns, connect, tls, request, ttfb, download, total } = timings
  const sum = [dns, connect, tls, request, ttfb, download].reduce<number>((all, one) => all + (one ?? 0), 0)
  t.ok(Math.abs(sum - (total ?? 0)) < 0.05, `phases add up: ${sum} of ${total}`)
}

t.test('timings of the phases of a check', async (t) => {
  const pair = certificate(t)
  const plain = await http(t, echo)
  const secured = await https(t, pair, echo)
  const overHttp = await attempt(assignment(`${plain}/a?b=c`))
  t.match(overHttp, { outcome: 'success', reason: null, message: null, status: 200, version: '1.1', remoteIp: '127.0.0.1' })
  t.match(overHttp.timings, { dns: Number, connect: Number, tls: null, request: Number, ttfb: Number, download: Number, total: Number })
  addsUp(t, overHttp)
  const overTls = await attempt(assignment(`${secured}/`, { config: { verify_tls: false } }))
  t.match(overTls, { outcome: 'success', timings: { tls: Number } })
  addsUp(t, overTls)
  const ask = async () => ['127.0.0.1']
  const named = await attempt(assignment(plain.replace('127.0.0.1', 'target.test')), networkOf(undefined, ask))
  t.equal(echoed(named).headers.host, `target.test:${new URL(plain).port}`)
})

t.test('methods, bodies, headers and credentials of requests', async (t) => {
  const base = await http(t, echo)
  const ask = async (config: HttpConfig, path = '/') => echoed(await attempt(assignment(`${base}${path}`, { config })))
  t.match(await ask({}), { method: 'GET', headers: { 'user-agent': 'test-agent', connection: 'close' }, body: '' })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) t.equal((await ask({ method })).method, method)
  t.match(await attempt(assignment(base, { config: { method: 'HEAD' } })), { outcome: 'success', bytes: 0 })
  const types: [HttpConfig['body_type'], string, string, string][] = [
    ['json', '{"a":1}', 'application/json', '{"a":1}'],
    ['form', 'a=1', 'application/x-www-form-urlencoded', 'a=1'],
    ['text', 'grüße', 'text/plain; charset=utf-8', 'grüße'],
    ['xml', '<a/>', 'application/xml', '<a/>'],
    ['graphql', '{ me { id } }', 'application/json', '{"query":"{ me { id } }"}'],
    ['graphql', '{"query":"{ me }"}', 'application/json', '{"query":"{ me }"}']
  ]
  for (const [body_type, body, type, sent] of types) {
    const got = await ask({ method: 'POST', body, ...(body_type && { body_type }) })
    t.match(got, { body: sent, headers: { 'content-type': type, 'content-length': String(Buffer.byteLength(sent)) } }, String(body_type))
  }
  const headers = [
    { name: 'X-Own', value: 'one' },
    { name: 'Content-Type', value: 'application/vnd.own' },
    { name: 'User-Agent', value: 'own-agent' },
    { name: 'Content-Length', value: '999' },
    { name: 'Transfer-Encoding', value: 'chunked' },
    { name: 'Host', value: 'virtual.example' }
  ]
  t.match(await ask({ method: 'POST', body: 'x', headers }), {
    body: 'x',
    headers: {
      'x-own': 'one',
      'content-type': 'application/vnd.own',
      'user-agent': 'own-agent',
      'content-length': '1',
      host: 'virtual.example'
    }
  })
  t.equal(
    (await ask({ auth: { type: 'basic', username: 'ann', password: 'pä:ss' } })).headers.authorization,
    `Basic ${Buffer.from('ann:pä:ss').toString('base64')}`
  )
  t.equal((await ask({ auth: { type: 'bearer', token: 'abc' } })).headers.authorization, 'Bearer abc')
  const [first, second] = [await ask({ cache_bust: true }, '/p?a=1'), await ask({ cache_bust: true }, '/p?a=1')]
  t.match(first.url, /^\/p\?a=1&_=\w+$/)
  t.not(first.url, second.url)
})

t.test('a failed assertion shows what was found, without secrets that the monitor sent', async (t) => {
  const base = await http(t, echo)
  const config: HttpConfig = {
    auth: { type: 'basic', username: 'ann', password: 'correct horse' },
    headers: [
      { name: 'X-Colour', value: 'faintly green', secret: true },
      { name: 'X-Plain', value: 'seen' }
    ]
  }
  const assertions: Assignment['assertions'] = [
    { source: 'json', property: "$.headers['x-plain']", op: 'eq', value: 'else' },
    { source: 'json', property: "$.headers['x-colour']", op: 'eq', value: 'else' },
    { source: 'json', property: '$.headers', op: 'contains', value: 'else' },
    { source: 'body', op: 'matches', value: 'nowhere$' }
  ]
  const { outcome, reason, assertions: results } = await attempt(assignment(base, { config, assertions }))
  t.match({ outcome, reason }, { outcome: 'failure', reason: 'assertion' })
  t.match(results, [{ ok: false, actual: 'seen' }, { ok: false, actual: '[secret]' }, { ok: false }, { ok: false }])
  const shown = JSON.stringify(results)
  for (const secret of ['faintly green', 'correct horse', Buffer.from('ann:correct horse').toString('base64')]) t.notMatch(shown, secret)
})

t.test('a check that cannot run as configured is a fault that says why', async (t) => {
  const plan =
    (target: string, changes: Partial<Assignment> = {}) =>
    () =>
      planOf(assignment(target, changes), facts)
  const strange = { type: 'ntlm' } as unknown
  const [one, other] = [certificate(t), certificate(t)]
  const mtls = (cert_pem: string, key_pem: string): Partial<Assignment> => ({ config: { auth: { type: 'mtls', cert_pem, key_pem } } })
  const oauth = (token_url: string): Partial<Assignment> => ({
    config: { auth: { type: 'oauth2_client', token_url, client_id: 'c', client_secret: 's' } }
  })
  const faults: [string, () => unknown, RegExp][] = [
    ['no URL', plan('nonsense'), /no http or https/],
    ['another scheme', plan('ftp://a/'), /no http or https/],
    ['credentials in the URL', plan('http://a:b@c/'), /belong into auth/],
    ['another type', plan('a.example', { type: 'group' }), /type group/],
    ['a source of another type', plan('http://a/', { assertions: [{ source: 'dns_records', op: 'exists' }] }), /dns_records, which http/],
    ['another authentication', plan('http://a/', { config: { auth: strange as NonNullable<HttpConfig['auth']> } }), /type ntlm/],
    ['a key of another certificate', plan('https://a/', mtls(one.cert, other.key)), /not that of the client certificate/],
    ['a client certificate that is none', plan('https://a/', mtls('nonsense', one.key)), /cannot be read/],
    ['a token server that is no address', plan('https://a/', oauth('ftp://b/')), /token server/],
    ['a token server with a password', plan('https://a/', oauth('https://a:b@c/')), /token server/],
    ['a broken root', plan('https://a/', { config: { ca_pem: '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----' } }), /ca_pem/],
    ['no root', plan('https://a/', { config: { ca_pem: 'nonsense' } }), /ca_pem/],
    ['a header with a line feed', plan('http://a/', { config: { headers: [{ name: 'x', value: 'a\r\nb: c' }] } }), /header/],
    ['a broken assertion', plan('http://a/', { assertions: [{ source: 'body', op: 'matches', value: '(' }] }), /^Assertion 1 /]
  ]
  for (const [what, make, message] of faults) t.throws(make, { name: 'PlanFault', message }, what)
  t.throws(plan('nonsense'), PlanFault)
})

t.test('redirects are followed as configured, up to a limit', async (t) => {
  const other = await http(t, echo)
  const base = await http(t, async (request, response) => {
    const [, kind = '', left = '0'] = request.url?.split('/') ?? []
    if (kind === 'hops') {
      const n = Number(left)
      if (n > 0) return void response.writeHead(302, { location: `/hops/${n - 1}` }).end('ignored')
    } else if (kind === 'out') return void response.writeHead(Number(left), { location: `${other}/landed?token=x` }).end()
    else if (kind === 'back') return void response.writeHead(Number(left), { location: '/landed' }).end()
    await echo(request, response)
  })
  const ask = (path: string, config: HttpConfig = {}, changes: Partial<Assignment> = {}) =>
    attempt(assignment(`${base}${path}`, { config, ...changes }))
  const followed = await ask('/hops/3')
  t.match(followed, { outcome: 'success', status: 200, redirects: [`${base}/hops/2`, `${base}/hops/1`, `${base}/hops/0`] })
  addsUp(t, followed)
  t.match(await ask('/hops/5'), { outcome: 'success' })
  t.match(await ask('/hops/6'), { outcome: 'failure', reason: 'redirect', message: 'More than 5 redirects' })
  t.match(await ask('/hops/1', { max_redirects: 0 }), { reason: 'redirect' })
  t.match(await ask('/hops/10', { max_redirects: 10 }), { outcome: 'success' })
  t.match(await ask('/hops/1', { follow_redirects: false }), { outcome: 'failure', reason: 'http_status', status: 302, redirects: [] })
  const expectsRedirect: Partial<Assignment> = {
    assertions: [
      { source: 'status', op: 'eq', value: 302 },
      { source: 'redirect_url', op: 'eq', value: `${base}/hops/0` }
    ]
  }
  t.match(await ask('/hops/1', { follow_redirects: false }, expectsRedirect), { outcome: 'success', body: 'ignored' })

  const secret: HttpConfig = {
    method: 'POST',
    body: 'payload',
    auth: { type: 'bearer', token: 'abc' },
    headers: [
      { name: 'X-Key', value: 'k', secret: true },
      { name: 'Cookie', value: 'c=1' },
      { name: 'X-Plain', value: 'p' }
    ]
  }
  const same = echoed(await ask('/back/307', secret))
  t.match(same, { method: 'POST', body: 'payload', headers: { authorization: 'Bearer abc', 'x-key': 'k', cookie: 'c=1', 'x-plain': 'p' } })
  const away = await ask('/out/308', secret)
  t.same(away.redirects, [`${other}/landed`], 'without the query')
  for (const status of [301, 302, 303])
    t.match(echoed(await ask(`/back/${status}`, secret)), { method: 'GET', body: '' }, `${status} goes on as GET`)
  t.match(echoed(await ask('/back/301', { method: 'PUT', body: 'x' })), { method: 'PUT', body: 'x' })
})

t.test('a redirect to an address in UTF-8 or Latin-1 leads to what its author means', async (t) => {
  const raw = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
  const base = await http(t, async (request, response) => {
    const { port } = new URL(`http://${request.headers.host}`)
    const leads: Record<string, string> = {
      '/path': raw('/straße?q=日本'),
      '/latin': '/stra\u00dfe',
      '/host': raw(`http://tärget.test:${port}/`)
    }
    const location = leads[request.url ?? '']
    if (location) response.writeHead(302, { location }).end()
    else await echo(request, response)
  })
  t.equal(echoed(await attempt(assignment(`${base}/path`))).url, '/stra%C3%9Fe?q=%E6%97%A5%E6%9C%AC')
  t.equal(echoed(await attempt(assignment(`${base}/latin`))).url, '/stra%C3%9Fe')
  const asked: string[] = []
  const ask = async (name: string) => {
    asked.push(name)
    return ['127.0.0.1']
  }
  t.match(await attempt(assignment(`${base}/host`), networkOf(undefined, ask)), { outcome: 'success' })
  t.strictSame(asked, ['xn--trget-gra.test'], 'the guard judges the name that is meant')
})

t.test('a redirect to another origin carries neither the body nor credentials', async (t) => {
  const sensitive = [
    'Authorization',
    'Cookie',
    'Proxy-Authorization',
    'X-Api-Key',
    'apikey',
    'PRIVATE-TOKEN',
    'X-Session-Id',
    'X-Hub-Signature-256'
  ]
  const headers = [...sensitive.map((name) => ({ name, value: `hunter2 ${name}` })), { name: 'X-Marked', value: 'hunter2', secret: true }]
  const configs: [string, HttpConfig][] = [
    ['headers', { headers: [...headers, { name: 'X-Plain', value: 'p' }, { name: 'Host', value: 'virtual.test' }] }],
    ['basic', { auth: { type: 'basic', username: 'hunter2', password: 'hunter2' }, headers: [{ name: 'X-Plain', value: 'p' }] }],
    ['bearer', { auth: { type: 'bearer', token: 'hunter2' }, headers: [{ name: 'X-Plain', value: 'p' }] }]
  ]
  const landing = await http(t, echo)
  const pair = certificate(t)
  /**
   * The origin's own port speaks both protocols: over TLS it redirects, in the clear it answers
   * with the request that it got.
   */
  const plain = createServer((request, response) => void echo(request, response))
  const secured = createTlsServer(pair, (request, response) => {
    const [, status = ''] = request.url?.split('/') ?? []
    response.writeHead(Number(status), { location: `http://127.0.0.1:${port}/landed` }).end()
  })
  const port = await tcp(t, (socket) =>
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      ;(first[0] === 22 ? secured : plain).emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  )
  const leading = await http(t, async (request, response) => {
    const [, status = '', way = ''] = request.url?.split('/') ?? []
    // Redirects through the other origin back to the first: the removed headers stay removed.
    if (way === 'home') return void echo(request, response)
    response.writeHead(Number(status), { location: `${landing}/landed` }).end()
  })
  const detour = await http(t, (_, response) => void response.writeHead(307, { location: `${leading}/0/home` }).end())
  const round = await http(t, (_, response) => void response.writeHead(307, { location: `${detour}/` }).end())
  for (const [what, config] of configs) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const) {
      for (const status of [301, 302, 303, 307, 308]) {
        const targets = { 'another port': `${leading}/${status}`, 'the same port without TLS': `https://127.0.0.1:${port}/${status}` }
        for (const [where, target] of Object.entries(targets)) {
          const name = `${what}, ${method}, ${status}, ${where}`
          const sent = { ...config, method, body: 'hunter2 in the body', body_type: 'json', verify_tls: false } as const
          const report = await attempt(assignment(target, { config: sent }))
          const got = echoed(report)
          t.notMatch(report.body, /hunter2|virtual\.test/i, name)
          t.equal(got.body, '', name)
          t.equal(got.headers['content-type'], undefined, name)
          t.ok([undefined, '0'].includes(got.headers['content-length']) && got.headers['transfer-encoding'] === undefined, name)
          t.equal(got.headers['x-plain'], 'p', name)
          t.equal(got.method, status >= 307 || (status < 303 && method !== 'POST') ? method : 'GET', name)
        }
      }
    }
    const back = await attempt(assignment(round, { config: { ...config, method: 'POST', body: 'hunter2' } }))
    t.notMatch(back.body, /hunter2/, `${what}: lost for good`)
    t.match(echoed(back), { method: 'POST', body: '' })
  }
})

t.test('encodings, charsets and size limits of bodies', async (t) => {
  const page = 'page '.repeat(100)
  // gzip members are unpacked one after the other: 256 MiB in 260 kB.
  const bomb = Buffer.concat(new Array<Buffer>(256).fill(gzipSync(Buffer.alloc(1_048_576))))
  const served: Record<string, [Buffer | string, Record<string, string>]> = {
    '/gzip': [gzipSync(page), { 'content-encoding': 'gzip' }],
    '/x-gzip': [gzipSync(page), { 'content-encoding': 'X-GZIP' }],
    '/br': [brotliCompressSync(page), { 'content-encoding': 'br' }],
    '/deflate': [deflateSync(page), { 'content-encoding': 'deflate' }],
    '/raw': [deflateRawSync(page), { 'content-encoding': 'deflate' }],
    '/twice': [gzipSync(brotliCompressSync(page)), { 'content-encoding': 'br, gzip' }],
    '/identity': [page, { 'content-encoding': 'identity' }],
    '/unknown': [page, { 'content-encoding': 'zzz' }],
    '/latin1': [Buffer.from('gr\u00fc\u00dfe', 'latin1'), { 'content-type': 'text/plain; charset=iso-8859-1' }],
    '/odd': [page, { 'content-type': 'text/plain; charset=nonsense' }],
    '/empty': ['', {}],
    '/many': ['x', { 'content-encoding': 'gzip, gzip, gzip' }],
    '/lies': [page, { 'content-encoding': 'gzip' }],
    '/cut': [gzipSync(page).subarray(0, 15), { 'content-encoding': 'gzip' }],
    '/bomb': [bomb, { 'content-encoding': 'gzip' }],
    '/large': ['x'.repeat(2000), {}]
  }
  const base = await http(t, (request, response) => {
    const [body, headers] = served[request.url ?? ''] ?? ['', {}]
    response.writeHead(200, headers).end(body)
  })
  const ask = (path: string, config: HttpConfig = {}) => attempt(assignment(`${base}${path}`, { config }))
  for (const path of ['/gzip', '/x-gzip', '/br', '/deflate', '/raw', '/twice', '/identity', '/unknown', '/odd'])
    t.match(await ask(path), { outcome: 'success', body: page, bytes: page.length }, path)
  t.match(await ask('/latin1'), { body: 'grüße', bytes: 5 })
  t.match(await ask('/empty'), { outcome: 'success', body: '' })
  for (const path of ['/many', '/lies', '/cut']) t.match(await ask(path), { outcome: 'failure', reason: 'protocol' }, path)
  t.match(await ask('/large', { max_body_bytes: 2000 }), { outcome: 'success', bytes: 2000 })
  t.match(await ask('/large', { max_body_bytes: 1999 }), { outcome: 'failure', reason: 'body_too_large', status: 200 })
  t.ok(bomb.length < 1_048_576, 'the bomb is small while it is packed')
  const before = process.memoryUsage().rss
  const bombed = await ask('/bomb')
  t.match(bombed, { outcome: 'failure', reason: 'body_too_large', body: null })
  t.ok(process.memoryUsage().rss - before < 128 * 1_048_576, 'a bomb of 256 MiB is given up at its limit')
})

t.test('certificates of targets', async (t) => {
  const pair = certificate(t, { days: 10 })
  const base = await https(t, pair, echo)
  const port = new URL(base).port
  const refused = await attempt(assignment(base))
  t.match(refused, { outcome: 'failure', reason: 'tls', message: 'The certificate is self-signed', status: null })
  t.match(
    refused.tls,
    { issuer: 'CN=test target, O=Test', subject: 'CN=test target, O=Test', chain_ok: false, version: 'TLSv1.3' },
    'reported all the same'
  )
  const trusted = await attempt(
    assignment(base, {
      config: { ca_pem: pair.cert },
      assertions: [
        { source: 'tls_days', op: 'gt', value: 9 },
        { source: 'tls_days', op: 'lte', value: 10 }
      ]
    })
  )
  t.match(trusted, { outcome: 'success', tls: { chain_ok: true, sans: ['DNS:localhost', 'IP Address:127.0.0.1'] } })
  t.ok(Date.parse(trusted.tls?.not_after ?? '') > Date.now() + 9 * 86_400_000)
  t.match(await attempt(assignment(base, { config: { verify_tls: false } })), { outcome: 'success', tls: { chain_ok: false } })
  t.match(
    await attempt(
      assignment(`https://localhost:${port}/`, { config: { ca_pem: pair.cert } }),
      networkOf({ open: ['127.0.0.0/8', '::1'], closed: [], own: [] })
    ),
    {
      outcome: 'success'
    }
  )
  const otherName = await attempt(
    assignment(`https://other.test:${port}/`, { config: { ca_pem: pair.cert } }),
    networkOf(undefined, async () => ['127.0.0.1'])
  )
  t.match(otherName, { reason: 'tls', message: 'The certificate is for another name', tls: { chain_ok: true } })
  const expired = certificate(t, { days: -1 })
  const ended = await https(t, expired, echo)
  const late = await attempt(assignment(ended, { config: { ca_pem: expired.cert } }))
  t.match(late, { reason: 'tls', message: 'The certificate has expired', tls: { chain_ok: false } })
  t.match(await attempt(assignment(base.replace('https', 'http'))), { outcome: 'failure', reason: 'protocol' })
  t.match(await attempt(assignment((await http(t, echo)).replace('http', 'https'))), { reason: 'tls' })
})

t.test('failures of a check by reason', async (t) => {
  const closed = await tcp(t, (socket) => socket.destroy())
  const cut = await tcp(t, (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')))
  const noise = await tcp(t, (socket) => socket.once('data', () => socket.end('220 mail.example ESMTP\r\n')))
  const bloated = await tcp(t, (socket) => socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`)))
  const free = await http(t, echo)
  const port = Number(new URL(free).port)
  const error = (code: string) => async () => {
    throw Object.assign(new Error('secret-name'), { code })
  }
  const rows: [string, string, ReturnType<typeof networkOf> | undefined, Partial<AttemptReport>][] = [
    ['refused', `http://127.0.0.3:${port}/`, undefined, { reason: 'connect', message: 'The connection was refused' }],
    ['closed at once', `http://127.0.0.1:${closed}/`, undefined, { reason: 'protocol' }],
    ['cut in the middle', `http://127.0.0.1:${cut}/`, undefined, { reason: 'protocol', status: 200 }],
    ['not HTTP', `http://127.0.0.1:${noise}/`, undefined, { reason: 'protocol' }],
    ['endless headers', `http://127.0.0.1:${bloated}/`, undefined, { reason: 'protocol' }],
    ['no such name', 'http://a.test/', networkOf(undefined, error('ENOTFOUND')), { reason: 'dns', message: 'The name does not exist' }],
    ['servers that fail', 'http://a.test/', networkOf(undefined, error('ESERVFAIL')), { reason: 'dns' }],
    ['no address', 'http://a.test/', networkOf(undefined, async () => []), { reason: 'dns' }]
  ]
  for (const [what, target, network, expected] of rows) {
    const report = await attempt(assignment(target), network)
    t.match(report, { outcome: 'failure', ...expected }, what)
    addsUp(t, report)
    t.notMatch(report.message, /127\.0\.0|test|secret-name/, 'the message names no target')
  }
  const answers = await http(t, (request, response) => response.writeHead(Number(request.url?.slice(1))).end())
  t.match(await attempt(assignment(`${answers}/503`)), { outcome: 'failure', reason: 'http_status', status: 503 })
  t.match(await attempt(assignment(`${answers}/204`)), { outcome: 'success', status: 204 })
  t.match(await attempt(assignment(`${answers}/401`)), { reason: 'http_status' })
  t.match(await attempt(assignment(`${answers}/401`, { config: { auth: { type: 'bearer', token: 'x' } } })), { reason: 'auth' })
  t.match(await attempt(assignment(`${answers}/200`, { assertions: [{ source: 'body', op: 'not_empty' }] })), {
    outcome: 'failure',
    reason: 'assertion'
  })
  t.match(await attempt(assignment(`${answers}/200`, { assertions: [{ source: 'body', op: 'not_empty', on_fail: 'degraded' }] })), {
    outcome: 'degraded',
    reason: 'assertion'
  })
})

t.test('a fault of the prober is not a failure of the target', async (t) => {
  const error = (code: string) => Object.assign(new Error('x'), { code })
  const report = await attempt(
    assignment('http://a.test/'),
    networkOf(undefined, async () => {
      throw error('ECONNREFUSED')
    })
  )
  t.match(report, { outcome: 'prober_error', reason: null, message: 'The prober reaches no name server' })
  for (const code of ['ENETUNREACH', 'EMFILE', 'EADDRNOTAVAIL']) t.type(ourFault(error(code), 'connect'), 'string', code)
  for (const code of ['ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT']) t.equal(ourFault(error(code), 'connect'), null, code)
  t.equal(ourFault(error('ENETUNREACH'), 'ttfb'), null)
  t.equal(ourFault(new Error('x'), 'connect'), null)
})

t.test('a dead address does not hide a working one', async (t) => {
  const base = await http(t, echo)
  const ask = async () => ['127.0.0.3', '127.0.0.1']
  t.match(await attempt(assignment(`http://two.test:${new URL(base).port}/`), networkOf(undefined, ask)), {
    outcome: 'success',
    remoteIp: '127.0.0.1'
  })
})

t.test('the configured address family is used', async (t) => {
  const base = await http(t, echo, '::1')
  const asked: number[] = []
  const network = networkOf(undefined, async (_name, family) => {
    asked.push(family)
    return ['::1']
  })
  t.match(await attempt(assignment(`http://six.test:${new URL(base).port}/`, { config: { ip_family: '6' } }), network), { remoteIp: '::1' })
  t.same(asked, [6])
})

t.test('the timeout covers the whole attempt', async (t) => {
  const silent = await tcp(t, () => undefined)
  const stuttering = await http(t, (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 100)
    response.on('close', () => clearInterval(timer))
  })
  const rows: [string, string, ReturnType<typeof networkOf> | undefined, RegExp][] = [
    ['an answer that does not begin', `http://127.0.0.1:${silent}/`, undefined, /before the answer began/],
    ['a handshake that does not end', `https://127.0.0.1:${silent}/`, undefined, /TLS handshake/],
    ['an answer that drips', stuttering, undefined, /before the answer ended/],
    ['a name server that is silent', 'http://a.test/', networkOf(undefined, () => new Promise(() => undefined)), /name was resolved/]
  ]
  await Promise.all(
    rows.map(async ([what, target, network, message]) => {
      const report = await attempt(assignment(target, { timeout_seconds: 1 }), network)
      t.match(report, { outcome: 'failure', reason: 'timeout', message }, what)
      // A timer may fire early by the time for which the loop was busy when it began.
      t.ok((report.timings.total ?? 0) >= 900, 'it had its time')
      addsUp(t, report)
    })
  )
})

t.test('a slow answer is degraded', async (t) => {
  const base = await http(t, (_request, response) => void setTimeout(() => response.end('late'), 30))
  t.match(await attempt(assignment(base, { degraded_after_ms: 5 })), { outcome: 'degraded', reason: 'assertion', status: 200 })
  t.match(await attempt(assignment(base, { degraded_after_ms: 5000 })), { outcome: 'success' })
})

t.test('an aborted attempt rejects', async (t) => {
  const silent = await tcp(t, () => undefined)
  const { attemptHttp } = await import('../../../services/prober/check-http.ts')
  const abort = new AbortController()
  const plan = planHttp(assignment(`http://127.0.0.1:${silent}/`), 'test-agent')
  const running = attemptHttp(plan, { network: networkOf(), pool, now: Date.now, abort: abort.signal })
  abort.abort(new Error('the end'))
  await t.rejects(running, { message: 'the end' })
})

t.test('rounds of attempts', async (t) => {
  const round = { checkId: MONITOR, scheduledAt: 1000, endsAt: 61_000, onDemand: false, count: true }
  async function run(t: Test, statuses: number[], changes: Partial<Assignment>, endsAt = 61_000) {
    let asked = 0
    const base = await http(t, (_request, response) => response.writeHead(statuses[asked++] ?? 500).end('body'))
    const monitor = assignment(`${base}/`, changes)
    const rests: number[] = []
    let now = 1000
    const result = await performRound(
      planOf(monitor, facts),
      monitor.retry,
      monitor,
      { ...round, endsAt },
      {
        network: networkOf(),
        pool,
        now: () => now,
        abort: new AbortController().signal,
        rest: async (ms) => {
          rests.push(ms)
          now += ms
        },
        version: '1.2.3'
      }
    )
    return { result, rests, asked }
  }
  const retry = { count: 2, strategy: 'exponential', base_seconds: 5, max_total_seconds: 60 } as const
  t.test('a success needs one attempt', async (t) => {
    const { result, rests } = await run(t, [200], { retry })
    t.match(result, {
      outcome: 'success',
      seq: 1000,
      scheduled_at: '1970-01-01T00:00:01.000Z',
      tenant_ref: TENANT,
      prober_version: '1.2.3',
      body_excerpt: null
    })
    t.same([result.attempts.length, rests.length], [1, 0])
  })
  t.test('a failure is retried, and the last attempt counts', async (t) => {
    const { result, rests } = await run(t, [500, 500, 200], { retry })
    t.match(result, { outcome: 'success', attempts: [{ outcome: 'failure' }, { outcome: 'failure' }, { outcome: 'success' }] })
    t.same(rests, [5000, 10_000])
    const totals = result.attempts.map(({ timings_ms }) => timings_ms?.total ?? 0)
    t.ok(Math.abs(totals.reduce((all, one) => all + one, 0) - (result.timings_ms.total ?? 0)) < 0.01, 'total is that of all attempts')
  })
  t.test('a registry that cannot be reached is asked again, and the last attempt counts', async (t) => {
    const ends = new Date(Date.now() + 200 * 86_400_000).toISOString()
    const answer = JSON.stringify({ objectClassName: 'domain', events: [{ eventAction: 'expiration', eventDate: ends }] })
    for (const [cuts, outcome] of [
      [1, 'success'],
      [3, 'prober_error']
    ] as const) {
      let asked = 0
      const rdap = await http(t, (request, response) => (asked++ < cuts ? request.socket.destroy() : response.end(answer)))
      const monitor = assignment('shop.test', { type: 'domain', retry })
      const plan = planOf(monitor, { ...facts, rdap: new Map([['test', `${rdap}/`]]) })
      const edge = {
        network: networkOf(),
        pool,
        now: Date.now,
        abort: new AbortController().signal,
        rest: async () => undefined,
        version: '1'
      }
      const endsAt = Date.now() + 60_000
      t.match(await performRound(plan, monitor.retry, monitor, { ...round, endsAt }, edge), {
        outcome,
        attempts: { length: cuts === 1 ? 2 : 3 }
      })
    }
  })
  t.test('retries stop at the configured count', async (t) => {
    const { result, asked } = await run(t, [500, 501, 502, 503], { retry })
    t.match(result, { outcome: 'failure', reason: 'http_status', http: { status: 502 }, body_excerpt: null })
    t.equal(asked, 3)
  })
  t.test('an attempt that would not end before the next slot is skipped', async (t) => {
    t.equal((await run(t, [], { retry }, 1000 + 5000 + 5000)).asked, 2, '5 s of pause and 5 s of time-out fit into 10 s')
    t.equal((await run(t, [], { retry }, 1000 + 5000 + 4999)).asked, 1)
    t.equal((await run(t, [], { retry: { ...retry, max_total_seconds: 9 } })).asked, 1)
  })
  t.test('a degraded answer is not retried', async (t) => {
    const { asked } = await run(t, [], { retry, assertions: [{ source: 'status', op: 'eq', value: 1, on_fail: 'degraded' }] })
    t.equal(asked, 1)
  })
})
