/**
 * Servers that play targets, an assignment to change, and a function that runs one attempt at it.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createSecureServer, type TLSSocket } from 'node:tls'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { createAddressGuard, type GuardRules, type Resolve } from '../../../services/http/address-guard.ts'
import { type AssertionPool, createAssertionPool } from '../../../services/prober/assertion-pool.ts'
import type { AttemptReport } from '../../../services/prober/attempt.ts'
import type { Network } from '../../../services/prober/connection.ts'
import { planOf } from '../../../services/prober/plans.ts'
import type { ProberFacts } from '../../../services/prober/prober-type.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { Stage } from './types/cases.ts'

export const MONITOR = '0d9f6f5a-6c4e-4f5e-9d1e-3f1f6f0c7a11'
export const TENANT = '7c1f7e0a-2b66-4a35-8a53-2f64e9d2c001'

/** What a prober may reach in these tests: its own machine. */
export const loopbackOpen: GuardRules = { open: ['127.0.0.0/8', '::1/128'], closed: [], own: [] }

export const noNames: Resolve = async () => {
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
}

export function assignment(target: string, changes: Partial<Assignment> = {}): Assignment {
  return {
    monitor_id: MONITOR,
    tenant_ref: TENANT,
    config_version: 1,
    type: 'http',
    target,
    config: {},
    assertions: [],
    retry: { count: 0, strategy: 'none', base_seconds: 1, max_total_seconds: 60 },
    interval_seconds: 60,
    timeout_seconds: 5,
    degraded_after_ms: null,
    ...changes
  }
}

export const networkOf = (rules: GuardRules = loopbackOpen, resolve: Resolve = noNames): Network => ({
  guard: createAddressGuard(rules),
  resolve
})

let processes: AssertionPool | null = null

/**
 * Processes that evaluate costly assertions, shared by all tests of a file. Other files may follow
 * in the same test process, so after `close` the next use starts others.
 */
export const pool: AssertionPool = {
  evaluate(job, signal) {
    processes ??= createAssertionPool({ processes: 2, log: createLog('prober', 'fatal'), metrics: createMetrics() })
    return processes.evaluate(job, signal)
  },
  close() {
    processes?.close()
    processes = null
  }
}

export const facts: ProberFacts = { userAgent: 'test-agent', resolvers: [] }

export function attempt(monitor: Assignment, network = networkOf(), of: Partial<ProberFacts> = {}): Promise<AttemptReport> {
  const plan = planOf(monitor, { ...facts, ...of })
  return plan.attempt({ network, pool, now: Date.now, abort: new AbortController().signal })
}

async function listening(t: Stage, server: TcpServer, host: string, port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  t.teardown(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return (server.address() as AddressInfo).port
}

/** Starts an HTTP server; returns its base address without a trailing slash. */
export async function http(t: Stage, handler: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server: Server = createServer(handler)
  const port = await listening(t, server, host)
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

export async function https(t: Stage, pair: { key: string; cert: string }, handler: RequestListener): Promise<string> {
  return `https://127.0.0.1:${await listening(t, createTlsServer(pair, handler), '127.0.0.1')}`
}

/** Starts a TLS server at 127.0.0.1; returns its port. */
export function tls(t: Stage, pair: { key: string; cert: string }, onConnection: (socket: TLSSocket) => void): Promise<number> {
  const server = createSecureServer(pair, onConnection)
  server.on('tlsClientError', () => undefined)
  return listening(t, server, '127.0.0.1')
}

/** Starts a TCP server that handles each connection with `onConnection`; returns its port. */
export function tcp(t: Stage, onConnection: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  return listening(t, createTcpServer(onConnection), host)
}

/** Returns the date so many days from now, in openssl's format. */
const dateOf = (days: number): string => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19).replace(/\D/g, '')}Z`

/** Makes a key and a self-signed certificate for localhost and 127.0.0.1 with openssl. */
export function certificate(t: Stage, options: { days?: number; subject?: string; names?: string } = {}): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'prober-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const { days = 30, subject = '/CN=test target/O=Test', names = 'DNS:localhost,IP:127.0.0.1' } = options
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' })
  const asked = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-subj',
    subject,
    '-addext',
    `subjectAltName=${names}`
  ]
  if (days > 0) openssl('req', '-x509', ...asked, '-out', cert, '-days', String(days))
  else {
    const csr = join(folder, 'request.pem')
    openssl('req', '-new', ...asked, '-out', csr)
    const made = ['x509', '-req', '-in', csr, '-key', key, '-out', cert, '-copy_extensions', 'copy']
    try {
      openssl(...made, '-not_before', dateOf(days - 1), '-not_after', dateOf(days))
    } catch {
      // openssl before version 3.4 has no option for dates; later versions refuse a negative
      // number.
      openssl(...made, '-days', String(days))
    }
  }
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}
