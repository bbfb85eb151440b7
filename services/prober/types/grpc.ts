/**
 * grpc: one call of grpc.health.v1.Health/Check over HTTP/2, on a connection that the check opens
 * itself.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { isSecretHeader } from '../../../schemas/http/check-config.ts'
import { checkType, type GrpcConfig } from '../../../schemas/http/check-types/grpc.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { attemptsOf, type Edge, type Running } from '../attempt.ts'
import { type Dialled, encrypt, openTo, unlessAborted } from '../connection.ts'
import { CheckFailure } from '../failure.ts'
import { healthIn, healthRequest } from '../grpc-health.ts'
import { isHeader } from '../http-plan.ts'
import { factsOf, type Judged, judge, judgedOf } from '../judging.ts'
import { PlanFault, type ProberType } from '../prober-type.ts'
import { dialledOf } from '../targets.ts'

interface GrpcPlan extends Judged {
  to: Dialled
  tls: boolean
  verify: boolean
  request: Buffer
  metadata: Readonly<Record<string, string>>
  hasSecrets: boolean
}

const MAX_ANSWER_BYTES = 65_536
const ours = /^(:.*|te|content-type|content-length|grpc-.*|connection|host|transfer-encoding|upgrade|keep-alive|proxy-connection)$/

function planGrpc(assignment: Assignment): GrpcPlan {
  const { tls, verify_tls, service, metadata: written = [] } = assignment.config as GrpcConfig
  const metadata: Record<string, string> = {}
  for (const { name, value } of written) {
    const lower = name.toLowerCase()
    if (ours.test(lower) || value === null) continue
    if (!isHeader(lower, value)) throw new PlanFault('An entry of the metadata has characters that HTTP does not allow')
    metadata[lower] = value
  }
  return {
    ...judgedOf(assignment),
    to: dialledOf(checkType.target, assignment),
    tls: tls ?? true,
    verify: verify_tls ?? true,
    request: healthRequest(service ?? ''),
    metadata,
    hasSecrets: written.some(isSecretHeader)
  }
}

interface Answer {
  headers: IncomingHttpHeaders
  trailers: IncomingHttpHeaders
  body: Buffer
}

function call(session: ClientHttp2Session, plan: GrpcPlan, { watch }: Running): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const notGrpc = (): void => reject(new CheckFailure('protocol', 'The server does not speak HTTP/2'))
    session.on('error', (error: NodeJS.ErrnoException) => (error.code?.startsWith('ERR_HTTP2') ? notGrpc() : reject(error)))
    session.once('close', notGrpc)
    const { host, port } = plan.to
    const stream: ClientHttp2Stream = session.request({
      ...plan.metadata,
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      ':authority': `${host.includes(':') ? `[${host}]` : host}:${port}`,
      'content-type': 'application/grpc',
      te: 'trailers'
    })
    const pieces: Buffer[] = []
    let bytes = 0
    let headers: IncomingHttpHeaders = {}
    let trailers: IncomingHttpHeaders = {}
    stream.on('error', notGrpc)
    stream.on('response', (found) => {
      headers = found
      watch.enter('download')
    })
    stream.on('trailers', (found) => {
      trailers = found
    })
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) reject(new CheckFailure('body_too_large', 'The answer is larger than a status'))
      else pieces.push(chunk)
    })
    stream.on('end', () => resolve({ headers, trailers, body: Buffer.concat(pieces) }))
    stream.end(plan.request)
    watch.enter('ttfb')
  })
}

/** gRPC codes that say more than that the call failed. */
const codes: Readonly<Record<string, string>> = {
  5: 'The server does not know this service',
  12: 'The server has no health service',
  14: 'The server says that it is unavailable'
}

/** Throws CheckFailure for everything but SERVING. */
function judgeHealth({ headers, trailers, body }: Answer, plan: GrpcPlan): void {
  const status = Number(headers[':status'])
  // A failure without a message carries its code in the headers.
  const code = String(trailers['grpc-status'] ?? headers['grpc-status'] ?? '')
  const isRefused = plan.hasSecrets && (status === 401 || status === 403 || code === '16' || code === '7')
  if (isRefused) throw new CheckFailure('auth', 'The server refuses the credentials')
  if (status !== 200) throw new CheckFailure('http_status', `The status is ${status}`)
  if (code === '') throw new CheckFailure('protocol', 'The server does not speak gRPC')
  if (code !== '0')
    throw new CheckFailure('protocol', codes[code] ?? `The call failed with the code ${/^\d{1,2}$/.test(code) ? code : 'unknown'}`)
  const health = healthIn(body)
  if (health === null) throw new CheckFailure('protocol', 'The answer is not one of the health service')
  if (health !== 'SERVING') throw new CheckFailure('assertion', `The server says ${health}`)
}

async function perform(plan: GrpcPlan, running: Running, edge: Edge): Promise<void> {
  const { report, watch, signal } = running
  const { to, tls, verify } = plan
  const plain = await openTo(to, edge.network, running)
  let session: ClientHttp2Session | null = null
  try {
    const wish = { host: to.host, verify, protocols: ['h2'] }
    const socket: Socket = tls ? await encrypt(plain, wish, running) : plain
    watch.enter('request')
    session = connect(`${tls ? 'https' : 'http'}://${to.host.includes(':') ? `[${to.host}]` : to.host}:${to.port}`, {
      createConnection: () => socket
    })
    const answer = await unlessAborted(call(session, plan, running), signal)
    running.ended()
    report.bytes = answer.body.length
    judgeHealth(answer, plan)
    await judge(plan, report, { facts: factsOf(running, edge) }, edge)
  } finally {
    session?.destroy()
    plain.destroy()
  }
}

export const type: ProberType = {
  plan(assignment) {
    const plan = planGrpc(assignment)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  }
}
