/**
 * The reverse proxy as it runs: Debian's Caddy with compose/Caddyfile, certificates of its own
 * authority, and small servers in place of the three roles. It tests where each address leads,
 * which names get a certificate, what is compressed and what is logged.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { WebSocket, WebSocketServer } from 'ws'
import { createMetrics, serveMetrics } from '../../services/process/metrics.ts'
import { program } from '../harness/debian.ts'
import { freePorts } from '../harness/free-ports.ts'
import { dial } from '../harness/smuggling.ts'
import { until } from '../harness/until.ts'
import { composeFile } from './stack.ts'

/** Caddy may have to be installed first. */
t.setTimeout(880_000)

const PUBLIC = 'alerts.example.test'
const NAMED = ['status.example.test', 'late.example.test']
const LONG = 'all is well. '.repeat(200)

const folder = mkdtempSync(join(tmpdir(), 'caddy-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

interface Seen {
  by: string
  headers: IncomingHttpHeaders
}

const asks: string[] = []

/**
 * Starts a server that answers with its name and the request it received. `/long`, `/packed` and
 * `/assets/` answer like the api's text, documentation and files. It closes the connection on
 * `x-hang-up`.
 */
async function upstream(by: string): Promise<number> {
  const server = createServer(({ method, url, headers }, response) => {
    asks.push(`${method} ${url}`)
    if (headers['x-hang-up']) response.destroy()
    else if (url === '/long') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(LONG)
    else if (url === '/packed')
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' }).end(gzipSync(LONG))
    else if (url?.startsWith('/assets/'))
      response
        .writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=31536000, immutable' })
        .end(LONG)
    else
      response.writeHead(200, { 'content-type': 'application/json', uwebsockets: '20' }).end(JSON.stringify({ by, headers } satisfies Seen))
  })
  new WebSocketServer({ server }).on('connection', (socket, { headers }) => {
    socket.on('message', (text) => socket.send(`${by} ${headers.host} ${text}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const roles = ['api', 'intake', 'gateway']
const ports = new Map(await Promise.all(roles.map(async (role) => [role, await upstream(role)] as const)))
const asked: string[] = []
const internal = await serveMetrics(createMetrics(), {
  port: 0,
  ready: () => ({}),
  serves: (domain) => {
    asked.push(domain)
    return NAMED.includes(domain)
  }
})
const [http = 0, https = 0, inside = 0] = await freePorts(3)

/** The Caddyfile with the ports of this test and a local certificate authority. */
function configuration(): string {
  const put = (text: string, [find, by]: readonly [string | RegExp, string]): string => {
    if (typeof find === 'string' ? !text.includes(find) : !find.test(text)) throw new Error(`the Caddyfile has no ${find}`)
    return text.replaceAll(find, by)
  }
  const globals = ['local_certs', 'skip_install_trust', 'default_bind 127.0.0.1', `http_port ${http}`, `https_port ${https}`]
  return [
    ...roles.map((role) => [new RegExp(`dynamic a ${role} \\d+ \\{[^}]*\\}`, 'g'), `to 127.0.0.1:${ports.get(role)}`] as const),
    ['ask http://api:9464/', `ask http://127.0.0.1:${internal.port}/`] as const,
    ['http://:8090', `http://:${inside}`] as const,
    ['admin off', ['admin off', ...globals, `storage file_system ${folder}`].join('\n')] as const
  ].reduce(put, composeFile('Caddyfile'))
}

const file = join(folder, 'Caddyfile')
writeFileSync(file, configuration())
const caddy = await program('caddy', 'caddy')
const child = spawn(caddy, ['run', '--config', file, '--adapter', 'caddyfile'], {
  env: { PATH: process.env.PATH, HOME: folder, SERVICE_PUBLIC_URL: `https://${PUBLIC}` }
})
let log = ''
for (const pipe of [child.stdout, child.stderr]) {
  pipe.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
}
t.teardown(async () => {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode === null && child.kill()) await ended
  await internal.close()
})

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The names in the certificate. */
  names: string
}

/** Root certificate of Caddy's own authority, the only one that requests trust. */
const trust = (): Buffer => readFileSync(join(folder, 'pki/authorities/local/root.crt'))

const ask = (host: string, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: https, path, servername: host, ca: trust(), agent: false, headers: { host, ...headers } }
    request(options, (response) => {
      const parts: Buffer[] = []
      const { socket } = response as typeof response & { socket: TLSSocket }
      const names = socket.getPeerCertificate().subjectaltname ?? ''
      response
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts), names }))
        .on('error', reject)
    })
      .on('error', reject)
      .end()
  })

const seen = async (host: string, path: string, headers?: Record<string, string>): Promise<Seen> =>
  JSON.parse((await ask(host, path, headers)).body.toString())

const certificate = (host: string): boolean => existsSync(join(folder, 'certificates/local', host, `${host}.crt`))

await until('Caddy with the certificate of the public address', () => {
  if (child.exitCode !== null) throw new Error(log)
  // The file exists before Caddy has loaded it, and handshakes are refused until then.
  return certificate(PUBLIC) && ask(PUBLIC, '/').catch(() => null)
})

const paths: readonly [path: string, role: string][] = [
  ['/', 'api'],
  ['/incidents/INC-1', 'api'],
  ['/api/v1/incidents', 'api'],
  ['/api/v1/prober/assignments', 'api'],
  ['/docs/operations', 'api'],
  ['/api/v1/webhooks/generic/t', 'intake'],
  ['/api/v1/alertmanager/t', 'intake'],
  ['/api/v1/opsgenie/v2/alerts', 'intake'],
  ['/ping/k/nightly', 'intake'],
  ['/api/v1/prober/results', 'intake'],
  ['/api/v1/ws', 'gateway']
]

t.test('each path reaches its role by the public address, a named domain and the internal port', async (t) => {
  for (const [path, role] of paths) {
    for (const host of [PUBLIC, NAMED[0] ?? '']) {
      const { by, headers } = await seen(host, path, { 'x-forwarded-for': '203.0.113.9' })
      t.equal(by, role, `${host}${path}`)
      t.match(headers, { host, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' })
    }
    t.equal(((await (await fetch(`http://127.0.0.1:${inside}${path}`)).json()) as Seen).by, role, `inside ${path}`)
  }
})

t.test('the proxy removes the uwebsockets header both ways and request headers with underscores', async (t) => {
  for (const [path, role] of paths) {
    const { headers, body } = await ask(PUBLIC, path, { uwebsockets: '1', x_y: '2', 'x-z': '3' })
    if (role === 'api') continue // Another server answers it.
    t.equal(headers.uwebsockets, undefined, path)
    const seen = (JSON.parse(body.toString()) as Seen).headers
    t.same([seen.uwebsockets, seen.x_y, seen['x-z']], [undefined, undefined, '3'], 'and headers that it cannot read stay away from it')
  }
})

t.test('a Connection header smuggles no second request, and two lengths get 400', async (t) => {
  const hidden = 'GET /ping/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST']) {
    const line = dial(t, inside)
    const head = `${method} /ping/k/nightly HTTP/1.1\r\nHost: a\r\nConnection: content-length\r\nContent-Length: ${hidden.length}`
    line.socket.write(`${head}\r\n\r\n${hidden}`)
    await until('an answer', () => line.statuses().length > 0)
    t.same([line.statuses(), asks.at(-1)], [[200], `${method} /ping/k/nightly`])
    const faulty = dial(t, inside)
    faulty.socket.write(`${head}\r\nContent-Length: 0\r\n\r\n${hidden}`)
    await faulty.closed
    t.same(faulty.statuses(), [400])
  }
  t.notOk(asks.includes('GET /ping/smuggled'))
})

t.test('a ping whose answer is lost is not sent a second time', async (t) => {
  const times = (path: string): number => asks.filter((asked) => asked.endsWith(` ${path}`)).length
  for (const method of ['GET', 'HEAD', 'POST']) {
    // Leaves a connection to the service open, if Caddy keeps one.
    await fetch(`http://127.0.0.1:${inside}/ping/k/first`, { method })
    const path = `/ping/k/lost-${method}/3`
    t.equal((await fetch(`http://127.0.0.1:${inside}${path}`, { method, headers: { 'x-hang-up': 'yes' } })).status, 502)
    t.equal(times(path), 1, method)
  }
})

t.test('a ping by plain HTTP reaches intake, and everything else is redirected to HTTPS', async (t) => {
  const plain = (host: string, method: string, path: string) =>
    new Promise<{ status: number; location: string; body: string }>((resolve, reject) => {
      const asking = requestPlain({ port: http, host: '127.0.0.1', method, path, headers: { host, 'x-forwarded-for': '203.0.113.9' } })
      asking.once('error', reject).once('response', (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? '', body: Buffer.concat(parts).toString() })
        )
      })
      asking.end()
    })
  // The public address too: Caddy redirects the names of its HTTPS sites by itself, if it may.
  for (const host of [PUBLIC, NAMED[0] ?? '', '127.0.0.1']) {
    for (const path of ['/ping/k/nightly', '/api/v1/ping/t/3?rid=x'])
      for (const method of ['GET', 'POST']) {
        const { status, body } = await plain(host, method, path)
        t.equal(status, 200, `${method} ${host}${path}`)
        t.match(JSON.parse(body), { by: 'intake', headers: { 'x-forwarded-for': '127.0.0.1' } })
      }
    for (const path of ['/', '/incidents', '/api/v1/incidents', '/api/v1/webhooks/generic/t', '/pinger'])
      t.match(await plain(host, 'GET', path), { status: 308, location: `https://${host}${path}` })
  }
})

t.test('a WebSocket reaches the gateway by the public address and by a named domain', async (t) => {
  for (const host of [PUBLIC, NAMED[0] ?? '']) {
    const socket = new WebSocket(`wss://127.0.0.1:${https}/api/v1/ws`, {
      agent: new Agent({ servername: host, ca: trust() }),
      headers: { host }
    })
    const said = new Promise((resolve, reject) => socket.once('message', (text) => resolve(String(text))).once('error', reject))
    socket.once('open', () => socket.send('hello'))
    t.equal(await said, `gateway ${host} hello`)
    socket.terminate()
  }
})

t.test('text is compressed if the client accepts it, and never twice', async (t) => {
  const gzip = { 'accept-encoding': 'gzip' }
  const long = await ask(PUBLIC, '/long', gzip)
  t.match(long.headers, { 'content-encoding': 'gzip', vary: /accept-encoding/i })
  t.ok(long.body.length < LONG.length / 10)
  t.match((await ask(PUBLIC, '/long', { 'accept-encoding': 'gzip, br, zstd' })).headers, { 'content-encoding': 'zstd' })
  t.match(await ask(PUBLIC, '/long'), { headers: { 'content-encoding': undefined }, body: Buffer.from(LONG) })
  t.same((await ask(PUBLIC, '/packed', gzip)).body, gzipSync(LONG), 'what the api compressed is not compressed again')
  t.match((await ask(NAMED[0] ?? '', '/assets/index-1a2b.js', gzip)).headers, {
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=31536000, immutable'
  })
})

t.test('the public address and named domains get a certificate, and other names get none', async (t) => {
  t.notOk(asked.includes(PUBLIC), 'the public address needs no question')
  t.notOk(certificate('late.example.test'))
  t.equal((await ask('late.example.test', '/')).names, 'DNS:late.example.test')
  t.ok(certificate('late.example.test') && asked.includes('late.example.test'))

  for (const stranger of ['stranger.example.test', 'example.test', `a.${NAMED[0]}`]) {
    await t.rejects(ask(stranger, '/'), { message: /alert/ }, `${stranger}: the handshake is refused`)
    t.ok(asked.includes(stranger), 'because the api was asked')
    t.notOk(certificate(stranger))
  }
  await t.rejects(ask('', '/'), 'nor for who names none')
})

t.test('the proxy log holds no token, no request path and no unknown host name', async (t) => {
  t.equal((await ask(PUBLIC, '/api/v1/webhooks/generic/token-of-an-integration', { 'x-hang-up': 'yes' })).status, 502)
  await t.rejects(ask('stranger.example.test', '/'))
  await until('a line about the failure', () => log.includes('"status":502'))
  t.notMatch(log, /token-of-an-integration|webhooks/)
  t.notMatch(log, /stranger\.example\.test/)
})

t.test('while the api is down, no new certificate is issued and existing ones work', async (t) => {
  await internal.close()
  NAMED.push('new.example.test')
  await t.rejects(ask('new.example.test', '/'))
  t.notOk(certificate('new.example.test'))
  t.equal((await ask(NAMED[0] ?? '', '/')).status, 200, 'those that there are go on')
})
