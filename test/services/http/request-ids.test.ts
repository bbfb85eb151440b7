/**
 * Every answer of intake and gateway has exactly one X-Request-Id: the caller's own if its form is
 * valid, else a new one. Errors repeat it in their body. The tests write requests byte by byte, so
 * that no client adds or hides a header.
 */
import t, { type Test } from 'tap'
import { requestIdOf } from '../../../services/http/request-id.ts'
import { dial } from '../../harness/smuggling.ts'
import { until } from '../../harness/until.ts'
import { gatewayStack, handshake } from '../gateway/stack.ts'
import { watchStand } from '../intake/watch-stand.ts'

interface Case {
  name: string
  /** First line. */
  line: string
  /** Header lines in addition to Host. */
  lines?: readonly string[]
  status: number
  /**
   * The server's build for Node 22 and 24 refuses the request itself, in HTML and without an id.
   */
  byServer?: true
}

/** Requests that the edge of both roles answers itself, without a handler. */
const ofTheEdge: readonly Case[] = [
  { name: 'two hosts', line: 'GET /health HTTP/1.1', lines: ['Host: b'], status: 400, byServer: true },
  { name: 'a method that is not known', line: 'TRACE /health HTTP/1.1', status: 400 },
  { name: 'a body in no known coding', line: 'POST /health HTTP/1.1', lines: ['Transfer-Encoding: gzip'], status: 400 }
]

interface Answer {
  status: number
  /** Values of X-Request-Id. */
  ids: string[]
  body: string
}

async function ask(t: Test, port: number, { name, line, lines = [] }: Case, id: string | null): Promise<Answer> {
  const wire = dial(t, port)
  wire.socket.write([line, 'Host: a', ...lines, ...(id === null ? [] : [`x-request-id: ${id}`]), '', ''].join('\r\n'))
  const end = await until(`the answer to ${name}`, () => {
    const at = wire.text().indexOf('\r\n\r\n')
    const length = Number(/^content-length: (\d+)/im.exec(wire.text())?.[1] ?? 0)
    return at >= 0 && wire.text().length >= at + 4 + length ? at : null
  })
  const [head, body] = [wire.text().slice(0, end), wire.text().slice(end + 4)]
  wire.socket.destroy()
  return {
    status: Number(head.split(' ')[1]),
    ids: [...head.matchAll(/^x-request-id: (.*)$/gim)].map(([, value = '']) => value.trim()),
    body
  }
}

async function check(t: Test, port: number, cases: readonly Case[]): Promise<void> {
  for (const one of cases) {
    const seen = new Set<string>()
    for (const id of ['mine-1.A_b', 'x'.repeat(64), null, 'a b', 'x'.repeat(65), '<']) {
      const { status, ids, body } = await ask(t, port, one, id)
      const name = `${one.name}, asked with ${id}`
      t.equal(status, one.status, name)
      if (one.byServer && body.startsWith('<')) continue
      t.equal(ids.length, 1, name)
      const [given = ''] = ids
      if (requestIdOf(id ?? '') === id) t.equal(given, id, name)
      else {
        t.match(given, /^[A-Za-z0-9._-]{1,64}$/, name)
        t.notOk(seen.has(given), `${name}: a new one`)
      }
      seen.add(given)
      if (status >= 400 && !one.line.startsWith('HEAD')) t.match(JSON.parse(body), { code: String, error: String, request_id: given }, name)
    }
  }
}

t.test('a valid request id is kept, an invalid one is replaced', async (t) => {
  for (const own of ['a.B_c-1', '0', 'x'.repeat(64)]) t.equal(requestIdOf(own), own)
  for (const bad of [undefined, '', 'a b', 'x'.repeat(65), ['a', 'b'], 'a\nb', 'a, b', 'ü']) t.match(requestIdOf(bad), /^[0-9a-f-]{36}$/)
  t.equal(
    requestIdOf('a b', () => 'minted'),
    'minted'
  )
})

t.test('every answer of intake has exactly one request id', async (t) => {
  const stand = await watchStand(t)
  const { token } = await stand.heartbeat()
  const ping = `/ping/${token}`
  await check(t, stand.port, [
    ...ofTheEdge,
    { name: 'health', line: 'GET /health HTTP/1.1', status: 200 },
    { name: 'another method on health', line: 'PUT /health HTTP/1.1', status: 405 },
    { name: 'HEAD', line: 'HEAD /nowhere HTTP/1.1', status: 404 },
    { name: 'an unknown path', line: 'GET /nowhere HTTP/1.1', status: 404 },
    {
      name: 'a door with an unknown token',
      line: 'POST /api/v1/webhooks/incoming/svc_x HTTP/1.1',
      lines: ['Content-Length: 0'],
      status: 404
    },
    { name: 'the router without a token', line: 'POST /api/v1/webhook/alertmanager HTTP/1.1', lines: ['Content-Length: 0'], status: 401 },
    { name: 'the native receiver', line: 'PUT /api/v1/opsgenie/v2/alerts HTTP/1.1', lines: ['Content-Length: 0'], status: 405 },
    { name: 'results without a token', line: 'POST /api/v1/prober/results HTTP/1.1', lines: ['Content-Length: 0'], status: 401 },
    { name: 'a ping', line: `GET ${ping} HTTP/1.1`, status: 200 },
    { name: 'a ping for nobody', line: 'GET /ping/00000000-0000-4000-8000-000000000000 HTTP/1.1', status: 404 },
    { name: 'a ping with another method', line: `DELETE ${ping} HTTP/1.1`, status: 405 },
    { name: 'the preflight of a ping', line: `OPTIONS ${ping} HTTP/1.1`, status: 204 },
    { name: 'the preflight of a ping by its long path', line: `OPTIONS /api/v1${ping} HTTP/1.1`, status: 204 }
  ])
})

t.test('every answer of the gateway has exactly one request id', async (t) => {
  const { gateway, workspace, connect } = await gatewayStack(t)
  const lines = handshake('x').split('\r\n').slice(2, -2)
  const opened = (token: string): Pick<Case, 'line' | 'lines'> => ({ line: `GET /api/v1/ws?token=${token} HTTP/1.1`, lines })
  const { token } = await workspace()
  await check(t, gateway.port, [
    ...ofTheEdge,
    { name: 'health', line: 'GET /health HTTP/1.1', status: 200 },
    { name: 'another method on health', line: 'PUT /health HTTP/1.1', lines: ['Content-Length: 0'], status: 404 },
    { name: 'HEAD', line: 'HEAD /nowhere HTTP/1.1', status: 404 },
    { name: 'a preflight', line: 'OPTIONS /api/v1/ws HTTP/1.1', status: 404 },
    { name: 'an unknown path', line: 'GET /nowhere HTTP/1.1', status: 404 },
    { name: 'no upgrade', line: `GET /api/v1/ws?token=${token} HTTP/1.1`, status: 404 },
    { name: 'a handshake with a body', ...opened(token), lines: [...lines, 'Content-Length: 0'], status: 400 },
    { name: 'a handshake that is refused', ...opened('x'), status: 401 },
    // The token is looked up the first time and known the next time, so the socket opens once after
    // its handler has returned, and later inside it.
    { name: 'a handshake', ...opened(token), status: 101 }
  ])
  await connect(`?token=${token}`)
  await check(t, gateway.port, [{ name: 'a handshake beside an open socket', ...opened((await workspace()).token), status: 101 }])
})
