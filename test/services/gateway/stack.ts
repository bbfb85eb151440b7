/**
 * A gateway on a real broker and a real Postgres, workspaces with credentials, and clients of the
 * `ws` package.
 */
import { pino } from 'pino'
import type { Test } from 'tap'
import { type RawData, WebSocket } from 'ws'
import type { PlanId } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { type Minted, mintApiToken, mintSession } from '../../../services/credentials/credentials.ts'
import { type Credentials, createCredentials } from '../../../services/credentials/tokens.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../../services/gateway/gateway.ts'
import { createMetrics, type Metrics } from '../../../services/process/metrics.ts'
import { createPool, type Pool } from '../../../services/store/pool.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import type { OutRecord, StreamClient } from '../../../streams/runtime/stream.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'

export const PUBLIC_URL = 'https://monitor.example'
export const DOMAIN = 'status.example'

export interface Frame {
  channel: string
  type: string
  data: Record<string, unknown>
  id?: string
  ver?: number
}

export interface Client {
  socket: WebSocket
  frames: Frame[]
  pings: number
  /** Resolves with code and reason once the connection has ended. */
  closed: Promise<{ code: number; reason: string }>
  /** The first frame of `type` that no earlier call returned. */
  next(type: string): Promise<Frame>
}

export interface Workspace {
  tenant_id: string
  user_id: string
  token: string
  /** Adds another member, and returns their credentials. */
  member(role: string, scopes?: string[]): Promise<{ user_id: string; token: string; session: string }>
  revoke(token: string): Promise<void>
  logOut(session: string): Promise<void>
}

export interface Stack {
  gateway: Gateway
  /** As service_system. */
  pool: Pool
  /** Pool of the schema's owner. */
  owner: Pool
  metrics: Metrics
  log: string[]
  url: string
  metric(name: string): Promise<number>
  workspace(plan?: PlanId): Promise<Workspace>
  /** Puts a frame on the log as the relay would. */
  send(
    tenant_id: string,
    frame: { type: string; ver?: number; aggregate?: string; audience?: string; category?: string; padding?: number }
  ): Promise<void>
  sendAll(records: OutRecord[]): Promise<void>
  /** Resolves after `hello`. */
  connect(query: string, headers?: Record<string, string>): Promise<Client>
  /** Status and body of a refused handshake. */
  refused(
    query: string,
    headers?: Record<string, string>
  ): Promise<{ status: number; headers: Record<string, unknown>; body: Record<string, unknown> }>
}

export function client(socket: WebSocket): Client {
  const frames: Frame[] = []
  let taken = 0
  const self: Client = {
    socket,
    frames,
    pings: 0,
    closed: new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    }),
    next: (type) =>
      until(`a frame ${type}`, () => {
        const at = frames.findIndex((frame, index) => index >= taken && frame.type === type)
        if (at < 0) return null
        taken = at + 1
        return frames[at]
      })
  }
  socket.on('message', (raw: RawData) => frames.push(JSON.parse(raw.toString()) as Frame))
  socket.on('ping', () => {
    self.pings += 1
  })
  socket.on('error', () => undefined)
  return self
}

export const record = (
  tenant_id: string,
  {
    type,
    ver = 1,
    aggregate = `incident:${tenant_id}`,
    audience = 'tenant',
    category,
    padding = 0
  }: { type: string; ver?: number; aggregate?: string; audience?: string; category?: string; padding?: number }
): OutRecord => ({
  topic: 'realtime.frames.v1',
  key: tenant_id,
  value: Buffer.from(JSON.stringify({ channel: 'any', type, data: { tenant_id, ...(padding && { padding: 'x'.repeat(padding) }) }, ver })),
  headers: {
    tenant_id,
    audience,
    aggregate,
    ver: String(ver),
    event_type: type,
    event_id: uuidv7(),
    src: 'test',
    ...(category && { category })
  }
})

/** The handshake request of a client that speaks plain TCP. */
export const handshake = (token: string): string =>
  [
    `GET /api/v1/ws?token=${token} HTTP/1.1`,
    'Host: x',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '',
    ''
  ].join('\r\n')

export interface StackOptions extends Partial<GatewayOptions> {
  brokersOf?: (brokers: string[]) => Promise<string[]>
  /** Returns what the gateway uses in place of the credentials. */
  credentialsOf?: (credentials: Credentials) => Credentials
}

export async function gatewayStack(
  t: Test,
  { brokersOf = async (brokers) => brokers, credentialsOf = (credentials) => credentials, ...options }: StackOptions = {}
): Promise<Stack> {
  const config = await testConfig(t)
  await testTopics(t, config, ['realtime.frames.v1'])
  const lines: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const pool = createPool(config.postgresSystemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => pool.end())
  const owner = createPool(config.postgresUrl, { application_name: 'test', max: 1 })
  t.teardown(() => owner.end())
  const connectTo = async (brokers: string[]): Promise<StreamClient> => {
    const stream = await connectStream({
      brokers,
      clientId: 'test-gateway',
      topicPrefix: config.topicPrefix,
      log: logger,
      metrics: createMetrics()
    })
    t.teardown(() => stream.close())
    return stream
  }
  const writer = await connectTo(config.kafkaBrokers)
  const stream = await connectTo(await brokersOf(config.kafkaBrokers))
  const tenantPool = createPool(config.postgresTenantUrl, { application_name: 'gateway', max: 4 })
  t.teardown(() => tenantPool.end())
  const credentials = createCredentials({ pool: tenantPool, log: logger, ...(options.now && { now: options.now }) })
  t.teardown(() => credentials.close())
  const metrics = createMetrics()
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    publicUrl: PUBLIC_URL,
    domains: [DOMAIN],
    trustedProxies: [],
    credentials: credentialsOf(credentials),
    stream,
    logger,
    metrics,
    spreadMs: 100,
    askAgainMs: 50,
    ...options
  })
  t.teardown(() => gateway.close())
  await until('the credentials listen', () => credentials.listening())
  const url = `ws://127.0.0.1:${gateway.port}/api/v1/ws`
  const open = (query: string, headers: Record<string, string> = {}): WebSocket => {
    const socket = new WebSocket(`${url}${query}`, { headers, perMessageDeflate: false })
    t.teardown(() => socket.terminate())
    return socket
  }
  return {
    gateway,
    pool,
    owner,
    metrics,
    log: lines,
    url,
    metric: async (name) =>
      (await metrics.registry.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN,
    workspace: (plan = 'business') => newWorkspace(pool, plan),
    send: (tenant_id, frame) => writer.log.append([record(tenant_id, frame)]),
    sendAll: (records) => writer.log.append(records),
    async connect(query, headers) {
      const one = client(open(query, headers))
      await one.next('hello')
      return one
    },
    refused: (query, headers) =>
      new Promise((resolve, reject) => {
        const socket = open(query, headers)
        socket.on('open', () => {
          socket.terminate()
          reject(new Error('the handshake was accepted'))
        })
        socket.on('error', () => undefined)
        socket.on('unexpected-response', (_request, response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) as Record<string, unknown> })
          )
        })
      })
  }
}

async function newWorkspace(pool: Pool, plan: PlanId): Promise<Workspace> {
  const tenant_id = uuidv7()
  await pool.query('INSERT INTO tenants (tenant_id, name, slug, plan) VALUES ($1, $2, $3, $4)', [
    tenant_id,
    'Test',
    `test-${tenant_id}`,
    plan
  ])
  const addUser = async (role: string, scopes: string[]): Promise<{ user_id: string; token: Minted; session: Minted }> => {
    const user_id = uuidv7()
    const [token, session] = [mintApiToken(), mintSession()]
    await pool.query('INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, $4)', [
      user_id,
      `${user_id}@example.com`,
      'Test',
      '-'
    ])
    await pool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
    await pool.query(
      'INSERT INTO api_tokens (tenant_id, token_id, user_id, name, prefix, token_sha256, scopes) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [tenant_id, uuidv7(), user_id, 'Test', token.prefix, token.sha256, scopes]
    )
    await pool.query(
      "INSERT INTO sessions (session_sha256, tenant_id, user_id, idle_seconds, expires_at) VALUES ($1, $2, $3, 3600, now() + interval '1 day')",
      [session.sha256, tenant_id, user_id]
    )
    return { user_id, token, session }
  }
  const owner = await addUser('owner', ['read'])
  return {
    tenant_id,
    user_id: owner.user_id,
    token: owner.token.value,
    async member(role, scopes = ['read']) {
      const { user_id, token, session } = await addUser(role, scopes)
      return { user_id, token: token.value, session: session.value }
    },
    revoke: async (token) => {
      await pool.query("UPDATE api_tokens SET revoked_at = now() WHERE token_sha256 = sha256(convert_to($1, 'UTF8'))", [token])
    },
    logOut: async (session) => {
      await pool.query("DELETE FROM sessions WHERE session_sha256 = sha256(convert_to($1, 'UTF8'))", [session])
    }
  }
}
