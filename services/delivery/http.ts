/**
 * Sends one HTTP request. The name is resolved once, every address is judged, and the connection
 * goes to a judged address. TLS is verified, no redirect is followed, and every phase and the
 * answer have a limit. Connections are kept for the next request to the same host; each was judged
 * when it was opened.
 * Source: docs/design/outbound-channels.md#s1-3.
 */
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { HttpRequest, SendReply } from '../channels/channel.ts'
import { type AddressGuard, createAddressGuard, type Resolve } from '../http/address-guard.ts'
import { failureOf, SendFailure } from './failure.ts'
import { createHttp2Sender } from './http2.ts'

export interface HttpLimits {
  connectMs: number
  totalMs: number
  /** Limit of the answer; the rest is not waited for. Default 64 KiB. */
  maxReplyBytes?: number
}

export const usualLimits: HttpLimits = { connectMs: 5000, totalMs: 15_000 }

const MAX_REPLY_BYTES = 65_536
const MAX_HEADER_BYTES = 16_384
/** Idle connections are closed earlier than most servers would close them. */
const IDLE_MS = 4000
/** How many connections to one host are kept: as many as deliveries are sent at once. */
const MAX_KEPT = 256

export interface HttpSender {
  /** Rejects with SendFailure when nothing came back. */
  send(request: HttpRequest, limits?: HttpLimits): Promise<SendReply>
  close(): void
}

export interface HttpSenderOptions {
  /** Guards requests to hosts that a workspace names. */
  guard: AddressGuard
  resolve: Resolve
  /** Allows plain http to hosts that a workspace names. */
  allowHttp: boolean
  /** Certificates to trust in addition to the usual ones; for tests. */
  ca?: string
}

interface Way {
  guard: AddressGuard
  http: HttpAgent
  https: HttpsAgent
}

export function createHttpSender({ guard, resolve, allowHttp, ca }: HttpSenderOptions): HttpSender {
  const way = (judge: AddressGuard): Way => {
    const options = { keepAlive: true, maxFreeSockets: MAX_KEPT, timeout: IDLE_MS, scheduling: 'lifo' } as const
    return { guard: judge, http: new HttpAgent(options), https: new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) }) }
  }
  // Hosts of vendors, and hosts that the operator sets, may have any address.
  const open = way(createAddressGuard({ open: ['0.0.0.0/0', '::/0'], closed: [], own: [] }))
  const guarded = way(guard)
  const http2 = createHttp2Sender({ lookup: (port) => open.guard.lookup(port, resolve), ...(ca !== undefined && { ca }) })

  async function send(request: HttpRequest, limits: HttpLimits = usualLimits): Promise<SendReply> {
    if (request.http2) {
      if (request.guarded) throw new SendFailure('unsupported', 'Over HTTP/2 nothing is sent to hosts that a workspace names')
      return http2.send(request, checkedUrl(request.url), limits)
    }
    const { guard: judge, http, https } = request.guarded ? guarded : open
    const url = checkedUrl(request.url)
    const isTls = url.protocol === 'https:'
    if (!isTls && request.guarded && !allowHttp)
      throw new SendFailure('blocked_target', 'The address must begin with https://: the operator of this service has not opened http')
    const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // Node does not call `lookup` for a literal address.
    if (isIP(host) !== 0)
      await judge.resolve(host, port, 0, resolve).catch((error: unknown) => {
        throw failureOf(error, false)
      })
    return exchange(request, url, limits, isTls ? https : http, judge.lookup(port, resolve))
  }

  return {
    send,
    close() {
      for (const agent of [open.http, open.https, guarded.http, guarded.https]) agent.destroy()
      http2.close()
    }
  }
}

function checkedUrl(text: string): URL {
  if (!URL.canParse(text)) throw new SendFailure('blocked_target', 'The address is no URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new SendFailure('blocked_target', 'The address must begin with https://')
  if (url.username !== '' || url.password !== '') throw new SendFailure('blocked_target', 'The address must not name a user')
  return url
}

function exchange(
  request: HttpRequest,
  url: URL,
  limits: HttpLimits,
  agent: HttpAgent | HttpsAgent,
  lookup: LookupFunction
): Promise<SendReply> {
  return new Promise((done, failed) => {
    const body = request.body === null ? null : Buffer.from(request.body)
    const options = {
      method: request.method,
      headers: { ...request.headers, ...(body && { 'content-length': String(body.length) }) },
      agent,
      lookup,
      maxHeaderSize: MAX_HEADER_BYTES
    }
    const sent: ClientRequest = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
    let connected = false
    let connecting: NodeJS.Timeout | undefined
    let reading: Reading | null = null
    const timers = (): void => {
      clearTimeout(total)
      clearTimeout(connecting)
    }
    const fail = (error: unknown): void => {
      timers()
      if (reading && request.status_counts) done(reading.soFar())
      else failed(failureOf(error, connected))
      sent.destroy()
    }
    const total = setTimeout(
      () => fail(new SendFailure('timeout', `No answer within ${limits.totalMs / 1000} s`, connected)),
      limits.totalMs
    )
    sent.on('error', fail)
    sent.on('socket', (socket: Socket) => {
      const ready = (): void => {
        clearTimeout(connecting)
        connected = true
      }
      if (!socket.connecting) return ready()
      connecting = setTimeout(
        () => fail(new SendFailure('timeout', `No connection within ${limits.connectMs / 1000} s`)),
        Math.min(limits.connectMs, limits.totalMs)
      )
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', ready)
    })
    sent.on('response', (message) => {
      reading = readReply(message, limits.maxReplyBytes ?? MAX_REPLY_BYTES)
      reading.whole.then((reply) => {
        timers()
        done(reply)
      }, fail)
    })
    sent.end(body ?? undefined)
  })
}

interface Reading {
  /** Rejects when the answer is cut. */
  whole: Promise<SendReply>
  /** The answer with what has been read of it. */
  soFar(): SendReply
}

/** Reads the first `most` bytes of the answer and does not wait for the rest. */
function readReply(message: IncomingMessage, most: number): Reading {
  const pieces: Buffer[] = []
  const soFar = (): SendReply => {
    const headers = Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')])
    )
    return { status: message.statusCode ?? 0, headers, body: Buffer.concat(pieces).subarray(0, most).toString('utf8') }
  }
  const whole = new Promise<SendReply>((done, failed) => {
    let bytes = 0
    const finish = (): void => done(soFar())
    message.on('data', (piece: Buffer) => {
      pieces.push(piece)
      bytes += piece.length
      if (bytes < most) return
      finish()
      message.destroy()
    })
    message.on('end', finish)
    message.on('error', failed)
    message.on('close', () => failed(Object.assign(new Error('cut'), { code: 'ECONNRESET' })))
  })
  return { whole, soFar }
}
