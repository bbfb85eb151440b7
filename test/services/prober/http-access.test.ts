/**
 * Tests of how an HTTP check authenticates: Digest by the examples of its RFC and against a server,
 * OAuth 2.0 tokens, client certificates; and that no credential reaches another origin.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import type { HttpConfig } from '../../../schemas/http/check-types/http.ts'
import { challengesOf, digestAnswer } from '../../../services/prober/digest.ts'
import { planOf } from '../../../services/prober/plans.ts'
import { assignment, attempt, certificate, facts, http, networkOf, pool } from './stand.ts'

t.teardown(() => pool.close())

const account = { username: 'Mufasa', password: 'Circle of Life' }
const asked = { method: 'GET', uri: '/dir/index.html', body: null }

t.test('Digest answers match the examples of RFC 7616', async (t) => {
  const params =
    'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
  const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'
  const answer = (algorithm: string): string => digestAnswer(`Digest ${params}, algorithm=${algorithm}`, account, asked, cnonce) ?? ''
  t.match(answer('MD5'), 'response="8ca523f5e9506fed4657c9700eebdbec"')
  t.match(answer('SHA-256'), 'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"')
  for (const part of ['username="Mufasa"', 'qop=auth,', 'nc=00000001', 'algorithm=SHA-256', `cnonce="${cnonce}"`, 'opaque="FQhe/'])
    t.match(answer('SHA-256'), part)
  // RFC 2617, which servers without qop still use.
  const old = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"'
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
  const expected = md5(
    `${md5('Mufasa:testrealm@host.com:Circle of Life')}:dcd98b7102dd2f0e8b11d0f600bfb0c093:${md5('GET:/dir/index.html')}`
  )
  t.equal(/response="(\w+)"/.exec(digestAnswer(old, account, asked) ?? '')?.[1], expected)
  t.notMatch(digestAnswer(old, account, asked), /qop|cnonce/)
})

t.test('the strongest supported Digest challenge is answered, an unsupported one is not', async (t) => {
  const both = 'Digest realm="a", nonce="1", qop="auth", algorithm=MD5, Digest realm="a", nonce="2", qop="auth", algorithm=SHA-256'
  t.match(digestAnswer(both, account, asked), 'nonce="2"')
  t.match(digestAnswer(`Negotiate abc==, Basic realm="x, Digest nonce=9", ${both}`, account, asked), 'nonce="2"')
  t.match(digestAnswer('digest REALM="q\\"uoted", Nonce=plain, QOP=auth', account, asked), 'realm="q\\"uoted"')
  for (const none of [
    '',
    'Basic realm="x"',
    'Digest realm="no nonce"',
    'Digest nonce="1", algorithm=SHA-1',
    'Digest nonce="1", qop="later"',
    'Digest nonce="1',
    ', , ,',
    '"""'
  ]) {
    t.equal(digestAnswer(none, account, asked), null, none)
  }
  t.same(
    challengesOf('Basic realm="x", Digest a=b').map(({ scheme }) => scheme),
    ['basic', 'digest']
  )
  t.equal(challengesOf('Digest '.repeat(9000)).length, 9000, 'a long header costs in proportion')
})

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/**
 * Starts a server that lets in a client with the right answer to its challenge. `seen` records each
 * request, and whether it had an answer.
 */
function digestServer(t: Test, seen: string[]): Promise<string> {
  return http(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { authorization = '' } = request.headers
    seen.push(`${request.method} ${request.url} ${authorization === '' ? 'plain' : 'answered'} ${Buffer.concat(chunks).length}`)
    if (request.url?.startsWith('/away')) return void response.writeHead(307, { location: request.url.slice(5) }).end()
    const [, uri = '', nc = '', cnonce = ''] = /uri="([^"]*)".*nc=(\w+).*cnonce="([^"]*)"/.exec(authorization) ?? []
    const body = md5(Buffer.concat(chunks).toString('utf8'))
    const right = md5(`${md5('ann:here:hunter2')}:n1:${nc}:${cnonce}:auth-int:${md5(`${request.method}:${uri}:${body}`)}`)
    const isRight = uri === request.url && authorization.includes(`response="${right}"`)
    if (isRight) return void response.end('inside')
    response.writeHead(401, { 'www-authenticate': 'Digest realm="here", nonce="n1", qop="auth-int"' }).end('outside')
  })
}

t.test('Digest authentication works against a server', async (t) => {
  const seen: string[] = []
  const base = await digestServer(t, seen)
  const ask = (password: string, path = '/a?b=c', more: HttpConfig = {}) =>
    attempt(assignment(`${base}${path}`, { config: { auth: { type: 'digest', username: 'ann', password }, ...more } }))
  t.match(await ask('hunter2'), { outcome: 'success', status: 200, body: 'inside', redirects: [] })
  t.same(seen.splice(0), ['GET /a?b=c plain 0', 'GET /a?b=c answered 0'])
  t.match(await ask('hunter2', '/', { method: 'POST', body: 'four' }), { outcome: 'success' }, 'the body is part of it')
  t.same(seen.splice(0), ['POST / plain 4', 'POST / answered 4'])
  t.match(await ask('wrong'), { outcome: 'failure', reason: 'auth', status: 401 })
  t.equal(seen.splice(0).length, 2, 'who does not take the answer is not asked over and over')
})

t.test('a Digest challenge of another origin is not answered', async (t) => {
  const seen: string[] = []
  const inner = await digestServer(t, seen)
  const lured: string[] = []
  const outer = await http(t, (request, response) => {
    lured.push(request.headers.authorization ?? 'none')
    response.writeHead(307, { location: `${inner}/` }).end()
  })
  const config: HttpConfig = { auth: { type: 'digest', username: 'ann', password: 'hunter2' } }
  t.match(await attempt(assignment(`${outer}/`, { config })), { outcome: 'failure', reason: 'auth', status: 401 })
  t.same(seen, ['GET / plain 0'])
  t.same(lured, ['none'])
})

interface TokenServer {
  url: string
  asked: string[]
  answer(with_: (request: IncomingMessage, response: ServerResponse) => void): void
}

async function tokenServer(t: Test): Promise<TokenServer> {
  const asked: string[] = []
  let count = 0
  let handler = (_request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json')
    // Some servers begin with a byte order mark.
    response.end(`\ufeff${JSON.stringify({ access_token: `token-${++count}`, token_type: 'Bearer', expires_in: 3600 })}`)
  }
  const base = await http(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    asked.push(`${request.method} ${request.headers.authorization} ${Buffer.concat(chunks).toString('utf8')}`)
    handler(request, response)
  })
  return {
    url: `${base}/token`,
    asked,
    answer(with_) {
      handler = with_
    }
  }
}

t.test('OAuth 2.0 tokens are fetched, cached and renewed, and a failure gives no secret away', async (t) => {
  const tokens = await tokenServer(t)
  const heard: string[] = []
  let isClosed = false
  const api = await http(t, (request, response) => {
    heard.push(request.headers.authorization ?? 'none')
    response.writeHead(isClosed ? 401 : 200).end()
  })
  const auth = {
    type: 'oauth2_client',
    token_url: tokens.url,
    client_id: 'a b',
    client_secret: 'hunter2:+',
    scopes: ['read', 'write']
  } as const
  let clock = Date.now()
  const plan = planOf(assignment(`${api}/`, { config: { auth: { ...auth, scopes: [...auth.scopes] } } }), facts)
  const ask = () => plan.attempt({ network: networkOf(), pool, now: () => clock, abort: new AbortController().signal })
  const first = await ask()
  t.match(first, { outcome: 'success', status: 200 })
  t.same(heard.splice(0), ['Bearer token-1'])
  const basic = Buffer.from('a+b:hunter2%3A%2B').toString('base64')
  t.same(tokens.asked.splice(0), [`POST Basic ${basic} grant_type=client_credentials&scope=read+write`])
  await ask()
  t.same([heard.splice(0), tokens.asked], [['Bearer token-1'], []], 'it is kept')
  clock += 3_600_000
  await ask()
  t.same(heard.splice(0), ['Bearer token-2'], 'for as long as it is good')
  isClosed = true
  t.match(await ask(), { reason: 'auth', status: 401 })
  isClosed = false
  await ask()
  t.same(heard.splice(0), ['Bearer token-2', 'Bearer token-3'], 'one that is refused is forgotten')

  const cases: [string, (request: IncomingMessage, response: ServerResponse) => void, RegExp][] = [
    ['a refusal', (_, response) => response.writeHead(401).end('{"error":"invalid_client hunter2"}'), /answers with the status 401/],
    ['no JSON', (_, response) => response.end('hunter2'), /holds no token/],
    ['no token', (_, response) => response.end('{"access_token":null}'), /holds no token/],
    ['a token that is no header', (_, response) => response.end('{"access_token":"a\\r\\nb: c"}'), /holds no token/],
    ['another type', (_, response) => response.end('{"access_token":"a","token_type":"mac"}'), /no bearer token/],
    ['a redirect', (_, response) => response.writeHead(307, { location: `${api}/` }).end(), /answers with the status 307/],
    ['a page without end', (_, response) => response.end('x'.repeat(70_000)), /larger than its limit/],
    ['no answer', (request) => request.socket.destroy(), /gave no token: The connection/]
  ]
  for (const [what, answer, message] of cases) {
    tokens.answer(answer)
    clock += 3_600_000
    const report = await ask()
    t.match(report, { outcome: 'failure', reason: 'auth', message }, what)
    t.notMatch(JSON.stringify(report), /hunter2/, what)
  }
  t.same(heard, [], 'without a token nothing is asked')
})

t.test('a token server at a refused address is not asked', async (t) => {
  const tokens = await tokenServer(t)
  const api = await http(t, (_, response) => response.end(), '127.0.0.2')
  const config: HttpConfig = { auth: { type: 'oauth2_client', token_url: tokens.url, client_id: 'c', client_secret: 's' } }
  const network = networkOf({ open: ['127.0.0.2/32'], closed: [], own: [] })
  t.match(await attempt(assignment(`${api}/`, { config }), network), { outcome: 'failure', reason: 'blocked_target' })
  t.same(tokens.asked, [])
})

t.test('a client certificate is shown only to its own origin', async (t) => {
  const [pair, client] = [certificate(t), certificate(t, { subject: '/CN=prober' })]
  const serve = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
    const server = createTlsServer({ ...pair, requestCert: true, rejectUnauthorized: false }, answer)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const shown: string[] = []
  const nameOf = (request: IncomingMessage): string => String((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody')
  const away = await serve((request, response) => {
    shown.push(`away ${nameOf(request)}`)
    response.end()
  })
  const home = await serve((request, response) => {
    shown.push(`home ${nameOf(request)}`)
    if (request.url === '/here') response.end()
    else response.writeHead(302, { location: request.url === '/' ? '/here' : `${away}/` }).end()
  })
  const config: HttpConfig = { ca_pem: pair.cert, auth: { type: 'mtls', cert_pem: client.cert, key_pem: client.key } }
  t.match(await attempt(assignment(`${home}/`, { config })), { outcome: 'success' })
  t.match(await attempt(assignment(`${home}/away`, { config })), { outcome: 'success' })
  t.same(shown, ['home prober', 'home prober', 'home prober', 'away nobody'])
})
