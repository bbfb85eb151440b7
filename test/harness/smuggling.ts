/**
 * Requests that two readers could understand differently (request smuggling): methods combined with
 * framing tricks, as bytes. Each trick says how each reader of this project must treat it.
 * `recorder` is an upstream written for these tests. It notes what it reads and shares no parser
 * with the code under test.
 */
import { connect, createServer, type Socket } from 'node:net'
import type { Teardown } from './engines.ts'

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** A request inside a body. It must be read as part of the body. */
export const SMUGGLED = 'GET /ping/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'

/**
 * taken    is one plain request with `body`; its connection may continue
 * ended    may be read as one request, after which the connection ends
 * refused  gets 400, 505 or a close, and never reaches the upstream
 */
export type Outcome = 'taken' | 'ended' | 'refused'

export interface Trick {
  name: string
  /** Header lines other than Host. */
  lines: readonly string[]
  /** The bytes after the headers. */
  sent: string
  /** The body that is read if the request is taken. */
  body: string
  /** What the local proxy does. It forwards what it takes. */
  proxied: Outcome
  /** What intake and gateway do themselves. */
  direct: Outcome
  /** The first line and Host, if they are the trick. */
  start?: (method: string, path: string) => string
}

const chunked = (body: string, size = body.length.toString(16)): string => `${size}\r\n${body}\r\n0\r\n\r\n`
const LENGTH = `Content-Length: ${SMUGGLED.length}`
const CHUNKED = 'Transfer-Encoding: chunked'

type Judged = Pick<Trick, 'proxied' | 'direct'>
const plain: Judged = { proxied: 'taken', direct: 'taken' }
const bad: Judged = { proxied: 'refused', direct: 'refused' }

const withBody = (name: string, lines: readonly string[], judged: Judged = bad): Trick => ({
  name,
  lines,
  sent: SMUGGLED,
  body: SMUGGLED,
  ...judged
})
const inChunks = (name: string, lines: readonly string[], judged: Judged = bad, sent = chunked(SMUGGLED)): Trick => ({
  name,
  lines,
  sent,
  body: SMUGGLED,
  ...judged
})
const bare = (name: string, lines: readonly string[], judged: Judged, start?: Trick['start']): Trick => ({
  name,
  lines,
  sent: '',
  body: '',
  ...judged,
  ...(start && { start })
})

export const tricks: readonly Trick[] = [
  bare('no body', [], plain),
  withBody('a length', [LENGTH], plain),
  withBody('a length with zeros before it', [`Content-Length: 00${SMUGGLED.length}`], plain),
  bare('a length of 0', ['Content-Length: 0'], plain),
  inChunks('chunks', [CHUNKED], { proxied: 'taken', direct: 'ended' }),
  inChunks('chunks, in other letters', ['tRANSFER-eNCODING:CHUNKED'], { proxied: 'taken', direct: 'ended' }),
  inChunks(
    'an extension of a chunk',
    [CHUNKED],
    { proxied: 'taken', direct: 'ended' },
    chunked(SMUGGLED, `${SMUGGLED.length.toString(16)};a=b`)
  ),
  inChunks(
    'trailers',
    [CHUNKED],
    { proxied: 'taken', direct: 'ended' },
    `${chunked(SMUGGLED).slice(0, -2)}X: /ping/smuggled HTTP/1.1\r\nHost: a\r\n\r\n`
  ),

  withBody('Connection names the length', ['Connection: content-length', LENGTH], { proxied: 'refused', direct: 'taken' }),
  withBody('Connection names the length among others', ['Connection: keep-alive, Content-Length ,x', LENGTH], {
    proxied: 'refused',
    direct: 'taken'
  }),
  withBody('a second Connection names the length', ['Connection: keep-alive', 'Connection: CONTENT-LENGTH', LENGTH], {
    proxied: 'refused',
    direct: 'taken'
  }),
  inChunks('Connection names the coding', ['Connection: transfer-encoding', CHUNKED], { proxied: 'refused', direct: 'ended' }),
  bare('Connection names the host', ['Connection: host'], { proxied: 'refused', direct: 'taken' }),

  inChunks('a length, then chunks', ['Content-Length: 4', CHUNKED]),
  inChunks('chunks, then a length', [CHUNKED, 'Content-Length: 4']),
  inChunks('an empty length, then chunks', ['Content-Length:', CHUNKED]),
  withBody('an empty coding, then a length', ['Transfer-Encoding:', LENGTH]),
  withBody('two equal lengths', [LENGTH, LENGTH]),
  withBody('two lengths, the first right', [LENGTH, 'Content-Length: 0']),
  withBody('two lengths, the second right', ['Content-Length: 0', LENGTH]),
  withBody('lengths in a list', [`Content-Length: ${SMUGGLED.length}, ${SMUGGLED.length}`]),
  withBody('an empty length', ['Content-Length:']),
  withBody('a length with a sign', [`Content-Length: +${SMUGGLED.length}`]),
  withBody('a negative length', [`Content-Length: -${SMUGGLED.length}`]),
  withBody('a length in hex', [`Content-Length: 0x${SMUGGLED.length.toString(16)}`]),
  withBody('a length with a fraction', [`Content-Length: ${SMUGGLED.length}.0`]),
  withBody('a length with a space inside', ['Content-Length: 4 0']),
  withBody('a length of 2^64 and more', [`Content-Length: ${2n ** 64n + BigInt(SMUGGLED.length)}`]),
  withBody('a space before the colon of the length', [`Content-Length : ${SMUGGLED.length}`]),

  inChunks('a coding that is none', ['Transfer-Encoding: identity']),
  inChunks('an unknown coding', ['Transfer-Encoding: xchunked']),
  inChunks('a coding in quotes', ['Transfer-Encoding: "chunked"']),
  inChunks('two codings in a list', ['Transfer-Encoding: gzip, chunked']),
  inChunks('chunks that are not last', ['Transfer-Encoding: chunked, gzip']),
  inChunks('chunks twice', [CHUNKED, CHUNKED]),
  inChunks('chunks and another coding', [CHUNKED, 'Transfer-Encoding: identity']),
  inChunks('an empty coding', ['Transfer-Encoding:']),
  inChunks('an empty coding, then chunks', ['Transfer-Encoding:', CHUNKED]),
  inChunks('a vertical tab before the coding', ['Transfer-Encoding: \x0bchunked']),
  inChunks('a space before the colon of the coding', ['Transfer-Encoding : chunked']),
  inChunks('a coding in a folded line', ['Transfer-Encoding:\r\n chunked']),
  inChunks('chunks in HTTP/1.0', [CHUNKED], bad),
  inChunks('a letter that is no digit of a chunk', [CHUNKED], { proxied: 'ended', direct: 'ended' }, chunked('0123456789abcdef', 'g')),
  inChunks(
    'a sign before a chunk',
    [CHUNKED],
    { proxied: 'ended', direct: 'ended' },
    chunked(SMUGGLED, `+${SMUGGLED.length.toString(16)}`)
  ),
  inChunks('0x before a chunk', [CHUNKED], { proxied: 'ended', direct: 'ended' }, chunked(SMUGGLED, `0x${SMUGGLED.length.toString(16)}`)),
  inChunks('a chunk of 2^64 and more', [CHUNKED], { proxied: 'ended', direct: 'ended' }, chunked(SMUGGLED, `1${'0'.repeat(14)}28`)),
  inChunks(
    'a chunk that ends elsewhere',
    [CHUNKED],
    { proxied: 'ended', direct: 'ended' },
    `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}XX0\r\n\r\n`
  ),
  inChunks('chunks with bare line feeds', [CHUNKED], { proxied: 'ended', direct: 'ended' }, chunked(SMUGGLED).replaceAll('\r\n', '\n')),
  inChunks(
    'a line feed ends an extension',
    [CHUNKED],
    { proxied: 'ended', direct: 'ended' },
    chunked(SMUGGLED, `${SMUGGLED.length.toString(16)};a\nb`)
  ),

  withBody('a folded line', ['X: a', ' b', LENGTH]),
  withBody('a line that begins with a space', [` ${LENGTH}`]),
  withBody('a header without a name', [': a', LENGTH], { proxied: 'refused', direct: 'ended' }),
  withBody('a header without a colon', ['X', LENGTH]),
  withBody('a bare line feed', [`X: a\n${LENGTH}`]),
  withBody('a bare carriage return', [`X: a\r${LENGTH}`]),
  withBody('a NUL', ['X: a\0b', LENGTH]),
  withBody('a NUL in a name', ['X\0: a', LENGTH]),
  bare('two hosts', ['Host: b'], bad),
  bare('no host', [], bad, (method, path) => `${method} ${path} HTTP/1.1`),
  bare('no line feed', [], bad, (method, path) => `${method} ${path} HTTP/1.1\rHost: a`),
  bare('an address for a target', [], bad, (method, path) => `${method} http://b${path} HTTP/1.1\r\nHost: a`),
  bare('an authority for a target', [], bad, (method) => `${method} b:80 HTTP/1.1\r\nHost: a`),
  bare('a target that is no path', [], bad, (method, path) => `${method} ${path.slice(1)} HTTP/1.1\r\nHost: a`),
  bare('an asterisk for a target', [], bad, (method) => `${method} * HTTP/1.1\r\nHost: a`),
  bare(
    'a method in other letters',
    [],
    { proxied: 'refused', direct: 'ended' },
    (method, path) => `${method.toLowerCase()} ${path} HTTP/1.1\r\nHost: a`
  ),
  bare('a method that is none', [], { proxied: 'refused', direct: 'ended' }, (method, path) => `${method}@ ${path} HTTP/1.1\r\nHost: a`),
  bare('CONNECT', [], { proxied: 'refused', direct: 'ended' }, (_method, path) => `CONNECT ${path} HTTP/1.1\r\nHost: a`),
  bare('TRACE', [], { proxied: 'refused', direct: 'ended' }, (_method, path) => `TRACE ${path} HTTP/1.1\r\nHost: a`),
  bare('no version', [], bad, (method, path) => `${method} ${path}`),
  bare('another version', [], bad, (method, path) => `${method} ${path} HTTP/1.2\r\nHost: a`),
  withBody('an upgrade', ['Connection: Upgrade', 'Upgrade: websocket', LENGTH], { proxied: 'refused', direct: 'taken' }),
  withBody('an upgrade that Connection does not name', ['Upgrade: websocket', LENGTH], { proxied: 'refused', direct: 'taken' })
]

/** Returns the bytes of one request. */
export function bytesOf({ start, name, lines, sent }: Trick, method: string, path: string): Buffer {
  const version = name.endsWith('HTTP/1.0') ? '1.0' : '1.1'
  const first = start?.(method, path) ?? `${method} ${path} HTTP/${version}\r\nHost: a`
  return Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n${sent}`, 'latin1')
}

export interface Read {
  method: string
  path: string
  body: string
  /** Header names in lower case, with their values. */
  headers: [name: string, value: string][]
}

export interface Recorder {
  port: number
  /** Complete requests, in the order in which they ended. */
  read: Read[]
  /** Bytes that are not a request. */
  faults: string[]
  /** Connections so far. */
  connections(): number
}

/**
 * Reads requests strictly by RFC 9112. Answers each with what it read, as JSON, or with the result
 * of `answer`.
 */
export async function recorder(t: Teardown, answer: (read: Read, socket: Socket) => string = echo): Promise<Recorder> {
  const [read, faults]: [Read[], string[]] = [[], []]
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    let held = ''
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy()) // The proxy may close midway.
    socket.on('data', (bytes) => {
      held += bytes.toString('latin1')
      for (;;) {
        const next = firstOf(held)
        if (next === null) return
        if (typeof next === 'string') {
          faults.push(next)
          socket.destroy()
          return
        }
        held = next.rest
        read.push(next.read)
        socket.write(answer(next.read, socket), 'latin1')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, read, faults, connections: () => connections }
}

export function echo({ method, path, body }: Read): string {
  const text = JSON.stringify({ method, path, body })
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nuWebSockets: 20\r\nContent-Length: ${text.length}\r\n\r\n`
  return method === 'HEAD' ? head : head + text
}

/**
 * Returns the first request in `held` and the bytes after it; null if it is not complete; a string
 * if it is not a valid request.
 */
function firstOf(held: string): { read: Read; rest: string } | string | null {
  const end = held.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = held.slice(0, end).split('\r\n')
  const [, method = '', path = ''] = /^([A-Z]+) (\/[!-~]*) HTTP\/1\.1$/.exec(first) ?? []
  if (method === '') return `no request: ${first}`
  const headers: Read['headers'] = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^([\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name === '') return `no header: ${line}`
    headers.push([name.toLowerCase(), value])
  }
  const all = (name: string): string[] => headers.flatMap(([key, value]) => (key === name ? [value] : []))
  const [hosts, lengths, codings] = [all('host'), all('content-length'), all('transfer-encoding')]
  if (hosts.length !== 1 || lengths.length + codings.length > 1) return `not plain: ${held.slice(0, end)}`
  let rest = held.slice(end + 4)
  if (codings.length > 0) {
    if (codings[0] !== 'chunked') return `a coding: ${codings[0]}`
    const taken = fromChunks(rest)
    return taken === null || typeof taken === 'string' ? taken : { read: { method, path, headers, body: taken.body }, rest: taken.rest }
  }
  if (lengths.length > 0 && !/^\d+$/.test(lengths[0] ?? '')) return `a length: ${lengths[0]}`
  const length = Number(lengths[0] ?? 0)
  if (rest.length < length) return null
  const body = rest.slice(0, length)
  rest = rest.slice(length)
  return { read: { method, path, headers, body }, rest }
}

function fromChunks(text: string): { body: string; rest: string } | string | null {
  let [at, body] = [0, '']
  for (;;) {
    const line = text.indexOf('\r\n', at)
    if (line < 0) return null
    const size = text.slice(at, line)
    if (!/^[0-9a-fA-F]{1,8}$/.test(size)) return `a chunk: ${size}`
    const [from, length] = [line + 2, Number.parseInt(size, 16)]
    if (text.length < from + length + 2) return null
    if (text.slice(from + length, from + length + 2) !== '\r\n') return 'a chunk without an end'
    body += text.slice(from, from + length)
    at = from + length + 2
    if (length === 0) return { body, rest: text.slice(at) }
  }
}

export interface Line {
  socket: Socket
  text(): string
  /** Status codes received so far. */
  statuses(): number[]
  closed: Promise<void>
  isClosed(): boolean
}

/** Opens a connection to write bytes to. This side never ends it before teardown. */
export function dial(t: Teardown, port: number): Line {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  t.teardown(() => socket.destroy())
  let text = ''
  let isClosed = false
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => undefined) // A reset is a close.
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isClosed = true
      resolve()
    })
  })
  return {
    socket,
    text: () => text,
    statuses: () => [...text.matchAll(/(?:^|[\s}])HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code)),
    closed,
    isClosed: () => isClosed
  }
}
