/**
 * A TCP proxy on loopback between a client and a real server. It simulates network faults: a reply
 * that is cut off, split or never comes, and a connection that is reset or refused.
 * `startKafkaProxy` knows Kafka's framing, so a test chooses the reply to lose by its request.
 *
 * A broker tells its clients where to find it, so the proxy puts its own port into Metadata
 * replies. It changes nothing else unless the test does.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Link {
  /** Number of the connection, counted from 0. */
  number: number
  /** Resets both sides. */
  cut(): void
  toClient(bytes: Buffer): void
  toServer(bytes: Buffer): void
}

export interface ProxyHooks {
  /** Called with bytes from either side. By default they are passed on. */
  fromClient?(bytes: Buffer, link: Link): void
  fromServer?(bytes: Buffer, link: Link): void
}

export interface TcpProxy {
  port: number
  /** Number of connections so far. */
  count(): number
  /** Resets all open connections. */
  cutAll(): void
  /** No byte passes any more on the connections that are open now, as if the machine were gone. */
  vanish(): void
  /** While true, new connections are reset at once. */
  refuse(refusing: boolean): void
  close(): Promise<void>
}

/**
 * Resets a connection. A connection that has already sent its end is only closed: libuv refuses to
 * reset one that is shutting down, but Node considers the handle closed, and then the process never
 * ends (seen with Node 20.20).
 */
function reset(socket: Socket): void {
  if (socket.destroyed) return
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

export async function startProxy(target: { host: string; port: number }, hooks: ProxyHooks): Promise<TcpProxy> {
  const links = new Set<Link>()
  const silent = new WeakSet<Link>()
  let count = 0
  let refusing = false
  const server = createServer({ noDelay: true }, (client) => {
    if (refusing) return reset(client)
    const upstream = connect({ ...target, noDelay: true })
    const end = (): void => {
      reset(client)
      reset(upstream)
      links.delete(link)
    }
    const write = (socket: Socket) => (bytes: Buffer) => void (socket.destroyed || socket.write(bytes))
    const link: Link = { number: count++, cut: end, toClient: write(client), toServer: write(upstream) }
    links.add(link)
    const { fromClient = (bytes) => link.toServer(bytes), fromServer = (bytes) => link.toClient(bytes) }: ProxyHooks = hooks
    client.on('data', (bytes: Buffer) => void (silent.has(link) || fromClient(bytes, link)))
    upstream.on('data', (bytes: Buffer) => void (silent.has(link) || fromServer(bytes, link)))
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    count: () => count,
    cutAll() {
      for (const link of links) link.cut()
    },
    vanish() {
      for (const link of links) silent.add(link)
    },
    refuse(now) {
      refusing = now
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const link of links) link.cut()
      await closed
    }
  }
}

export interface KafkaRequest {
  /** 0 Produce, 1 Fetch, 3 Metadata, 22 InitProducerId. */
  apiKey: number
  correlationId: number
  /** The part of the request after its header. */
  body: Buffer
  link: Link
}

export interface KafkaHooks {
  /**
   * Decides what to do with a request: pass it on, drop it without a reply, or answer with a reply
   * of the test (without length and correlation id).
   */
  request?(request: KafkaRequest): 'pass' | 'drop' | Buffer
  /**
   * pass: forward the reply; hold: never send it; cut: reset the connection instead; tear: send
   * half of the reply, then reset.
   */
  reply?(request: KafkaRequest, body: Buffer): 'pass' | 'hold' | 'cut' | 'tear'
  /**
   * Replaces the body of a Metadata reply. By default, only the port in it is changed to the
   * proxy's.
   */
  metadata?(body: Buffer): Buffer
}

export const PRODUCE = 0
export const FETCH = 1
export const METADATA = 3

/** Splits a stream of bytes into frames. Each frame has a length of four bytes before it. */
function framer(onFrame: (frame: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0)
      onFrame(rest.subarray(4, end))
      rest = rest.subarray(end)
    }
  }
}

export function frame(...parts: Buffer[]): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(parts.reduce((sum, part) => sum + part.length, 0))
  return Buffer.concat([length, ...parts])
}

/** Returns a reply in the form that the client gets, for a test that held it and sends it later. */
export function reply(correlationId: number, body: Buffer): Buffer {
  const id = Buffer.alloc(4)
  id.writeInt32BE(correlationId)
  return frame(id, body)
}

/**
 * Writes `port` over every broker's port in the body of a Metadata reply, version 1 to 8 with a
 * throttle time.
 */
export function withPort(body: Buffer, port: number): Buffer {
  const copy = Buffer.from(body)
  let at = 8
  for (let brokers = copy.readInt32BE(4); brokers > 0; brokers--) {
    at += 4
    at += 2 + copy.readInt16BE(at)
    at = copy.writeInt32BE(port, at)
    at += 2 + Math.max(copy.readInt16BE(at), 0)
  }
  return copy
}

export async function startKafkaProxy(target: { host: string; port: number }, hooks: KafkaHooks = {}): Promise<TcpProxy> {
  const links = new WeakMap<Link, { fromClient(bytes: Buffer): void; fromServer(bytes: Buffer): void }>()
  const port = { own: 0 }

  function parsers(link: Link): { fromClient(bytes: Buffer): void; fromServer(bytes: Buffer): void } {
    const waiting = new Map<number, KafkaRequest>()
    return {
      fromClient: framer((bytes) => {
        const clientId = Math.max(bytes.readInt16BE(8), 0)
        const request = { apiKey: bytes.readInt16BE(0), correlationId: bytes.readInt32BE(4), body: bytes.subarray(10 + clientId), link }
        const plan = hooks.request?.(request) ?? 'pass'
        if (plan === 'drop') return
        if (plan !== 'pass') return link.toClient(frame(bytes.subarray(4, 8), plan))
        waiting.set(request.correlationId, request)
        link.toServer(frame(bytes))
      }),
      fromServer: framer((bytes) => {
        const request = waiting.get(bytes.readInt32BE(0))
        waiting.delete(bytes.readInt32BE(0))
        const body = bytes.subarray(4)
        const plan = (request && hooks.reply?.(request, body)) ?? 'pass'
        if (plan === 'hold') return
        if (plan === 'cut') return link.cut()
        const reply = request?.apiKey !== METADATA ? body : hooks.metadata ? hooks.metadata(body) : withPort(body, port.own)
        const whole = frame(bytes.subarray(0, 4), reply)
        if (plan === 'pass') return link.toClient(whole)
        link.toClient(whole.subarray(0, whole.length >> 1))
        setImmediate(() => link.cut())
      })
    }
  }

  const of = (link: Link) => {
    const known = links.get(link)
    if (known) return known
    const made = parsers(link)
    links.set(link, made)
    return made
  }
  const proxy = await startProxy(target, {
    fromClient: (bytes, link) => of(link).fromClient(bytes),
    fromServer: (bytes, link) => of(link).fromServer(bytes)
  })
  port.own = proxy.port
  return proxy
}
