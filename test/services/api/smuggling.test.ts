/**
 * Tests of request smuggling through the local proxy. The server behind the proxy must read exactly
 * what was forwarded, and a client that shares a connection with an attacker must get the answer to
 * its own request. Behind the proxy are an upstream that reads strictly, the real doors and a real
 * gateway.
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import t from 'tap'
import { WebSocket } from 'ws'
import type { Teardown } from '../../harness/engines.ts'
import { bytesOf, dial, echo, METHODS, type Read, recorder, SMUGGLED, type Trick, tricks } from '../../harness/smuggling.ts'
import { until } from '../../harness/until.ts'
import { gatewayStack } from '../gateway/stack.ts'
import { integration } from '../intake/credential.ts'
import { stand as intakeStand, PATH, TOKEN } from '../intake/stand.ts'
import { stand } from './stand.ts'

const DOOR = '/api/v1/webhooks/incoming/svc_x'
const NEXT = 'GET /ping/next HTTP/1.1\r\nHost: a\r\n\r\n'

/** Starts an api in front of these servers; returns its port. */
async function front(t: Teardown, intakePort: number, gatewayPort = 1): Promise<number> {
  const s = await stand(t, { config: { intakeUrl: `http://127.0.0.1:${intakePort}`, gatewayUrl: `http://127.0.0.1:${gatewayPort}` } })
  await s.app.listen({ host: '127.0.0.1', port: 0 })
  const address = s.app.server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const post = (path: string, body: string, headers: readonly string[] = []): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body
  ].join('\r\n')

/** Opens a kept-alive connection of another client. */
function neighbour(t: Teardown, port: number): (path: string, body: string) => Promise<string> {
  const line = dial(t, port)
  return async (path, body) => {
    const before = line.text().length
    line.socket.write(post(path, body))
    const answer = () => /\r\n\r\n([\s\S]*\})$/.exec(line.text().slice(before))?.[1]
    await until('an answer on a kept connection', () => answer() !== undefined || line.isClosed())
    const status = /HTTP\/1\.1 (\d+)/.exec(line.text().slice(before))?.[1]
    return `${status} ${answer()}`
  }
}

t.test('with every method and trick, the server reads exactly what was forwarded', async (t) => {
  const upstream = await recorder(t)
  const port = await front(t, upstream.port)
  const other = neighbour(t, port)
  async function attempt(trick: Trick, method: string): Promise<void> {
    const name = `${method}, ${trick.name}`
    upstream.read.length = 0
    const line = dial(t, port)
    line.socket.write(Buffer.concat([bytesOf(trick, method, `${DOOR}?a=%20b`), Buffer.from(NEXT)]))
    const forwarded = trick.proxied === 'taken'
    await until(`the end of ${name}`, () => line.isClosed() || (forwarded && line.statuses().length === 2))
    line.socket.destroy()
    const read = upstream.read.map(({ method, path, body }) => ({ method, path, body }))
    const asked = { method: 'POST', path: '/api/v1/webhooks/incoming/svc_other', body: `{"after":"${name.replace(/[^ \w]/g, '')}"}` }
    t.same(
      {
        // Two requests of one sender may use two connections.
        read: read.sort((one, next) => one.path.localeCompare(next.path)),
        answers: line.statuses().filter((status) => status !== 400),
        other: await other(asked.path, asked.body)
      },
      {
        read: forwarded
          ? [
              { method, path: `${DOOR}?a=%20b`, body: trick.body },
              { method: 'GET', path: '/ping/next', body: '' }
            ]
          : [],
        answers: forwarded ? [200, 200] : [],
        other: `200 ${JSON.stringify(asked)}`
      },
      name
    )
  }
  for (const trick of tricks) for (const method of METHODS) await attempt(trick, method)
  t.same(upstream.faults, [], 'nothing arrived that is no request')
})

const ATTACKER = `svc_${'z'.repeat(43)}`
const MINE = '0198e000-0000-7000-8000-00000000000a'
const of = (token: string) =>
  token === TOKEN ? integration() : token === ATTACKER ? integration({ tenant_id: MINE, integration_id: MINE }) : null
const alert = (title: string): string => JSON.stringify({ title, status: 'firing', dedup_key: title })

for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) {
  t.test(`${method} with a body that Connection hides harms no other client of intake`, async (t) => {
    const intake = await intakeStand(t, { check: of })
    const port = await front(t, intake.port)
    const victim = neighbour(t, port)
    t.match(await victim(PATH, alert('before')), /^200 /)

    const hidden = (body: string): string =>
      `${method} /api/v1/webhooks/incoming/none HTTP/1.1\r\nHost: a\r\nConnection: content-length\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const line = dial(t, port)
    line.socket.write(hidden('POST /api/v1/webhooks/incoming/none HTTP/1.1\r\nHost: a\r\nX: '))
    await until('an answer', () => line.statuses().length > 0)
    t.match(await victim(PATH, alert('after')), /^200 /, 'nobody gets the answer to what another began')

    // The rest of this form would become the start of another client's next request.
    const form = dial(t, port)
    form.socket.write(
      hidden([`POST /api/v1/webhooks/incoming/${ATTACKER} HTTP/1.1`, 'Host: a', 'Content-Length: 150', '', 'title='].join('\r\n'))
    )
    await until('an answer', () => form.statuses().length > 0)
    const told = await victim(PATH, alert('the last'))
    t.match(told, /^200 /)
    t.same(
      intake.alerts().map(({ tenant_id, title }) => [tenant_id, title]),
      ['before', 'after', 'the last'].map((title) => [integration().tenant_id, title])
    )
    t.notMatch(JSON.stringify(intake.alerts()), new RegExp(TOKEN), 'and no request of one workspace is in an alert of another')
  })
}

t.test('an upstream connection is reused only after a whole request and a whole answer', async (t) => {
  const answers = new Map<string, (read: Read, socket: Socket) => string>([
    ['/ping/twice', (read) => echo(read) + echo({ ...read, path: '/ping/surplus' })],
    [
      '/ping/later',
      (read, socket) => {
        setTimeout(() => socket.write(echo({ ...read, path: '/ping/surplus' })), 20)
        return echo(read)
      }
    ],
    [
      '/ping/endless',
      (_read, socket) => {
        setImmediate(() => socket.end())
        return 'HTTP/1.1 200 OK\r\n\r\nto the end'
      }
    ]
  ])
  const upstream = await recorder(t, (read, socket) => answers.get(read.path)?.(read, socket) ?? echo(read))
  const port = await front(t, upstream.port)
  const ask = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  for (const path of answers.keys()) {
    const before = upstream.connections()
    const told = await ask(path)
    // Waits until the surplus bytes are there. Nobody may get them.
    if (path === '/ping/later') await new Promise((resolve) => setTimeout(resolve, 60))
    t.match(await ask('/ping/own'), '"path":"/ping/own"', `after ${path}: ${told.length} characters`)
    t.ok(upstream.connections() > before, 'on a connection of its own')
  }
  const before = upstream.connections()
  const unsent = dial(t, port)
  unsent.socket.write(`POST ${DOOR} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf`)
  await until('it is passed on', () => upstream.connections() > before || upstream.read.length > 0)
  unsent.socket.destroy()
  t.match(await ask('/ping/own'), '"path":"/ping/own"', 'half a request is followed by nothing')
  t.same(upstream.faults, [])
})

t.test('the answer does not name the server behind, and ambiguous header names are dropped', async (t) => {
  const upstream = await recorder(t)
  const port = await front(t, upstream.port)
  const line = dial(t, port)
  line.socket.write(
    'GET /ping/x HTTP/1.1\r\nHost: a\r\nX_Y: 1\r\nX-Z: 2\r\nuWebSockets: 1\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 5.6.7.8\r\n\r\n'
  )
  await until('an answer', () => line.statuses().length > 0)
  t.notMatch(line.text(), /uwebsockets/i)
  const headers = upstream.read[0]?.headers ?? []
  t.same(headers.filter(([name]) => /^(x.y|x-z|x-forwarded-for|uwebsockets)$/.test(name)).sort(), [
    ['x-forwarded-for', '127.0.0.1'],
    ['x-z', '2']
  ])
})

/** A WebSocket handshake with extra lines of the test. */
const handshake = (lines: readonly string[] = [], method = 'GET', path = '/api/v1/ws?token=x'): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: a',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...lines,
    '',
    ''
  ].join('\r\n')

t.test('a handshake with a body is refused, and each handshake has its own connection', async (t) => {
  const upstream = await recorder(t)
  const port = await front(t, 1, upstream.port)
  const refused: [what: string, bytes: string][] = [
    ['a length', handshake([`Content-Length: ${SMUGGLED.length}`]) + SMUGGLED],
    ['a length of 0', handshake(['Content-Length: 0'])],
    ['chunks', `${handshake(['Transfer-Encoding: chunked'])}0\r\n\r\n`],
    ['a length that Connection names', handshake([`Content-Length: ${SMUGGLED.length}`, 'Connection: content-length']) + SMUGGLED],
    ['two hosts', handshake(['Host: b'])],
    ['POST', handshake([], 'POST')],
    ['HEAD', handshake([], 'HEAD')],
    ['an address for a target', handshake([], 'GET', 'http://a/api/v1/ws?token=x')]
  ]
  for (const [what, bytes] of refused) {
    const line = dial(t, port)
    line.socket.write(bytes + NEXT)
    await line.closed
    t.same(line.statuses(), [400], what)
    t.same(upstream.read, [], `${what}: nothing is passed on`)
  }
  for (let n = 1; n <= 3; n++) {
    const line = dial(t, port)
    line.socket.write(handshake() + SMUGGLED)
    await line.closed
    t.same(line.statuses(), [200], 'no 101: the answer, and nothing more')
    t.notMatch(line.text(), /uwebsockets/i)
    t.equal(upstream.connections(), n)
    t.equal(upstream.read.length, n, 'what follows a refused handshake is read by nobody')
  }
  t.same(upstream.faults, [])
})

t.test('refused handshakes at a real gateway do not disturb the handshakes of others', async (t) => {
  const g = await gatewayStack(t)
  const acme = await g.workspace()
  const port = await front(t, 1, g.gateway.port)
  for (const lines of [[`Content-Length: ${SMUGGLED.length}`], ['Transfer-Encoding: chunked'], []]) {
    const line = dial(t, port)
    line.socket.write(handshake(lines) + SMUGGLED)
    await line.closed
    t.same(line.statuses(), [lines.length > 0 ? 400 : 401])
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/ws?token=${acme.token}`)
    t.match(JSON.parse(String((await once(socket, 'message'))[0])), { type: 'hello' })
    socket.terminate()
  }
})
