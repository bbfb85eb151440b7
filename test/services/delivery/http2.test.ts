/**
 * HTTP/2 requests to real servers on this machine: one shared connection, and the many ways in
 * which it can end.
 */
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream
} from 'node:http2'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import type { HttpRequest } from '../../../services/channels/channel.ts'
import { createHttpSender } from '../../../services/delivery/http.ts'
import { createAddressGuard } from '../../../services/http/address-guard.ts'
import { createResolver } from '../../../services/http/resolve.ts'
import { certificate } from '../prober/stand.ts'

const LIMITS = { connectMs: 5000, totalMs: 10_000 }

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, nth: number) => void

interface Peer {
  url: string
  server: Http2SecureServer
  sessions: ServerHttp2Session[]
  streams: number
}

/** Starts a server. `answer` gets each request and its number. */
async function peer(
  t: Test,
  answer: Answer,
  settings = {}
): Promise<
  Peer & { send: (over?: Partial<HttpRequest>, limits?: typeof LIMITS) => ReturnType<ReturnType<typeof createHttpSender>['send']> }
> {
  const { key, cert } = certificate(t)
  const server = createSecureServer({ key, cert, settings })
  const one: Peer = { url: '', server, sessions: [], streams: 0 }
  server.on('session', (session) => {
    one.sessions.push(session)
    session.on('error', () => undefined)
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    stream.resume()
    answer(stream, headers, ++one.streams)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  one.url = `https://localhost:${(server.address() as AddressInfo).port}`
  const sender = createHttpSender({
    guard: createAddressGuard({ open: [], closed: [], own: [] }),
    resolve: createResolver(),
    allowHttp: false,
    ca: cert
  })
  t.teardown(async () => {
    sender.close()
    for (const session of one.sessions) session.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const request: HttpRequest = { via: 'http', method: 'POST', url: '', headers: {}, body: '{}', secrets: [], guarded: false, http2: true }
  return Object.assign(one, {
    send: (over: Partial<HttpRequest> = {}, limits = LIMITS) => sender.send({ ...request, url: `${one.url}/path?x=1`, ...over }, limits)
  })
}

const say = (stream: ServerHttp2Stream, text = 'taken', status = 200): void => {
  if (stream.destroyed) return
  stream.respond({ ':status': status, 'x-name': 'value' })
  stream.end(text)
}

t.test('many requests share one connection, even if the peer allows few at once', async (t) => {
  const seen: string[] = []
  const one = await peer(
    t,
    (stream, headers) => {
      seen.push(`${headers[':method']} ${headers[':path']} ${headers['content-length']}`)
      setImmediate(() => say(stream))
    },
    { maxConcurrentStreams: 2 }
  )
  const replies = await Promise.all(Array.from({ length: 30 }, () => one.send()))
  t.same(new Set(replies.map(({ status, body }) => `${status} ${body}`)), new Set(['200 taken']))
  t.match(replies[0]?.headers, { 'x-name': 'value' })
  t.notOk(Object.keys(replies[0]?.headers ?? {}).some((name) => name.startsWith(':')))
  t.same(new Set(seen), new Set(['POST /path?x=1 2']))
  t.equal(one.sessions.length, 1)
  await one.send({ method: 'GET', body: null })
  t.equal(one.sessions.length, 1)
})

t.test('after a GOAWAY, a request that was not processed goes to a new connection', async (t) => {
  const one = await peer(t, (stream, _headers, nth) => {
    if (nth === 2) return stream.session?.goaway(0, 1) // The peer took only the first stream.
    say(stream, `to ${nth}`)
  })
  t.match(await one.send(), { status: 200, body: 'to 1' })
  t.match(await one.send(), { status: 200, body: 'to 3' })
  t.equal(one.sessions.length, 2)
  for (const session of one.sessions) session.destroy()
  t.match(await one.send(), { status: 200, body: 'to 4' })
  t.equal(one.sessions.length, 3)
})

t.test('a refused stream is sent once more, then fails', async (t) => {
  const REFUSED = 7
  const one = await peer(t, (stream, _headers, nth) => {
    if (nth !== 2) stream.close(REFUSED)
    else say(stream)
  })
  t.match(await one.send(), { status: 200 })
  await t.rejects(one.send(), { name: 'SendFailure', kind: 'network', ambiguous: false })
  t.equal(one.streams, 4)
})

t.test('a failure is ambiguous only if the request may have arrived', async (t) => {
  const one = await peer(t, (stream, _headers, nth) => {
    if (nth === 1) return // Never.
    if (nth === 2) return stream.session?.destroy()
    stream.respond({ ':status': 200 })
    stream.write('half')
    stream.session?.destroy()
  })
  await t.rejects(one.send({}, { connectMs: 300, totalMs: 300 }), { name: 'SendFailure', kind: 'timeout', ambiguous: true })
  await t.rejects(one.send(), { name: 'SendFailure', kind: 'network', ambiguous: true })
  await t.rejects(one.send(), { name: 'SendFailure', kind: 'network', ambiguous: true }, 'cut within the answer')
  await t.rejects(one.send({ url: 'https://localhost:1/' }), { name: 'SendFailure', kind: 'network', ambiguous: false }, 'nobody is there')
  const silent = createServer()
  const sockets = new Set<Socket>()
  silent.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const url = `https://localhost:${(silent.address() as AddressInfo).port}/`
  await t.rejects(
    one.send({ url }, { connectMs: 200, totalMs: 10_000 }),
    { name: 'SendFailure', kind: 'timeout', ambiguous: false },
    'nobody answers'
  )
})

t.test('a long answer is cut, and an untrusted certificate or a guarded request is refused', async (t) => {
  const one = await peer(t, (stream) => say(stream, 'x'.repeat(200_000)))
  t.equal((await one.send()).body.length, 65_536)
  t.equal((await one.send()).body.length, 65_536, 'and the connection goes on')
  t.equal(one.sessions.length, 1)
  await t.rejects(one.send({ guarded: true }), { name: 'SendFailure', kind: 'unsupported' })
  await t.rejects(one.send({ url: 'https://user:word@localhost/' }), { name: 'SendFailure', kind: 'blocked_target' })
  const other = await peer(t, (stream) => say(stream))
  await t.rejects(one.send({ url: other.url }), { name: 'SendFailure', kind: 'tls_untrusted', ambiguous: false })
  t.equal(other.streams, 0)
})
