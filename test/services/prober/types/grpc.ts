import { type handleUnaryCall, type Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js'
import type { Assignment } from '../../../../schemas/http/prober.ts'
import { assignment, certificate, http, networkOf, tcp } from '../stand.ts'
import type { Case, Stage, TypeCases } from './cases.ts'

/** Serving states of grpc.health.v1 by service name, as protobuf numbers. */
const states: Readonly<Record<string, number>> = { '': 1, shop: 1, cellar: 2 }

const text = (message: Buffer): string => (message.length === 0 ? '' : message.subarray(2).toString())

async function server(stage: Stage, credentials: ServerCredentials, wanted: string | null = null): Promise<number> {
  const one = new Server()
  const check: handleUnaryCall<Buffer, Buffer> = ({ request, metadata }, callback) => {
    const isAllowed = wanted === null || first(metadata) === wanted
    if (!isAllowed) return callback({ code: status.UNAUTHENTICATED, details: 'hunter2' })
    const state = states[text(request)]
    if (state === undefined) return callback({ code: status.NOT_FOUND, details: 'hunter2' })
    callback(null, Buffer.from([8, state]))
  }
  const plain = (bytes: Buffer): Buffer => bytes
  one.addService(
    {
      check: {
        path: '/grpc.health.v1.Health/Check',
        requestStream: false,
        responseStream: false,
        requestSerialize: plain,
        requestDeserialize: plain,
        responseSerialize: plain,
        responseDeserialize: plain
      }
    },
    { check }
  )
  stage.teardown(() => one.forceShutdown())
  return new Promise((resolve, reject) =>
    one.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve(port)))
  )
}

const first = (metadata: Metadata): string => String(metadata.get('authorization')[0] ?? '')

async function empty(stage: Stage): Promise<number> {
  const one = new Server()
  stage.teardown(() => one.forceShutdown())
  return new Promise((resolve, reject) =>
    one.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => (error ? reject(error) : resolve(port)))
  )
}

export const cases: TypeCases = {
  against: '@grpc/grpc-js',
  async cases(stage): Promise<Case[]> {
    const port = await server(stage, ServerCredentials.createInsecure())
    const locked = await server(stage, ServerCredentials.createInsecure(), 'Bearer opens')
    const { key, cert } = certificate(stage)
    const secured = await server(
      stage,
      ServerCredentials.createSsl(null, [{ private_key: Buffer.from(key), cert_chain: Buffer.from(cert) }])
    )
    const without = await empty(stage)
    const silent = await tcp(stage, () => undefined)
    const page = Number(new URL(await http(stage, (_request, response) => void response.end('a page'))).port)
    const of = (at: number, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(`127.0.0.1:${at}`, { type: 'grpc', timeout_seconds: 2, config: { tls: false, ...config }, ...changes })
    const token = (value: string) => ({ metadata: [{ name: 'authorization', value, secret: true }] })
    return [
      { what: 'the whole server serves', gives: 'success', monitor: of(port), shows: { remoteIp: '127.0.0.1' } },
      { what: 'one service serves', gives: 'success', monitor: of(port, { service: 'shop' }) },
      {
        what: 'a service that does not',
        gives: 'assertion',
        monitor: of(port, { service: 'cellar' }),
        shows: { message: 'The server says NOT_SERVING' }
      },
      {
        what: 'a service that is not known',
        gives: 'protocol',
        monitor: of(port, { service: 'attic' }),
        shows: { message: 'The server does not know this service' }
      },
      {
        what: 'a server without a health service',
        gives: 'protocol',
        monitor: of(without),
        shows: { message: 'The server has no health service' }
      },
      { what: 'credentials that open', gives: 'success', monitor: of(locked, token('Bearer opens')) },
      { what: 'credentials that do not', gives: 'auth', monitor: of(locked, token('Bearer hunter2')) },
      {
        what: 'slow',
        gives: 'degraded',
        monitor: of(port, {}, { assertions: [{ source: 'latency_ms', op: 'lt', value: 0, on_fail: 'degraded' }] })
      },
      { what: 'another protocol', gives: 'protocol', monitor: of(page) },
      { what: 'silence', gives: 'timeout', monitor: of(silent, {}, { timeout_seconds: 1 }) },
      { what: 'a port that is closed', gives: 'connect', monitor: of(1) },
      { what: 'a name that does not exist', gives: 'dns', monitor: assignment('nowhere.test:443', { type: 'grpc' }) },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of(port),
        network: networkOf({ open: [], closed: [], own: [] })
      },
      { what: 'a certificate that nobody trusts', gives: 'tls', monitor: of(secured, { tls: true }) },
      {
        what: 'one that is not verified',
        gives: 'success',
        monitor: of(secured, { tls: true, verify_tls: false }),
        shows: { tls: { subject: /test target/ } }
      }
    ]
  }
}
