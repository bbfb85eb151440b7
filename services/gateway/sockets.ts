/**
 * Manages the open sockets of this instance: what they hear, whose they are, and when they end.
 *
 * The credential of a socket is judged again (rechecks.ts) once it is open, when news about it
 * arrives, when news may have been missed, and when it has run out. So a revocation or the end of a
 * credential closes the socket within 5 s, and a socket that may hear more hears it at once.
 */
import { channelsOf } from '../../schemas/http/rights.ts'
import { openSockets } from '../../schemas/plans.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { heard } from './channels.ts'
import { closeCodes } from './close-codes.ts'
import { createExpiries } from './expiries.ts'
import { type FanOut, staleFrame, systemFrame } from './fan-out.ts'
import { parseMessage } from './messages.ts'
import { createRechecks, judged } from './rechecks.ts'
import { createRoster } from './roster.ts'
import { MAX_MESSAGE_BYTES, MAX_MESSAGES_PER_SECOND, MAX_QUEUED_BYTES, type Seated, subscribe } from './seat.ts'
import { createWheel } from './wheel.ts'

export interface PingOptions {
  slots: number
  slotMs: number
}

export interface SocketsOptions {
  fanOut: Pick<FanOut, 'cursor' | 'staleSince'>
  ping: PingOptions
  /** Wait before a credential that could not be judged is asked for again; ms. */
  askAgainMs: number
  /** Time between two looks for credentials that have run out; ms. */
  expiryMs: number
  /** The clock that decides when credentials end, in epoch ms. */
  now: () => number
  logger: Log
  metrics: Metrics
}

export interface Sockets {
  open(socket: Seated): void
  message(socket: Seated, message: ArrayBuffer, isBinary: boolean): void
  pong(socket: Seated): void
  closed(socket: Seated, code: number): void
  size(): number
  /** Returns an open socket, if there is one. */
  any(): Seated | undefined
  /** Stores how much waits for each socket, because a socket that has closed no longer says it. */
  measure(): void
  /** Judges the sockets of a credential again; null means all sockets. */
  recheck(sha256: string | null): void
  /** Closes every socket with 1001, evenly over `spreadMs`. */
  closeAll(spreadMs: number): Promise<void>
  stop(): void
}

type Hello = (socket: Seated) => void

/** Returns a function that tells a socket what it hears from now on. */
function createHello(fanOut: SocketsOptions['fanOut'], { slots, slotMs }: PingOptions): Hello {
  return (socket) => {
    const { holder, wanted } = socket.getUserData()
    socket.send(
      systemFrame('hello', {
        cursor: fanOut.cursor(holder.tenant_id),
        server_time: new Date().toISOString(),
        channels: heard(holder, wanted),
        limits: {
          open_sockets: openSockets[holder.plan],
          queued_bytes: MAX_QUEUED_BYTES,
          message_bytes: MAX_MESSAGE_BYTES,
          messages_per_second: MAX_MESSAGES_PER_SECOND,
          ping_seconds: (slots * slotMs) / 1000
        }
      })
    )
  }
}

/** Does what a client asks for, or closes its socket. The server calls this handler directly. */
const createReceiver =
  (hello: Hello): Sockets['message'] =>
  (socket, message, isBinary) => {
    const seat = socket.getUserData()
    if (!seat.messages.take(performance.now())) {
      socket.end(closeCodes.tooMany, `at most ${MAX_MESSAGES_PER_SECOND} messages a second`)
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
    hello(socket)
  }

const CLOSE_EVERY_MS = 50

/** Closes the sockets in random order, so that no workspace reconnects all at once. */
async function closeEvenly(sockets: ReadonlySet<Seated>, spreadMs: number): Promise<void> {
  const steps = Math.max(1, Math.floor(spreadMs / CLOSE_EVERY_MS))
  const all = [...sockets].sort(() => Math.random() - 0.5)
  const each = Math.max(1, Math.ceil(all.length / steps))
  for (let first = 0; first < all.length; first += each) {
    if (first > 0) await new Promise((resolve) => setTimeout(resolve, CLOSE_EVERY_MS))
    for (const socket of all.slice(first, first + each)) if (sockets.has(socket)) socket.end(closeCodes.restart, 'restart')
  }
}

export function createSockets({ fanOut, ping, askAgainMs, expiryMs, now, logger, metrics }: SocketsOptions): Sockets {
  const gauge = metrics.gauge('service_gateway_sockets', 'Open sockets')
  const closings = metrics.counter('service_gateway_closed_total', 'Sockets that ended, by code', ['code'])
  const slow = metrics.counter('service_gateway_slow_total', 'Sockets broken off because too much waited for them')
  const queuedBytes = metrics.gauge('service_gateway_queued_bytes', 'Bytes that wait for sockets, when last looked at')
  const roster = createRoster()
  const { sockets } = roster
  const hello = createHello(fanOut, ping)
  const wheel = createWheel<Seated>({
    ...ping,
    ping: (socket) => socket.ping(),
    silent: (socket) => socket.end(closeCodes.noPong, 'no PONG')
  })
  const rechecks = createRechecks<Seated>({ isOpen: (socket) => sockets.has(socket), judge, askAgainMs, logger })
  const expiries = createExpiries<Seated>({ everyMs: expiryMs, now, due: rechecks.add })

  async function judge(socket: Seated): Promise<boolean> {
    const verdict = await socket.getUserData().ask()
    // The socket may have closed meanwhile, and must not be touched then.
    if (!sockets.has(socket)) return true
    const seat = socket.getUserData()
    const outcome = judged(seat.holder, verdict, now())
    if (outcome === 'again') return false
    if ('code' in outcome) {
      socket.end(outcome.code, outcome.reason)
      return true
    }
    const hearsMore = channelsOf(outcome.rights).length > channelsOf(seat.holder.rights).length
    seat.holder = outcome
    expiries.set(socket, outcome.expires_at)
    subscribe(socket)
    if (hearsMore) hello(socket)
    return true
  }

  return {
    open(socket) {
      const { holder, closing } = socket.getUserData()
      if (closing) {
        socket.end(closing.code, closing.reason)
        return
      }
      if (!roster.add(socket)) {
        socket.end(closeCodes.tooMany, 'too many connections')
        return
      }
      gauge.set(sockets.size)
      wheel.add(socket)
      expiries.set(socket, holder.expires_at)
      subscribe(socket)
      hello(socket)
      const since = fanOut.staleSince()
      if (since !== null) socket.send(staleFrame(since))
      // The verdict of the handshake may be older than news that found no socket to close.
      rechecks.add([socket])
    },
    message: createReceiver(hello),
    pong: (socket) => wheel.pong(socket),
    closed(socket, code) {
      closings.inc({ code: String(code) })
      if (!roster.remove(socket)) return
      if (code === 1006 && socket.getUserData().queued > 0) slow.inc()
      wheel.remove(socket)
      expiries.remove(socket)
      rechecks.remove(socket)
      gauge.set(sockets.size)
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
    recheck: (sha256) => rechecks.add(sha256 === null ? sockets : roster.of(sha256)),
    closeAll: (spreadMs) => closeEvenly(sockets, spreadMs),
    stop() {
      wheel.stop()
      expiries.stop()
      rechecks.stop()
    }
  }
}
