/**
 * What intake and gateway do with requests whose end is ambiguous, sent to them directly. They
 * answer 400 or close the connection, and read nothing that follows. The first tests use the server
 * alone, with a handler that answers at the worst moment. The others use the real doors and a real
 * gateway.
 */
import t from 'tap'
import { createApp } from '../../../services/http/uws.ts'
import type { Teardown } from '../../harness/engines.ts'
import { bytesOf, dial, METHODS, type Outcome, SMUGGLED, type Trick, tricks } from '../../harness/smuggling.ts'
import { until } from '../../harness/until.ts'
import { gatewayStack, handshake } from '../gateway/stack.ts'
import { PATH, stand } from '../intake/stand.ts'

t.jobs = 6

interface Seen {
  method: string
  body: string
}

/**
 * Starts a server that answers as early as it can: a refusal at once, the rest with the last byte
 * of the body.
 */
async function server(t: Teardown): Promise<{ port: number; seen: Map<string, Seen> }> {
  const seen = new Map<string, Seen>()
  const app = createApp()
  app.any('/*', (response, request) => {
    const one: Seen = { method: request.getMethod().toUpperCase(), body: '' }
    seen.set(request.getUrl(), one)
    const answer = (status: string): void => void response.cork(() => response.writeStatus(status).end())
    response.onAborted(() => undefined)
    if (request.getUrl().startsWith('/refused')) return answer('404 Not Found')
    response.onData((chunk, isLast) => {
      one.body += Buffer.from(chunk).toString('latin1')
      if (isLast) answer('200 OK')
    })
  })
  const port = await app.listen('127.0.0.1', 0)
  t.teardown(() => app.close())
  return { port, seen }
}

interface Reader {
  port: number
  path(n: number): string
  /** The request that must not be read after request `n`, and whether it was read. */
  next(n: number): string
  wasRead(n: number, text: string): boolean
}

/**
 * Refusals by our code and by the server itself. The server's current build answers requests of an
 * HTTP version that it does not speak.
 */
const REFUSALS = [400, 505]

/**
 * Sends every trick with every method, all in parallel, because a request that cannot be read at
 * all is closed only after ten seconds. Resolves to the outcome of each request.
 */
async function attempt(
  t: Teardown,
  reader: Reader
): Promise<{ name: string; trick: Trick; method: string; n: number; outcome: Outcome; answers: number[] }[]> {
  const cases = tricks.flatMap((trick) => METHODS.map((method) => ({ trick, method, name: `${method}, ${trick.name}` })))
  return Promise.all(
    cases.map(async ({ trick, method, name }, n) => {
      const line = dial(t, reader.port)
      const bytes = bytesOf(trick, method, reader.path(n))
      if (trick.direct === 'taken') {
        line.socket.write(bytes)
        await until(`an answer to ${name}`, () => line.statuses().length === 1 || line.isClosed())
        line.socket.write(reader.next(n))
        await until(`what follows ${name}`, () => reader.wasRead(n, line.text()) || line.isClosed())
        line.socket.destroy()
      } else {
        line.socket.write(Buffer.concat([bytes, Buffer.from(reader.next(n))]))
        await line.closed
      }
      const answers = line.statuses()
      const outcome = reader.wasRead(n, line.text()) ? 'taken' : answers.some((status) => !REFUSALS.includes(status)) ? 'ended' : 'refused'
      return { name, trick, method, n, outcome, answers }
    })
  )
}

t.test('the bare server never reads a request hidden behind an ambiguous one', async (t) => {
  const { port, seen } = await server(t)
  const results = await attempt(t, {
    port,
    path: (n) => `/case/${n}`,
    next: (n) => `GET /next/${n} HTTP/1.1\r\nHost: a\r\n\r\n`,
    wasRead: (n) => seen.has(`/next/${n}`)
  })
  for (const { name, trick, method, n, outcome } of results) {
    if (trick.direct === 'taken') t.same({ outcome, ...seen.get(`/case/${n}`) }, { outcome: 'taken', method, body: trick.body }, name)
    else if (trick.direct === 'refused') t.same({ outcome, seen: seen.get(`/case/${n}`) }, { outcome: 'refused', seen: undefined }, name)
    else t.not(outcome, 'taken', name)
  }
  t.equal(seen.has('/ping/smuggled'), false)
})

t.test('after an immediate refusal, the rest of the same segment is not read', async (t) => {
  const { port, seen } = await server(t)
  const next = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n'
  const length = `Content-Length: ${next.length}\r\n`
  const heads = {
    'no body': '',
    'a header without a name': `: a\r\n${length}`,
    'the end of the connection': 'Connection: close\r\n',
    'a chunk of no digits': 'Transfer-Encoding: chunked\r\n'
  }
  for (const [name, head] of Object.entries(heads)) {
    const line = dial(t, port)
    line.socket.write(`POST /refused HTTP/1.1\r\nHost: a\r\n${head}\r\n${head.startsWith('T') ? '\r\n\r\n' : ''}${next}`)
    await line.closed
    t.notOk(seen.has('/next'), name)
  }
})

t.test('an answer to a chunked request is complete and ends the connection', async (t) => {
  const { port, seen } = await server(t)
  for (const path of ['/case', '/refused']) {
    const line = dial(t, port)
    line.socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)
    await until('it is read', () => seen.has(path))
    line.socket.write('0\r\n\r\n')
    await line.closed
    t.same(line.statuses(), [path === '/case' ? 200 : 404], path)
    t.match(line.text(), /\r\nconnection: close\r\n/i)
  }
  t.equal(seen.get('/case')?.body, 'hello')
  const endless = dial(t, port)
  endless.socket.write('POST /refused HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n')
  await endless.closed
  t.same(endless.statuses(), [404], 'whose end never comes is answered all the same')
})

t.test('reading a header of a request after its handler throws an error', async (t) => {
  const app = createApp()
  let kept: { getHeader(name: string): string } | undefined
  app.any('/*', (response, request) => {
    kept = request
    const text = ['x-a', 'x-b', 'x-c'].map((name) => request.getHeader(name)).join('|')
    response.cork(() => response.end(text))
  })
  const port = await app.listen('127.0.0.1', 0)
  t.teardown(() => app.close())
  const line = dial(t, port)
  line.socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nX-B: 2\r\nx-a: 3\r\n\r\n')
  await until('an answer', () => /\|$/.test(line.text()))
  t.match(line.text(), /\r\n\r\n1, 3\|2\|$/, 'headers that came twice are a list')
  t.throws(() => kept?.getHeader('x-a'), { message: /the request is over/ })
})

t.test('the real doors never read a request hidden behind an ambiguous one', async (t) => {
  const s = await stand(t, { floor: 100_000 })
  const titles = new Set<string>()
  const results = await attempt(t, {
    port: s.port,
    path: () => PATH,
    next: (n) => {
      const body = JSON.stringify({ title: `next ${n}.`, dedup_key: String(n) })
      return `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    },
    wasRead: (n) => {
      for (const { title } of s.records.length > titles.size ? s.alerts() : []) titles.add(title)
      return titles.has(`next ${n}.`)
    }
  })
  for (const { name, trick, outcome, answers } of results) {
    if (trick.direct === 'taken') t.equal(outcome, 'taken', name)
    else if (trick.direct === 'refused') t.equal(outcome, 'refused', `${name}: ${answers}`)
    else t.not(outcome, 'taken', name)
  }
})

t.test('a real gateway never reads a request hidden behind an ambiguous one', async (t) => {
  const { gateway } = await gatewayStack(t)
  const results = await attempt(t, {
    port: gateway.port,
    path: () => '/nothing',
    next: () => 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n',
    wasRead: (_n, text) => text.includes('"status":"ok"')
  })
  // For an unknown path, whatever the request, its answer is the last one of the connection.
  for (const { name, trick, outcome, answers } of results) {
    if (trick.direct === 'taken') t.same(answers, [404], name)
    else t.equal(outcome === 'taken' || (trick.direct === 'refused' && outcome !== 'refused'), false, `${name}: ${answers}`)
  }
  for (const lines of [`Content-Length: ${SMUGGLED.length}`, 'Transfer-Encoding: chunked', 'Content-Length: 0']) {
    const line = dial(t, gateway.port)
    line.socket.write(`${handshake('x').replace('Host: x', `Host: x\r\n${lines}`)}${SMUGGLED}GET /health HTTP/1.1\r\nHost: a\r\n\r\n`)
    await line.closed
    t.notMatch(line.text(), /"status":"ok"|HTTP\/1\.1 101/, `a handshake with ${lines}`)
  }
})
