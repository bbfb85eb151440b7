/**
 * websocket: performs the upgrade on a connection that the check opens itself, and reads the
 * messages.
 */
import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { isSecretHeader } from '../../../schemas/http/check-config.ts'
import type { WebSocketConfig } from '../../../schemas/http/check-types/websocket.ts'
import { sentText } from '../../../schemas/http/exchange-settings.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { attemptsOf, type Edge, type Running } from '../attempt.ts'
import { encrypt, openTo, unlessAborted } from '../connection.ts'
import { CheckFailure, timedOut, withoutStatus } from '../failure.ts'
import { secretsOf } from '../found.ts'
import { Body } from '../http-body.ts'
import { isHeader } from '../http-plan.ts'
import { isStatus } from '../http-shapes.ts'
import { factsOf, type Judged, judge, judgedOf } from '../judging.ts'
import { PlanFault, type ProberType } from '../prober-type.ts'
import { enoughOf } from '../replies.ts'
import { familyOf } from '../targets.ts'

interface WebSocketPlan extends Judged {
  url: URL
  headers: Readonly<Record<string, string>>
  hasSecrets: boolean
  subprotocols: string[]
  send: string | null
  isAnswered: boolean
  verify: boolean
  family: 0 | 4 | 6
}

const MAX_MESSAGE_BYTES = 65_536
/** Messages that are read; the expected one must be among them. */
const MAX_MESSAGES = 8
/** Time before the end of the attempt at which what has arrived is judged. */
const LAST_MS = 50
const ours = /^(connection|upgrade|content-length|transfer-encoding|sec-websocket-.*)$/

function planWebSocket(assignment: Assignment, userAgent: string): WebSocketPlan {
  const { target } = assignment
  const { headers: written = [], subprotocols, send, expect, verify_tls, ip_family } = assignment.config as WebSocketConfig
  const url = URL.canParse(target) ? new URL(target) : null
  if (!url || (url.protocol !== 'ws:' && url.protocol !== 'wss:')) throw new PlanFault('The target is no ws or wss address')
  const headers: Record<string, string> = { 'user-agent': userAgent }
  for (const { name, value } of written) {
    const lower = name.toLowerCase()
    if (ours.test(lower) || value === null) continue
    if (!isHeader(lower, value)) throw new PlanFault('A header has characters that HTTP does not allow')
    headers[lower] = value
  }
  return {
    ...judgedOf(assignment, expect ?? null),
    url,
    headers,
    hasSecrets: written.some(isSecretHeader),
    secrets: written.filter(isSecretHeader).flatMap(({ value }) => secretsOf(value ?? '')),
    subprotocols: subprotocols ?? [],
    send: sentText(send),
    isAnswered: Boolean(expect) || assignment.assertions.some(({ source }) => source === 'text'),
    verify: verify_tls ?? true,
    family: familyOf(ip_family)
  }
}

/** Waits for the upgrade. Rejects with CheckFailure if the server does not switch protocols. */
async function upgrade(socket: WebSocket, plan: WebSocketPlan, { report, signal }: Running): Promise<void> {
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => {
      if (!isStatus(statusCode)) return reject(withoutStatus())
      report.status = statusCode
      const isRefused = plan.hasSecrets && (statusCode === 401 || statusCode === 403)
      reject(new CheckFailure(isRefused ? 'auth' : 'http_status', `The server answers the upgrade with the status ${statusCode}`))
    })
    // The library's other errors are about the handshake or frames; errors of the connection have a
    // code.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code && !error.code.startsWith('WS_') ? error : new CheckFailure('protocol', 'The server does not speak WebSocket'))
    )
  })
  await unlessAborted(opened, signal)
}

/** Collects messages as they come. The first one may come together with the upgrade. */
class Inbox {
  readonly #kept: Buffer[] = []
  #isClosed = false
  #wake: () => void = () => undefined

  constructor(socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      if (this.#kept.length < MAX_MESSAGES) this.#kept.push(data)
      this.#wake()
    })
    socket.on('close', () => {
      this.#isClosed = true
      this.#wake()
    })
  }

  /** Returns the next message; null if none came within `limitMs`, or none can come. */
  async next(limitMs: number): Promise<Buffer | null> {
    if (this.#kept.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return this.#kept.shift() ?? null
  }

  get isClosed(): boolean {
    return this.#isClosed
  }
}

/** Returns the expected message, or the last one that came. */
async function listen(inbox: Inbox, plan: WebSocketPlan, running: Running, edge: Edge): Promise<Body> {
  const { watch, signal, deadlineAt } = running
  const isEnough = enoughOf(plan, factsOf(running, edge), edge)
  let body: Body | null = null
  for (let seen = 0; seen < MAX_MESSAGES; seen++) {
    // Once a message has come, it is judged before the time is over.
    const limitMs = deadlineAt - performance.now() + (body ? -LAST_MS : LAST_MS)
    const data = await unlessAborted(inbox.next(limitMs), signal)
    if (data === null) break
    if (seen === 0) watch.enter('download')
    body = new Body([data])
    if (!isEnough || (await isEnough(body))) break
  }
  if (body) return body
  if (inbox.isClosed) throw new CheckFailure('protocol', 'The connection was closed before a message came')
  throw timedOut(watch.phase)
}

async function perform(plan: WebSocketPlan, running: Running, edge: Edge): Promise<void> {
  const { watch, report } = running
  const { url } = plan
  const isTls = url.protocol === 'wss:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const plain = await openTo({ host, port: Number(url.port) || (isTls ? 443 : 80), family: plan.family }, edge.network, running)
  let socket: WebSocket | null = null
  try {
    const wish = { host, verify: plan.verify, protocols: ['http/1.1'] }
    const connection: Socket = isTls ? await encrypt(plain, wish, running) : plain
    watch.enter('request')
    socket = new WebSocket(url, plan.subprotocols, {
      createConnection: () => connection,
      headers: plan.headers,
      followRedirects: false,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES
    })
    const inbox = new Inbox(socket)
    watch.enter('ttfb')
    await upgrade(socket, plan, running)
    report.status = 101
    if (plan.send !== null) socket.send(plan.send)
    const body = plan.isAnswered ? await listen(inbox, plan, running, edge) : new Body([])
    running.ended()
    report.bytes = plan.isAnswered ? body.length : null
    await judge(plan, report, { facts: factsOf(running, edge), body }, edge)
  } finally {
    socket?.terminate()
    plain.destroy()
  }
}

export const type: ProberType = {
  plan(assignment, { userAgent }) {
    const plan = planWebSocket(assignment, userAgent)
    return attemptsOf(assignment, (running, edge) => perform(plan, running, edge))
  }
}
