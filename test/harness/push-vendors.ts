/**
 * Simulates the push services of Google and Apple over HTTP/2 on this machine. They refuse what the
 * real ones refuse, with the error names of the vendors' documents. A library of another project
 * verifies the signed tokens.
 * Source: docs/design/outbound-channels.md#s6.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import {
  createServer as createPlain,
  createSecureServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { Deployment } from '../../services/channels/channel.ts'
import type { Teardown } from './engines.ts'

const pem = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }))

export const APNS: NonNullable<Deployment['apns']> = {
  team_id: 'TEAM012345',
  key_id: 'KEY0123456',
  private_key: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  topic: 'com.example.alerts',
  sandbox: false
}

export const FCM: NonNullable<Deployment['fcm']> = {
  project_id: 'alerts-1234',
  client_email: 'push@alerts-1234.iam.gserviceaccount.com',
  private_key: pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
}

/** The part of a configuration that has both accounts. */
export const pushSettings = {
  fcmServiceAccount: JSON.stringify({ type: 'service_account', ...FCM }),
  apnsKey: APNS.private_key,
  apnsKeyId: APNS.key_id,
  apnsTeamId: APNS.team_id,
  apnsTopic: APNS.topic
} as const

/** Environment variables of a service that has both accounts. */
export const pushEnvironment: Record<string, string> = {
  SERVICE_FCM_SERVICE_ACCOUNT: pushSettings.fcmServiceAccount,
  SERVICE_APNS_KEY: APNS.private_key,
  SERVICE_APNS_KEY_ID: APNS.key_id,
  SERVICE_APNS_TEAM_ID: APNS.team_id,
  SERVICE_APNS_TOPIC: APNS.topic
}

export interface Pushed {
  token: string
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: what a vendor was sent, read by tests field by field
  body: any
}

interface Fault {
  status: number
  body?: object
  headers?: Record<string, string>
}

interface Vendor {
  url: string
  pushed: Pushed[]
  /** Answers to the next messages. They are sent before the message is examined. */
  faults: Fault[]
  /** Connections so far. */
  sessions: number
  /** Sends GOAWAY on every open connection. */
  goodbye(): void
  close(): Promise<void>
}

export interface FakeApns extends Vendor {
  /** Tokens of devices that are gone, and since when, in epoch ms. */
  gone: Map<string, number>
  /** Signed tokens that were received. */
  providerTokens: Set<string>
}

export interface FakeFcm extends Vendor {
  tokenUrl: string
  gone: Set<string>
  /** Device tokens of another project. */
  strange: Set<string>
  /** Access tokens that were issued. A token that is deleted from the set is no longer valid. */
  accessTokens: Set<string>
  asked: number
}

export interface Certificate {
  key: string
  cert: string
}

type Answer = (status: number, body?: object, headers?: Record<string, string>) => void
type Handle = (headers: Record<string, string>, path: string, text: string, answer: Answer) => Promise<void>

/** Starts the HTTP/2 server. Without a certificate it uses no encryption. */
async function listen(t: Teardown, certificate: Certificate | null, fake: Vendor, handle: Handle): Promise<void> {
  const server: Http2Server = certificate ? createSecureServer(certificate) : createPlain()
  const open = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    fake.sessions += 1
    open.add(session)
    session.on('error', () => undefined)
    session.on('close', () => open.delete(session))
  })
  server.on('stream', (stream: ServerHttp2Stream, received) => {
    let text = ''
    stream.setEncoding('utf8')
    stream.on('data', (piece: string) => {
      text += piece
    })
    stream.on('error', () => undefined)
    stream.on('end', () => {
      const answer: Answer = (status, body, headers = {}) => {
        if (stream.destroyed) return
        stream.respond({ ':status': status, 'content-type': 'application/json', ...headers })
        stream.end(body === undefined ? '' : JSON.stringify(body))
      }
      const fault = fake.faults.shift()
      if (fault) return answer(fault.status, fault.body, fault.headers)
      const headers = Object.fromEntries(Object.entries(received).map(([name, value]) => [name, String(value)]))
      void handle(headers, headers[':path'] ?? '', text, answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  fake.url = `${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  fake.goodbye = () => {
    for (const session of open) session.goaway(0)
  }
  fake.close = async () => {
    for (const session of open) session.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(() => fake.close())
}

const vendor = (): Vendor => ({
  url: '',
  pushed: [],
  faults: [],
  sessions: 0,
  goodbye: () => undefined,
  close: async () => undefined
})

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const MAX_BYTES = 4096

/** Returns why Apple refuses the signed token, or null if it accepts it. */
async function providerFault(fake: FakeApns, authorization = ''): Promise<[status: number, reason: string] | null> {
  const token = /^bearer (\S+)$/.exec(authorization)?.[1]
  if (token === undefined) return [403, 'MissingProviderToken']
  try {
    const key = createPublicKey(APNS.private_key)
    const { payload } = await jwtVerify(token, key, { algorithms: ['ES256'], issuer: APNS.team_id, maxTokenAge: '60m', clockTolerance: 0 })
    if (decodeProtectedHeader(token).kid !== APNS.key_id || payload.iat === undefined) return [403, 'InvalidProviderToken']
  } catch (error) {
    if (error instanceof errors.JWTExpired) return [403, 'ExpiredProviderToken']
    if (error instanceof errors.JOSEError) return [403, 'InvalidProviderToken']
    throw error
  }
  fake.providerTokens.add(token)
  // Two tokens are allowed: one may replace the other if the test runs across the half hour.
  return fake.providerTokens.size > 2 ? [429, 'TooManyProviderTokenUpdates'] : null
}

function apnsFault(headers: Record<string, string>, text: string): [status: number, reason: string] | null {
  if (headers['apns-topic'] === undefined) return [400, 'MissingTopic']
  if (headers['apns-topic'] !== APNS.topic) return [400, 'TopicDisallowed']
  if (!['alert', 'background'].includes(headers['apns-push-type'] ?? '')) return [400, 'InvalidPushType']
  if (!['1', '5', '10'].includes(headers['apns-priority'] ?? '10')) return [400, 'BadPriority']
  if (!/^\d{1,10}$/.test(headers['apns-expiration'] ?? '0')) return [400, 'BadExpirationDate']
  if (Buffer.byteLength(headers['apns-collapse-id'] ?? '') > 64) return [400, 'BadCollapseId']
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(headers['apns-id'] ?? '')) return [400, 'BadMessageId']
  if (text === '') return [400, 'PayloadEmpty']
  if (Buffer.byteLength(text) > MAX_BYTES) return [413, 'PayloadTooLarge']
  const aps = objectOf(text)?.aps
  return aps !== null && typeof aps === 'object' && 'alert' in aps ? null : [400, 'PayloadEmpty']
}

export async function fakeApns(t: Teardown, certificate: Certificate | null): Promise<FakeApns> {
  const fake: FakeApns = { ...vendor(), gone: new Map(), providerTokens: new Set() }
  await listen(t, certificate, fake, async (headers, path, text, answer) => {
    const refuse = ([status, reason]: [status: number, reason: string]): void => answer(status, { reason })
    if (headers[':method'] !== 'POST') return refuse([405, 'MethodNotAllowed'])
    const token = /^\/3\/device\/([^/]*)$/.exec(path)?.[1]
    if (token === undefined) return refuse([404, 'BadPath'])
    const fault = (await providerFault(fake, headers.authorization)) ?? apnsFault(headers, text)
    if (fault) return refuse(fault)
    if (!/^[0-9a-f]{64,160}$/.test(token)) return refuse([400, 'BadDeviceToken'])
    const since = fake.gone.get(token)
    if (since !== undefined) return answer(410, { reason: 'Unregistered', timestamp: since })
    fake.pushed.push({ token, headers, body: objectOf(text) })
    answer(200, undefined, { 'apns-id': headers['apns-id'] ?? '' })
  })
  return fake
}

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'

/** Returns the error that Google gives for the assertion, or null for none. */
async function assertionFault(form: URLSearchParams, audience: string): Promise<string | null> {
  if (form.get('grant_type') !== GRANT) return 'unsupported_grant_type'
  try {
    const key = createPublicKey(FCM.private_key)
    const { payload } = await jwtVerify(form.get('assertion') ?? '', key, {
      algorithms: ['RS256'],
      issuer: FCM.client_email,
      audience,
      clockTolerance: 0
    })
    const { iat = 0, exp = 0, scope } = payload
    if (exp - iat > 3600 || iat > Date.now() / 1000) return 'invalid_grant'
    return scope === SCOPE ? null : 'invalid_scope'
  } catch (error) {
    if (error instanceof errors.JOSEError) return 'invalid_grant'
    throw error
  }
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ['token', 'notification', 'data', 'android'],
  'message.notification': ['title', 'body', 'image'],
  'message.android': ['collapse_key', 'priority', 'ttl', 'notification'],
  'message.android.notification': ['title', 'body', 'icon', 'color', 'sound', 'tag', 'channel_id']
}

/** Returns the paths of fields that Google does not know. */
function strangeFields(value: unknown, path: string): string[] {
  const known = FIELDS[path]
  if (!known || value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, one]) =>
    known.includes(name) ? strangeFields(one, `${path}.${name}`) : [`${path}.${name}`]
  )
}

/** Returns the paths of the fields that are wrong in a message. */
function messageFaults(text: string): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: whatever came
  const message = objectOf(text)?.message as any
  if (!message) return ['message']
  const wrong = strangeFields(message, 'message')
  if (!/^[A-Za-z0-9_:-]{20,}$/.test(String(message.token))) wrong.push('message.token')
  for (const [name, value] of Object.entries(message.data ?? {})) if (typeof value !== 'string') wrong.push(`message.data[${name}]`)
  if (!['normal', 'high'].includes(String(message.android?.priority).toLowerCase())) wrong.push('message.android.priority')
  if (!/^\d+(?:\.\d+)?s$/.test(String(message.android?.ttl))) wrong.push('message.android.ttl')
  if (Buffer.byteLength(JSON.stringify({ ...message.data, ...message.notification })) > MAX_BYTES) wrong.push('message')
  return wrong
}

/** The form in which all of Google's APIs refuse a request. */
const refusal = (code: number, status: string, details: object[] = []): object => ({
  error: { code, status, message: 'As documented', details }
})
const fcmError = (errorCode: string): object => ({ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode })

export async function fakeFcm(t: Teardown, certificate: Certificate | null): Promise<FakeFcm> {
  const fake: FakeFcm = { ...vendor(), tokenUrl: '', gone: new Set(), strange: new Set(), accessTokens: new Set(), asked: 0 }
  const tokens = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    fake.asked += 1
    const fault = await assertionFault(new URLSearchParams(text), fake.tokenUrl)
    const say = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (fault !== null) return say(400, { error: fault, error_description: 'As documented' })
    const access_token = `ya29.access-token-${fake.asked}`
    fake.accessTokens.add(access_token)
    say(200, { access_token, expires_in: 3599, token_type: 'Bearer' })
  })
  await new Promise<void>((resolve) => tokens.listen(0, '127.0.0.1', resolve))
  fake.tokenUrl = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`
  t.teardown(() => {
    tokens.closeAllConnections()
    tokens.close()
  })
  await listen(t, certificate, fake, async (headers, path, text, answer) => {
    const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    if (!fake.accessTokens.has(bearer)) return answer(401, refusal(401, 'UNAUTHENTICATED'))
    if (headers[':method'] !== 'POST' || !/^\/v1\/projects\/[^/]+\/messages:send$/.test(path)) return answer(404, refusal(404, 'NOT_FOUND'))
    if (!path.includes(`/${FCM.project_id}/`)) return answer(403, refusal(403, 'PERMISSION_DENIED'))
    const wrong = messageFaults(text)
    if (wrong.length > 0) {
      const fieldViolations = wrong.map((field) => ({ field, description: 'Invalid' }))
      return answer(
        400,
        refusal(400, 'INVALID_ARGUMENT', [
          fcmError('INVALID_ARGUMENT'),
          { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }
        ])
      )
    }
    const { message: body } = objectOf(text) as { message: { token: string } }
    if (fake.gone.has(body.token)) return answer(404, refusal(404, 'NOT_FOUND', [fcmError('UNREGISTERED')]))
    if (fake.strange.has(body.token)) return answer(403, refusal(403, 'PERMISSION_DENIED', [fcmError('SENDER_ID_MISMATCH')]))
    fake.pushed.push({ token: body.token, headers, body })
    answer(200, { name: `projects/${FCM.project_id}/messages/${fake.pushed.length}` })
  })
  return fake
}

/** The push settings of a deployment that has both accounts. */
export const pushDeployment = (apns: FakeApns, fcm: FakeFcm) => ({
  apns: APNS,
  fcm: FCM,
  base_urls: { apns: apns.url, fcm: fcm.url, fcm_token: fcm.tokenUrl }
})
