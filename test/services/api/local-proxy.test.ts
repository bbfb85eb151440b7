/**
 * Tests of the proxy that gives a local run one address. Requests for intake's doors and for the
 * WebSocket arrive there exactly as they were sent, and the answers come back unchanged. Here the
 * server that intake runs on plays the doors, and another WebSocket server plays the gateway.
 */
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { WebSocket, WebSocketServer } from 'ws'
import { createApp } from '../../../services/http/uws.ts'
import { until } from '../../harness/until.ts'
import { type Stand, stand } from './stand.ts'

const TWO_MIB = 2 * 1024 * 1024

interface Seen {
  method: string
  url: string
  headers: Record<string, string>
  bytes: number
  text: string
  aborted: boolean
}

/**
 * Starts a door that answers with what it saw. For a body over 2 MiB it answers 413 while the body
 * is still being sent.
 */
async function door(t: Tap): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const app = createApp()
  app.any('/*', (response, request) => {
    const entry: Seen = {
      method: request.getMethod().toUpperCase(),
      url: request.getUrl(),
      headers: {},
      bytes: 0,
      text: '',
      aborted: false
    }
    const query = request.getQuery()
    if (query) entry.url += `?${query}`
    for (const name of ['content-type', 'authorization', 'x-request-id', 'x-forwarded-for', 'user-agent'])
      entry.headers[name] = request.getHeader(name)
    seen.push(entry)
    let answered = false
    response.onAborted(() => {
      entry.aborted = true
    })
    response.onData((chunk, isLast) => {
      entry.bytes += chunk.byteLength
      if (entry.bytes < 1000) entry.text += Buffer.from(chunk).toString()
      if (answered) return
      if (entry.bytes > TWO_MIB) {
        answered = true
        response.cork(() => {
          response
            .writeStatus('413 Payload Too Large')
            .writeHeader('content-type', 'application/json')
            .writeHeader('x-door', 'yes')
            .end('{"code":"BODY_TOO_LARGE"}')
        })
      } else if (isLast) {
        answered = true
        response.cork(() => {
          response
            .writeStatus('429 Too Many Requests')
            .writeHeader('retry-after', '17')
            .writeHeader('x-ratelimit-name', 'ingest_tenant')
            .end(`{"bytes":${entry.bytes}}`)
        })
      }
    })
  })
  const port = await app.listen('127.0.0.1', 0)
  t.teardown(() => app.close())
  return { url: `http://127.0.0.1:${port}`, seen }
}

interface Tap {
  teardown(handler: () => unknown): void
}

interface Gateway {
  url: string
  upgrades: IncomingMessage[]
  server: WebSocketServer
}

/** Starts a gateway that refuses the token `bad` with an HTTP answer, before the upgrade. */
async function gateway(t: Tap): Promise<Gateway> {
  const upgrades: IncomingMessage[] = []
  const http: Server = createServer((_request, response) => response.writeHead(426).end())
  const server = new WebSocketServer({ noServer: true })
  http.on('upgrade', (request, socket, head) => {
    upgrades.push(request)
    if (request.url?.includes('token=bad')) {
      const body = '{"code":"UNAUTHENTICATED"}'
      socket.end(
        `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\nwww-authenticate: Bearer\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      )
      return
    }
    server.handleUpgrade(request, socket, head, (client) => server.emit('connection', client, request))
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.teardown(() => {
    for (const client of server.clients) client.terminate()
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, upgrades, server }
}

const addressOf = (s: Stand): string => `127.0.0.1:${(s.app.server.address() as AddressInfo).port}`

t.test('the local proxy', async (t) => {
  const intake = await door(t)
  const sockets = await gateway(t)
  const s = await stand(t, { config: { intakeUrl: intake.url, gatewayUrl: sockets.url } })
  await s.app.listen({ host: '127.0.0.1', port: 0 })
  const base = `http://${addressOf(s)}`

  await t.test('the proxy passes a request to intake and returns its answer', async (t) => {
    const answer = await fetch(`${base}/api/v1/webhooks/incoming/svc_secret-1?a=b%20c&a=d`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-request-id': 'mine',
        'x-forwarded-for': '1.2.3.4',
        'user-agent': 'Alertmanager/0.27'
      },
      body: 'title=%C3%A9&severity=info'
    })
    t.equal(answer.status, 429)
    t.same(await answer.json(), { bytes: 26 })
    t.equal(answer.headers.get('retry-after'), '17')
    t.equal(answer.headers.get('x-ratelimit-name'), 'ingest_tenant')
    t.match(intake.seen.at(-1), {
      method: 'POST',
      url: '/api/v1/webhooks/incoming/svc_secret-1?a=b%20c&a=d',
      text: 'title=%C3%A9&severity=info',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-request-id': 'mine',
        'x-forwarded-for': '127.0.0.1',
        'user-agent': 'Alertmanager/0.27'
      }
    })
  })

  await t.test('the proxy leaves every method, type and path of intake to intake', async (t) => {
    const cases: [string, string, Record<string, string>, string | undefined][] = [
      ['GET', '/api/v1/webhooks/incoming/svc_x?monitorID=1', {}, undefined],
      ['PUT', '/api/v1/webhook/alertmanager', { authorization: 'Bearer svc_y', 'content-type': 'text/xml' }, '<x/>'],
      ['POST', '/api/v1/webhook/prometheus', { 'content-type': 'application/json' }, '{"not":'],
      ['POST', '/api/v1/webhook/alertmanager', {}, ''],
      ['DELETE', '/api/v1/webhooks/incoming/svc_x', {}, undefined],
      ['POST', '/api/v1/webhooks/incoming/', { 'content-type': 'application/json' }, '[]'],
      ['GET', '/api/v1/ping/0198e000-secret-4?rid=0198e000-0000-4000-8000-000000000000', {}, undefined],
      ['HEAD', '/ping/0198e000-secret-4/start', {}, undefined],
      ['HEAD', '/api/v1/ping/k/KEY/backup/7', {}, undefined],
      ['POST', '/ping/KEY/backup/fail', { 'content-type': 'text/x-log' }, 'what went wrong'],
      ['OPTIONS', '/ping/0198e000-secret-4', {}, undefined],
      ['POST', '/api/v1/prober/results', { 'content-encoding': 'gzip', authorization: 'Bearer prober_x' }, 'x']
    ]
    for (const [method, path, headers, body] of cases) {
      const answer = await fetch(base + path, { method, headers, ...(body !== undefined && { body }) })
      t.equal(answer.status, 429, `${method} ${path}`)
      t.match(intake.seen.at(-1), { method, url: path, bytes: body?.length ?? 0 })
    }
    for (const path of ['/api/v1/webhooksx', '/api/v1/pingx', '/ping', '/api/v1/prober/resultsx'])
      t.equal((await fetch(base + path)).status, 404, path)
  })

  await t.test('a body over 2 MiB gets the 413 of intake itself', async (t) => {
    for (const size of [TWO_MIB, TWO_MIB + 1, 3 * TWO_MIB, 10 * TWO_MIB]) {
      const answer = await post(base, '/api/v1/webhooks/incoming/svc_x', Buffer.alloc(size, 'x'))
      t.equal(answer.status, size > TWO_MIB ? 413 : 429, `${size} bytes`)
      if (size > TWO_MIB) t.match(answer, { body: '{"code":"BODY_TOO_LARGE"}', headers: { 'x-door': 'yes' } })
    }
  })

  await t.test('a sender that aborts is aborted at intake too', async (t) => {
    const before = intake.seen.length
    const sending = httpRequest(`${base}/api/v1/webhooks/incoming/svc_x`, { method: 'POST', headers: { 'content-length': '1000' } })
    sending.on('error', () => undefined) // The test breaks it off.
    sending.write('{"title":')
    const entry = await until('the door sees it', () => intake.seen.length > before && intake.seen.at(-1))
    sending.destroy()
    await until('the door is told', () => entry.aborted)
    t.pass()
  })

  await t.test('the WebSocket proxy passes query, cookie and origin, and frames both ways', async (t) => {
    const client = new WebSocket(`ws://${addressOf(s)}/api/v1/ws?token=service_secret-2&channels=a,b`, {
      headers: { cookie: 'service_session=c', origin: base, 'x-forwarded-for': '1.2.3.4' }
    })
    const [[far]] = await Promise.all([once(sockets.server, 'connection'), once(client, 'open')])
    const upgrade = sockets.upgrades.at(-1)
    t.equal(upgrade?.url, '/api/v1/ws?token=service_secret-2&channels=a,b')
    t.match(upgrade?.headers, { cookie: 'service_session=c', origin: base, host: addressOf(s), 'x-forwarded-for': '127.0.0.1' })
    far.send('{"type":"hello"}')
    t.equal(String((await once(client, 'message'))[0]), '{"type":"hello"}')
    client.send('{"action":"subscribe"}')
    t.equal(String((await once(far, 'message'))[0]), '{"action":"subscribe"}')
    far.ping('beat')
    t.equal(String((await once(client, 'ping'))[0]), 'beat', 'PING reaches the client')
    t.equal(String((await once(far, 'pong'))[0]), 'beat', 'and its PONG the gateway')
    far.close(4410, 'credential revoked')
    const [code, reason] = await once(client, 'close')
    t.equal(code, 4410)
    t.equal(String(reason), 'credential revoked')
  })

  await t.test('a refused WebSocket upgrade gets the HTTP answer of the gateway', async (t) => {
    const client = new WebSocket(`ws://${addressOf(s)}/api/v1/ws?token=bad`)
    const [, response] = await once(client, 'unexpected-response')
    t.equal(response.statusCode, 401)
    t.equal(response.headers['www-authenticate'], 'Bearer')
    let body = ''
    for await (const chunk of response) body += chunk
    t.equal(body, '{"code":"UNAUTHENTICATED"}')
  })

  await t.test('when one side of a WebSocket vanishes, the other side is closed', async (t) => {
    const client = new WebSocket(`ws://${addressOf(s)}/api/v1/ws`)
    const [[far]] = await Promise.all([once(sockets.server, 'connection'), once(client, 'open')])
    client.terminate()
    await once(far, 'close')
    const second = new WebSocket(`ws://${addressOf(s)}/api/v1/ws`)
    const [[other]] = await Promise.all([once(sockets.server, 'connection'), once(second, 'open')])
    other.terminate()
    t.equal((await once(second, 'close'))[0], 1006)
  })

  await t.test('a client that does not read slows down the gateway and does not fill our memory', async (t) => {
    const client = new WebSocket(`ws://${addressOf(s)}/api/v1/ws`)
    const [[far]] = await Promise.all([once(sockets.server, 'connection'), once(client, 'open')])
    client.pause()
    const frame = 'x'.repeat(64 * 1024)
    for (let i = 0; i < 1000; i++) far.send(frame)
    await until('the gateway sees what waits', () => far.bufferedAmount > 32 * 1024 * 1024)
    t.ok(far.bufferedAmount > 32 * 1024 * 1024, 'most of 64 MB waits at its source')
    client.terminate()
    await once(far, 'close')
  })

  await t.test('upgrades on other paths or to other protocols get 404', async (t) => {
    const client = new WebSocket(`ws://${addressOf(s)}/api/v1/incidents`)
    const [, response] = await once(client, 'unexpected-response')
    t.equal(response.statusCode, 404)
    response.resume()
    const h2c = await post(base, '/health', undefined, {
      method: 'GET',
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
    })
    t.equal(h2c.status, 404)
  })

  await t.test('no log line contains a token from a URL', async (t) => {
    t.notMatch(s.logged(), /secret-1|secret-2|secret-4|token=|svc_|prober_/)
  })
})

t.test('an unreachable upstream gets 503 in the common error format', async (t) => {
  const s = await stand(t, { config: { intakeUrl: 'http://127.0.0.1:1', gatewayUrl: 'http://127.0.0.1:1' } })
  await s.app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await fetch(`http://${addressOf(s)}/api/v1/webhooks/incoming/svc_secret-3`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' }
  })
  t.equal(answer.status, 503)
  t.match(answer.headers.get('retry-after'), /^[1-9]/)
  const body = (await answer.json()) as Record<string, unknown>
  t.match(body, { code: 'UNAVAILABLE', error: String, request_id: answer.headers.get('x-request-id') as string })
  const client = new WebSocket(`ws://${addressOf(s)}/api/v1/ws?token=service_secret-4`)
  const [, response] = await once(client, 'unexpected-response')
  t.equal(response.statusCode, 503)
  t.match(response.headers, { 'retry-after': '5', 'x-request-id': String })
  let text = ''
  for await (const chunk of response) text += chunk
  t.equal(JSON.parse(text).code, 'UNAVAILABLE')
  t.notMatch(s.logged(), /secret-3|secret-4/)
  t.equal((await s.call(s.acme, 'GET', '/api/v1/incidents')).statusCode, 200, 'and the api works on')
})

/**
 * Posts with Node's own client, which accepts an answer that comes before the whole body is sent.
 */
function post(
  base: string,
  path: string,
  body?: Buffer,
  options: { method?: string; headers?: Record<string, string> } = {}
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    let answered = false
    const sending = httpRequest(
      base + path,
      { method: 'POST', headers: { ...(body && { 'content-length': body.length }) }, ...options },
      (response) => {
        answered = true
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
        response.on('error', reject)
      }
    )
    sending.on('error', (error) => {
      if (!answered) reject(error)
    })
    sending.end(body)
  })
}
