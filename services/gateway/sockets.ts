/**
 * The open sockets of this instance: what they hear, who stands behind them, and when they end.
 *
 * A socket's credential is judged again when news of it arrives, when news may have been missed, and when it has run out; while it cannot be judged the
 * socket stays and the question is asked again. So a revocation closes within 5 s (4410), the end of a credential too (4401), and a Postgres that is away closes
 * nothing. A credential that may no longer hear what it heard closes (4403): whoever connects again hears what is left. One that may hear more does at once.
 */
import type { Channel } from '../../schemas/http/channels.ts'
import { channelsOf } from '../../schemas/http/rights.ts'
import { openSockets } from '../../schemas/plans.ts'
import { Bucket } from '../http/rate-buckets.ts'
import type { Socket } from '../http/uws.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { heard, parseChannels, topicsOfListener } from './channels.ts'
import { type Closing, closeCodes } from './close-codes.ts'
import { createExpiries } from './expiries.ts'
import { type FanOut, staleFrame, systemFrame } from './fan-out.ts'
import { type Ask, type Holder, isRefusal } from './identify.ts'
import { createWheel } from './wheel.ts'

/** What hangs on a socket. */
export interface Seat {
  holder: Holder
  ask: Ask
  wanted: Set<Channel>
  /** Decided before the upgrade, told after it: a browser sees close codes, not HTTP statuses. */
  closing: Closing | null
  messages: Bucket
  /** Bytes that waited for it when last looked at. */
  queued: number
}

export const MOST_QUEUED_BYTES = 256 * 1024
export const MOST_MESSAGE_BYTES = 4096
const MESSAGES_PER_SECOND = 10

export const newSeat = (holder: Holder, ask: Ask, channels: { wanted: Set<Channel> } | { unknown: string }): Seat => ({
  holder,
  ask,
  wanted: 'wanted' in channels ? channels.wanted : new Set(),
  closing: 'unknown' in channels ? unknownChannel(channels.unknown) : null,
  messages: new Bucket(MESSAGES_PER_SECOND, MESSAGES_PER_SECOND, performance.now()),
  queued: 0
})

/** A close frame has room for 123 bytes, which must not end within a character. */
const unknownChannel = (name: string): Closing => ({
  code: closeCodes.unknownChannel,
  reason: `unknown channel ${name.slice(0, 64).replace(/[^ -~]/g, '?')}`
})

export interface PingOptions {
  slots: number
  slotMs: number
}

export interface SocketsOptions {
  fanOut: Pick<FanOut, 'cursor' | 'staleSince'>
  ping: PingOptions
  /** Between questions for a credential that could not be judged; ms. */
  askAgainMs: number
  /** Between looks at which credentials have run out; ms. */
  expiryMs: number
  /** The clock that credentials end by, epoch ms. */
  now: () => number
  logger: Log
  metrics: Metrics
}

export interface Sockets {
  open(socket: Socket<Seat>): void
  message(socket: Socket<Seat>, message: ArrayBuffer, isBinary: boolean): void
  pong(socket: Socket<Seat>): void
  closed(socket: Socket<Seat>, code: number): void
  size(): number
  /** One that is open, if any is. */
  any(): Socket<Seat> | undefined
  /** Looks at what waits for each socket: afterwards, how much did is no longer told. */
  measure(): void
  /** Judges the sockets of a credential again; null: all of them. */
  recheck(sha256: string | null): void
  /** Closes every socket with 1001, evenly over `spreadMs`. */
  closeAll(spreadMs: number): Promise<void>
  stop(): void
}

/** A client's message, or why it is none. */
export function parseMessage(
  message: ArrayBuffer,
  isBinary: boolean
): { action: 'subscribe' | 'unsubscribe'; wanted: Set<Channel> } | Closing {
  const bad = (reason: string): Closing => ({ code: closeCodes.badRequest, reason })
  if (isBinary) return bad('messages are text')
  if (message.byteLength > MOST_MESSAGE_BYTES) return bad(`a message has at most ${MOST_MESSAGE_BYTES} bytes`)
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(message).toString())
  } catch {
    return bad('a message is JSON') // The parser's words quote the client's.
  }
  const { action, channels } = (typeof value === 'object' && value !== null ? value : {}) as { action?: unknown; channels?: unknown }
  if (action !== 'subscribe' && action !== 'unsubscribe') return bad('action is subscribe or unsubscribe')
  if (!Array.isArray(channels) || channels.length === 0 || !channels.every((name) => typeof name === 'string'))
    return bad('channels is a list of names')
  const parsed = parseChannels(channels)
  return 'unknown' in parsed ? unknownChannel(parsed.unknown) : { action, wanted: parsed.wanted }
}

const RECHECKS_AT_ONCE = 64
const CLOSE_EVERY_MS = 50

export function createSockets({ fanOut, ping, askAgainMs, expiryMs, now, logger, metrics }: SocketsOptions): Sockets {
  const gauge = metrics.gauge('service_gateway_sockets', 'Open sockets')
  const closings = metrics.counter('service_gateway_closed_total', 'Sockets that ended, by code', ['code'])
  const slow = metrics.counter('service_gateway_slow_total', 'Sockets broken off because too much waited for them')
  const queuedBytes = metrics.gauge('service_gateway_queued_bytes', 'Bytes that wait for sockets, when last looked at')
  const byCredential = new Map<string, Set<Socket<Seat>>>()
  const perTenant = new Map<string, number>()
  const sockets = new Set<Socket<Seat>>()
  const due = new Set<Socket<Seat>>()
  let checking = false
  let again: NodeJS.Timeout | undefined

  const wheel = createWheel<Socket<Seat>>({
    ...ping,
    ping: (socket) => socket.ping(),
    silent: (socket) => socket.end(closeCodes.noPong, 'no PONG')
  })
  const expiries = createExpiries<Socket<Seat>>({ everyMs: expiryMs, now, due: judgeLater })

  function subscribe(socket: Socket<Seat>): void {
    const { holder, wanted } = socket.getUserData()
    const topics = new Set(topicsOfListener(holder, wanted))
    for (const topic of socket.getTopics()) if (!topics.has(topic)) socket.unsubscribe(topic)
    for (const topic of topics) socket.subscribe(topic)
  }

  function hello(socket: Socket<Seat>): void {
    const { holder, wanted } = socket.getUserData()
    socket.send(
      systemFrame('hello', {
        cursor: fanOut.cursor(holder.tenant_id),
        server_time: new Date().toISOString(),
        channels: heard(holder, wanted),
        limits: {
          open_sockets: openSockets[holder.plan],
          queued_bytes: MOST_QUEUED_BYTES,
          message_bytes: MOST_MESSAGE_BYTES,
          messages_per_second: MESSAGES_PER_SECOND,
          ping_seconds: (ping.slots * ping.slotMs) / 1000
        }
      })
    )
  }

  async function judge(socket: Socket<Seat>): Promise<void> {
    const verdict = await socket.getUserData().ask()
    // It may have gone meanwhile, and must not be touched then.
    if (!sockets.has(socket)) return
    const seat = socket.getUserData()
    if (!isRefusal(verdict)) {
      const [before, after] = [channelsOf(seat.holder.rights), channelsOf(verdict.rights)]
      if (before.some((channel) => !after.includes(channel))) {
        socket.end(closeCodes.forbidden, 'the credential may hear less')
        return
      }
      seat.holder = verdict
      expiries.set(socket, verdict.expires_at)
      subscribe(socket)
      if (after.length > before.length) hello(socket)
    } else if (verdict.status === 403) {
      socket.end(closeCodes.forbidden, 'forbidden')
    } else {
      // One that has run out is not kept for want of an answer.
      const { expires_at } = seat.holder
      if (expires_at !== null && expires_at <= now()) socket.end(closeCodes.unauthenticated, 'credential expired')
      else if (verdict.status === 503) due.add(socket)
      else socket.end(closeCodes.revoked, 'credential revoked')
    }
  }

  /** All that are due, some at a time; those without an answer are due again in a while. */
  async function judgeDue(): Promise<void> {
    if (checking) return
    checking = true
    try {
      const judged = [...due]
      due.clear()
      for (let first = 0; first < judged.length; first += RECHECKS_AT_ONCE) {
        await Promise.all(
          judged.slice(first, first + RECHECKS_AT_ONCE).map((socket) =>
            sockets.has(socket)
              ? judge(socket).catch((error: unknown) => {
                  logger.error({ err: error }, 'a credential could not be judged')
                  due.add(socket)
                })
              : null
          )
        )
      }
    } finally {
      checking = false
    }
    clearTimeout(again)
    if (due.size > 0) again = setTimeout(() => void judgeDue(), askAgainMs)
  }

  function judgeLater(some: Iterable<Socket<Seat>>): void {
    for (const socket of some) due.add(socket)
    void judgeDue()
  }

  return {
    open(socket) {
      const { holder, closing } = socket.getUserData()
      if (closing) {
        socket.end(closing.code, closing.reason)
        return
      }
      const open = perTenant.get(holder.tenant_id) ?? 0
      if (open >= openSockets[holder.plan]) {
        socket.end(closeCodes.tooMany, 'too many connections')
        return
      }
      sockets.add(socket)
      perTenant.set(holder.tenant_id, open + 1)
      const mates = byCredential.get(holder.sha256)
      if (mates) mates.add(socket)
      else byCredential.set(holder.sha256, new Set([socket]))
      gauge.set(sockets.size)
      wheel.add(socket)
      expiries.set(socket, holder.expires_at)
      subscribe(socket)
      hello(socket)
      const since = fanOut.staleSince()
      if (since !== null) socket.send(staleFrame(since))
    },
    message(socket, message, isBinary) {
      const seat = socket.getUserData()
      if (!seat.messages.take(performance.now())) {
        socket.end(closeCodes.tooMany, `at most ${MESSAGES_PER_SECOND} messages a second`)
        return
      }
      const parsed = parseMessage(message, isBinary)
      if ('code' in parsed) {
        socket.end(parsed.code, parsed.reason)
        return
      }
      for (const channel of parsed.wanted) {
        if (parsed.action === 'subscribe') seat.wanted.add(channel)
        else seat.wanted.delete(channel)
      }
      subscribe(socket)
      hello(socket) // Says what it hears from here on.
    },
    pong: (socket) => wheel.pong(socket),
    closed(socket, code) {
      closings.inc({ code: String(code) })
      if (!sockets.delete(socket)) return
      const { holder, queued } = socket.getUserData()
      if (code === 1006 && queued > 0) slow.inc()
      wheel.remove(socket)
      expiries.remove(socket)
      due.delete(socket)
      gauge.set(sockets.size)
      const left = (perTenant.get(holder.tenant_id) ?? 1) - 1
      if (left > 0) perTenant.set(holder.tenant_id, left)
      else perTenant.delete(holder.tenant_id)
      const mates = byCredential.get(holder.sha256)
      mates?.delete(socket)
      if (mates?.size === 0) byCredential.delete(holder.sha256)
    },
    size: () => sockets.size,
    any: () => sockets.values().next().value,
    measure() {
      let sum = 0
      for (const socket of sockets) {
        const queued = socket.getBufferedAmount()
        socket.getUserData().queued = queued
        sum += queued
      }
      queuedBytes.set(sum)
    },
    recheck(sha256) {
      judgeLater(sha256 === null ? sockets : (byCredential.get(sha256) ?? []))
    },
    async closeAll(spreadMs) {
      const steps = Math.max(1, Math.floor(spreadMs / CLOSE_EVERY_MS))
      const all = [...sockets].sort(() => Math.random() - 0.5)
      const each = Math.max(1, Math.ceil(all.length / steps))
      for (let first = 0; first < all.length; first += each) {
        if (first > 0) await new Promise((resolve) => setTimeout(resolve, CLOSE_EVERY_MS))
        for (const socket of all.slice(first, first + each)) if (sockets.has(socket)) socket.end(closeCodes.restart, 'restart')
      }
    },
    stop() {
      wheel.stop()
      expiries.stop()
      clearTimeout(again)
      due.clear()
    }
  }
}
