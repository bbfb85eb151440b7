import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { HttpConfig } from '../../../../schemas/http/check-types/http.ts'
import type { Assignment } from '../../../../schemas/http/prober.ts'
import { program } from '../../../harness/debian.ts'
import { freePorts } from '../../../harness/free-ports.ts'
import { assignment, certificate, networkOf, tcp } from '../stand.ts'
import type { Case, Stage, TypeCases } from './cases.ts'

interface Pair {
  key: string
  cert: string
}

/** Makes an authority and a client certificate signed by it, with openssl. */
function clientOf(stage: Stage): { authority: string; client: Pair } {
  const folder = mkdtempSync(join(tmpdir(), 'prober-clients-'))
  stage.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const at = (name: string): string => join(folder, name)
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '30', '-subj', '/CN=clients')
  openssl('req', '-new', ...key, '-keyout', at('one.key'), '-out', at('one.csr'), '-subj', '/CN=prober')
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '30']
  openssl('x509', '-req', '-in', at('one.csr'), ...signed, '-out', at('one.pem'))
  const read = (name: string): string => readFileSync(at(name), 'utf8')
  return { authority: at('ca.pem'), client: { key: read('one.key'), cert: read('one.pem') } }
}

interface Ports {
  plain: number
  secured: number
  /** HTTP/2 without TLS. */
  clear: number
  /** The port that asks for a client certificate. */
  closed: number
}

/** Starts nginx as one process. Its configuration contains its answers. */
async function nginx(stage: Stage, pair: Pair, authority: string): Promise<Ports> {
  const file = await program('nginx', 'nginx-light')
  const folder = mkdtempSync(join(tmpdir(), 'prober-nginx-'))
  const [plain = 0, secured = 0, clear = 0, closed = 0] = await freePorts(4)
  writeFileSync(join(folder, 'key.pem'), pair.key)
  writeFileSync(join(folder, 'cert.pem'), pair.cert)
  const site = `
      location = /ok { default_type application/json; return 200 '{"status":"ok","queue":3}'; }
      location = /gone { return 410 'gone'; }
      location = /locked { return 401; }
      location = /loop { return 302 /loop; }
      location = /moved { return 302 /ok; }
      location = /away { return 302 http://127.0.0.1:${plain}/who; }
      location = /who { return 200 'as $http_authorization|$server_protocol|$ssl_client_verify'; }
      location = /slow { limit_rate 300; return 200 '${'x'.repeat(900)}'; }
      location = / { return 200 'front page'; }`
  const tls = `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log crit;
    events { worker_connections 256; }
    http {
      access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      server { listen 127.0.0.1:${plain}; ${site} }
      server { listen 127.0.0.1:${secured} ssl http2; ${tls} ${site} }
      server { listen 127.0.0.1:${clear} http2; ${site} }
      server { listen 127.0.0.1:${closed} ssl http2; ${tls} ssl_client_certificate ${authority}; ssl_verify_client on; ${site} }
    }
`
  )
  const child = spawn(file, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  stage.teardown(async () => {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
    rmSync(folder, { recursive: true, force: true })
  })
  while (child.exitCode === null && !(await answers(plain))) await wait(20)
  if (child.exitCode !== null) throw new Error(`nginx ended: ${readFileSync(join(folder, 'error.log'), 'utf8')}`)
  return { plain, secured, clear, closed }
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    ({ ok }) => ok,
    () => false
  )

const of = (target: string, config: HttpConfig = {}, changes: Partial<Assignment> = {}): Assignment =>
  assignment(target, { timeout_seconds: 10, config, ...changes })

const asserting = (...assertions: Assignment['assertions']): Partial<Assignment> => ({ assertions })

/** Cases over HTTP/1.1, which needs no setting. */
const plainly = (at: (path: string) => string): Case[] => [
  { what: 'a page', gives: 'success', monitor: of(at('/')), shows: { status: 200, version: '1.1' } },
  { what: 'a word of it', gives: 'success', monitor: of(at('/'), {}, asserting({ source: 'body', op: 'contains', value: 'front' })) },
  {
    what: 'a word that is missing',
    gives: 'assertion',
    monitor: of(at('/'), {}, asserting({ source: 'body', op: 'contains', value: 'back' }))
  },
  {
    what: 'a value in JSON',
    gives: 'success',
    monitor: of(at('/ok'), {}, asserting({ source: 'json', property: '$.status', op: 'eq', value: 'ok' }))
  },
  {
    what: 'another value in JSON, which degrades',
    gives: 'degraded',
    monitor: of(at('/ok'), {}, asserting({ source: 'json', property: '$.queue', op: 'lt', value: 3, on_fail: 'degraded' }))
  },
  { what: 'a page that is gone', gives: 'http_status', monitor: of(at('/gone')), shows: { status: 410 } },
  { what: 'credentials that are refused', gives: 'auth', monitor: of(at('/locked'), { auth: { type: 'bearer', token: 'hunter2' } }) },
  { what: 'a redirect', gives: 'success', monitor: of(at('/moved')), shows: { redirects: [at('/ok')] } },
  { what: 'redirects without end', gives: 'redirect', monitor: of(at('/loop')) },
  { what: 'more than is read', gives: 'body_too_large', monitor: of(at('/'), { max_body_bytes: 4 }) },
  { what: 'an answer that drips', gives: 'timeout', monitor: of(at('/slow'), {}, { timeout_seconds: 1 }) }
]

/** What needs HTTP/2. */
const overHttp2 = ({ plain, secured, clear }: Ports, ca_pem: string): Case[] => {
  const config: HttpConfig = { http_version: '2', ca_pem }
  const at = (path: string): string => `https://127.0.0.1:${secured}${path}`
  return [
    { what: 'a page over HTTP/2', gives: 'success', monitor: of(at('/'), config), shows: { status: 200, version: '2', bytes: 10 } },
    {
      what: 'the protocol that the server saw',
      gives: 'success',
      monitor: of(at('/who'), config, asserting({ source: 'body', op: 'contains', value: 'HTTP/2.0' }))
    },
    {
      what: 'a body over HTTP/2',
      gives: 'success',
      monitor: of(at('/ok'), { ...config, method: 'POST', body: '{}', body_type: 'json' }),
      shows: { timings: { request: Number, ttfb: Number } }
    },
    {
      what: 'HTTP/2 without TLS',
      gives: 'success',
      monitor: of(`http://127.0.0.1:${clear}/`, { http_version: '2' }),
      shows: { version: '2' }
    },
    { what: 'a server that does not speak HTTP/2', gives: 'protocol', monitor: of(`http://127.0.0.1:${plain}/`, { http_version: '2' }) },
    { what: 'an error over HTTP/2', gives: 'http_status', monitor: of(at('/gone'), config), shows: { status: 410 } },
    { what: 'redirects over HTTP/2', gives: 'success', monitor: of(at('/moved'), config), shows: { redirects: [at('/ok')] } },
    { what: 'more than is read over HTTP/2', gives: 'body_too_large', monitor: of(at('/'), { ...config, max_body_bytes: 4 }) },
    {
      what: 'an answer that drips over HTTP/2',
      gives: 'timeout',
      monitor: of(at('/slow'), config, { timeout_seconds: 1 })
    }
  ]
}

/** Cases for a server that asks for a client certificate. */
const withCertificates = ({ secured, closed }: Ports, ca_pem: string, client: Pair, stranger: Pair): Case[] => {
  const shown = ({ cert, key }: Pair): HttpConfig => ({ ca_pem, auth: { type: 'mtls', cert_pem: cert, key_pem: key } })
  const at = (path: string): string => `https://127.0.0.1:${closed}${path}`
  const verified = asserting({ source: 'body', op: 'contains', value: 'SUCCESS' })
  return [
    { what: 'a client certificate', gives: 'success', monitor: of(at('/who'), shown(client), verified) },
    {
      what: 'a client certificate over HTTP/2',
      gives: 'success',
      monitor: of(at('/who'), { ...shown(client), http_version: '2' }, verified)
    },
    { what: 'no client certificate', gives: 'http_status', monitor: of(at('/'), { ca_pem }), shows: { status: 400 } },
    { what: 'one of another authority', gives: 'http_status', monitor: of(at('/'), shown(stranger)), shows: { status: 400 } },
    {
      what: 'a client certificate where nobody asks for one',
      gives: 'success',
      monitor: of(`https://127.0.0.1:${secured}/who`, shown(client), asserting({ source: 'body', op: 'contains', value: 'NONE' }))
    }
  ]
}

export const cases: TypeCases = {
  against: 'nginx',
  async cases(stage): Promise<Case[]> {
    const pair = certificate(stage)
    const { authority, client } = clientOf(stage)
    const ports = await nginx(stage, pair, authority)
    const at = (path: string): string => `http://127.0.0.1:${ports.plain}${path}`
    const secured = `https://127.0.0.1:${ports.secured}`
    const silent = await tcp(stage, () => undefined)
    const noise = await tcp(stage, (socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
    const numberless = await tcp(stage, (socket) => socket.end('HTTP/1.1 000 Odd\r\ncontent-length: 0\r\n\r\n'))
    return [
      ...plainly(at),
      ...overHttp2(ports, pair.cert),
      ...withCertificates(ports, pair.cert, client, pair),
      { what: 'over TLS', gives: 'success', monitor: of(secured, { ca_pem: pair.cert }), shows: { tls: { chain_ok: true } } },
      { what: 'a certificate that nobody trusts', gives: 'tls', monitor: of(secured) },
      {
        what: 'credentials that a redirect leads elsewhere',
        gives: 'success',
        monitor: of(
          `${secured}/away`,
          { ca_pem: pair.cert, auth: { type: 'basic', username: 'ann', password: 'hunter2' } },
          asserting({ source: 'body', op: 'eq', value: 'as |HTTP/1.1|' })
        )
      },
      { what: 'slower than it should be', gives: 'degraded', monitor: of(at('/slow'), {}, { degraded_after_ms: 100 }) },
      { what: 'another protocol', gives: 'protocol', monitor: of(`http://127.0.0.1:${noise}/`) },
      { what: 'a status that is none', gives: 'protocol', monitor: of(`http://127.0.0.1:${numberless}/`), shows: { status: null } },
      { what: 'silence', gives: 'timeout', monitor: of(`http://127.0.0.1:${silent}/`, {}, { timeout_seconds: 1 }) },
      { what: 'a port that is closed', gives: 'connect', monitor: of('http://127.0.0.1:1/') },
      { what: 'a name that does not exist', gives: 'dns', monitor: of('http://nowhere.test/') },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of(at('/')),
        network: networkOf({ open: [], closed: [], own: [] })
      }
    ]
  }
}
