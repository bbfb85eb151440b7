/**
 * Sets up the doors over real HTTP, with a fake log, fake credentials and a fake clock. It is for
 * tests of which answer comes when, and of what must not be touched.
 */
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import type { Test } from 'tap'
import type { InboundAlert, RawAlert } from '../../../schemas/generated/events.ts'
import type { Check, IntegrationCredential } from '../../../services/credentials/tokens.ts'
import { createSenderAddress } from '../../../services/http/sender-address.ts'
import { createApp } from '../../../services/http/uws.ts'
import { createBudget } from '../../../services/intake/doors/budget.ts'
import type { FixedDoor } from '../../../services/intake/doors/doors.ts'
import { createCertificates, type Get } from '../../../services/intake/doors/guarded-get.ts'
import { createDoorMetrics } from '../../../services/intake/doors/metrics.ts'
import { createNativeReads } from '../../../services/intake/doors/native-reads.ts'
import { createReception, type Reception, type ReceptionLimits } from '../../../services/intake/doors/reception.ts'
import { openDoors } from '../../../services/intake/doors/routes.ts'
import { createVerifier } from '../../../services/intake/doors/verifier.ts'
import { IntakeCounts } from '../../../services/intake/ignored.ts'
import type { Source } from '../../../services/intake/source.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { createPool, type Pool } from '../../../services/store/pool.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { integration } from './credential.ts'

export const TOKEN = `svc_${'a'.repeat(43)}`
export const PATH = `/api/v1/webhooks/incoming/${TOKEN}`
export const ROUTER = '/api/v1/webhook/alertmanager'

export interface Stand {
  port: number
  reception: Reception
  /** The records that the log got. */
  records: OutRecord[]
  alerts(): InboundAlert[]
  raw(): RawAlert[]
  /** The logged lines. */
  logged: string[]
  metrics(): Promise<string>
  post(path: string, body: string | Buffer | undefined, headers?: Record<string, string>, method?: string): Promise<Reply>
  /** Opens a connection for writing byte by byte. */
  dial(): Connection
}

export interface Connection {
  socket: Socket
  write(part: string | Buffer): void
  /** Returns everything that was received so far. */
  text(): string
  /** Resolves once `pattern` is in the received text. */
  says(pattern: RegExp): Promise<void>
  closed: Promise<void>
}

export interface Reply {
  status: number
  headers: Headers
  body: Record<string, unknown> & { details?: { path: string; rule: string }[] }
}

/** Connects on first use only, and then to an address where nothing listens. */
const unreachable = createPool('postgres://nobody@127.0.0.1:1/nothing', { application_name: 'test', max: 1 })

export interface StandOptions {
  integration?: Partial<IntegrationCredential>
  check?: (token: string) => Check<IntegrationCredential>
  append?: (records: readonly OutRecord[]) => Promise<void>
  /** The clock that decides whether a workspace is busy. */
  clock?: () => number
  floor?: number
  limits?: Partial<ReceptionLimits>
  /** Doors besides our own. */
  doors?: readonly FixedDoor[]
  /** A vendor's answers to the requests of the door. */
  get?: Get
  pool?: Pool
  trustedProxies?: readonly string[]
  counts?: IntakeCounts
  /** Changes of keys whose former keys are still tried. */
  formerKeys?: readonly string[]
  sourceOf?: (source_type: string) => Source | undefined
}

export async function stand(t: Test, options: StandOptions = {}): Promise<Stand> {
  const records: OutRecord[] = []
  const codec = localCodec()
  const budget = createBudget(options.floor ?? 1000)
  const metrics = createMetrics()
  const logged: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  const known = integration(options.integration)
  const get = options.get ?? (() => Promise.reject(new Error('the test has no vendor')))
  const pool = options.pool ?? unreachable
  const credentials = { integration: options.check ?? ((token: string) => (token === TOKEN ? known : null)) }
  const verifier = createVerifier({
    get,
    certificate: createCertificates(get),
    pool,
    log,
    ...(options.sourceOf && { sourceOf: options.sourceOf })
  })
  const counters = createDoorMetrics(metrics, {
    inFlight: () => reception.inFlight(),
    bytesHeld: () => reception.bytesHeld(),
    windows: () => budget.size()
  })
  const senderAddress = createSenderAddress(options.trustedProxies ?? [])
  const append =
    options.append ??
    (async (given: readonly OutRecord[]) => {
      records.push(...given)
    })
  const reception = createReception({
    credentials,
    budget,
    verifier,
    senderAddress,
    ...(options.clock && { clock: options.clock }),
    stream: { append, appendEach: (calls) => calls.map(append) },
    codec,
    formerKeys: { tries: (change) => options.formerKeys?.includes(change) ?? false },
    counts: options.counts ?? new IntakeCounts(),
    log,
    metrics: counters,
    ...(options.limits ? { limits: options.limits } : {})
  })
  const nobody = { heartbeat: () => null }
  const noPings = { receiveAt: () => t.fail('the test has no heartbeats') }
  const reads = createNativeReads({ credentials, verifier, pool, senderAddress, watched: nobody, pings: noPings, log, metrics: counters })
  const app = createApp()
  for (const door of options.doors ?? []) {
    for (const path of door.paths) {
      app.post(path, (response, request) => reception.receive(door, response, request))
      app.get(path, (response, request) => reception.receiveQuery(door, response, request))
    }
  }
  openDoors(app, reception, reads)
  const port = await app.listen('127.0.0.1', 0)
  t.teardown(async () => {
    app.stopListening()
    await Promise.all([reception.close(0), reads.close(0)])
    app.close()
  })
  const of = (topic: string): Buffer[] => records.flatMap((record) => (record.topic === topic && record.value ? [record.value] : []))
  return {
    port,
    reception,
    records,
    alerts: () => of('alerts.inbound.v1').map((value) => codec.decode('InboundAlert', value)),
    raw: () => of('alerts.raw.v1').map((value) => codec.decode('RawAlert', value)),
    logged,
    metrics: () => metrics.registry.metrics(),
    async post(path, body, headers = {}, method = 'POST') {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'content-type': 'application/json', connection: 'close', ...headers },
        ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body as string)) })
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) }
    },
    dial() {
      const socket = connect(port, '127.0.0.1')
      t.teardown(() => socket.destroy())
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', (error) => {
        text += `[${error.message}]`
      })
      const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
      return {
        socket,
        write: (part) => void socket.write(part),
        text: () => text,
        says: async (pattern) => void (await until(`${pattern} in the answer`, () => pattern.test(text), 25_000)),
        closed
      }
    }
  }
}
