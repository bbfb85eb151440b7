/**
 * The socket server of intake and gateway: uWebSockets.js, behind the few types that the two roles
 * use. Which build of it runs: socket-server.ts. What holds here and is easy to forget:
 * - an HttpRequest lives for the duration of the handler's call only; an ArrayBuffer handed to a
 *   handler, for that of the handler's call;
 * - an HttpResponse that is not answered inside the handler needs `onAborted`, and is dead once
 *   that was called or once it was ended;
 * - writes outside the handler belong into `cork`, so that status, headers and body leave in one
 *   write;
 * - an upgrade outside the handler is the exception: never inside the `cork` of its own response
 *   (uNetworking/uWebSockets 1929: it closes what it opened);
 * - the server itself closes, without an answer, a connection that is idle between requests or
 *   inside one for 8 to 12 s, whose body comes slower than 16 KB/s, or whose request it cannot
 *   read; it answers `Expect: 100-continue` itself.
 *
 * Which requests a handler sees, and when an answer leaves: edge.ts.
 * Source: uWebSockets.js 20.30 and 20.57, index.d.ts; measured on their binaries for Node 20 and
 * 24.
 */
import type * as uws from 'uwebsockets-current'
import { createEdge, endTurn } from './edge.ts'
import { socketServer } from './socket-server.ts'

/** Text or bytes, as the server takes them. Text becomes UTF-8. */
export type Bytes = string | ArrayBuffer | Uint8Array

export interface HttpRequest {
  /** Empty when absent. The name is lower case. */
  getHeader(name: string): string
  /** Path segment matched by the pattern's parameter at `index`, as sent (not percent-decoded). */
  getParameter(index: number): string
  /** Path, without the query. */
  getUrl(): string
  /** Lower case. */
  getMethod(): string
  /** The whole raw query. */
  getQuery(): string
  /** One parameter, percent-decoded; empty when absent. */
  getQuery(name: string): string
}

export interface HttpResponse {
  /** For example `404 Not Found`; comes first. */
  writeStatus(status: string): HttpResponse
  writeHeader(name: string, value: string): HttpResponse
  /**
   * Ends the answer; `closeConnection` also ends the connection, after the answer left. A rest of
   * the request's body is read and dropped.
   */
  end(body?: Bytes, closeConnection?: boolean): HttpResponse
  /** Breaks the connection off; `onAborted` runs. */
  close(): HttpResponse
  onAborted(handler: () => void): HttpResponse
  /** Called at least once; `chunk` is gone after the call. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse
  /**
   * Everything is written in here. Runs `write` once the server has read on, at once where it has.
   */
  cork(write: () => void): HttpResponse
  /** Address of the peer, as text in bytes. */
  getRemoteAddressAsText(): ArrayBuffer
}

/** Of a request to upgrade. */
export interface HandshakeResponse extends HttpResponse {
  /**
   * Runs `work` once the server has read all that came with the request: at once where it has;
   * never once the sender left.
   */
  afterReading(work: () => void): void
  /**
   * Answers a handshake; header values are those of the request, `context` that of the `upgrade`
   * handler.
   */
  upgrade<Data>(data: Data, request_id: string, key: string, protocol: string, extensions: string, context: UpgradeContext): void
}

/** As the binary hands them out: for edge.ts alone. */
export type NativeRequest = uws.HttpRequest
export type NativeResponse = uws.HttpResponse

/** Opaque: goes from the `upgrade` handler into `HttpResponse.upgrade`. */
export type UpgradeContext = uws.us_socket_context_t

/** Outcome of a send: backpressure built up, sent, or dropped because the limit was reached. */
export const Sent = { queued: 0, ok: 1, dropped: 2 } as const

/** Valid from `open` until `close` was called. */
export interface Socket<Data> {
  /** One of `Sent`. */
  send(message: Bytes, isBinary?: boolean, compress?: boolean): number
  ping(message?: Bytes): number
  /** Bytes that wait for the peer. */
  getBufferedAmount(): number
  /** Sends a close frame and ends the connection; `close` runs inside the call. */
  end(code?: number, reason?: string): void
  /** Breaks the connection off without a close frame; `close` runs inside the call. */
  close(): void
  subscribe(topic: string): boolean
  unsubscribe(topic: string): boolean
  getTopics(): string[]
  cork(write: () => void): Socket<Data>
  getUserData(): Data
  getRemoteAddressAsText(): ArrayBuffer
}

export interface SocketBehavior<Data> {
  /** A longer message closes the socket. Default 16 KiB. */
  maxPayloadLength?: number
  /** Closes a socket instead of skipping a message once `maxBackpressure` is reached. */
  closeOnBackpressureLimit?: boolean
  /** Bytes. Default 64 KiB. */
  maxBackpressure?: number
  /**
   * Seconds without traffic until the socket is closed, in steps of 4; 0 for never. Default 120.
   */
  idleTimeout?: number
  /** Pings by itself to keep within `idleTimeout`. Default true. */
  sendPingsAutomatically?: boolean
  /** Minutes; 0 for ever. */
  maxLifetime?: number
  upgrade?(response: HandshakeResponse, request: HttpRequest, context: UpgradeContext): void
  open?(socket: Socket<Data>): void
  message?(socket: Socket<Data>, message: ArrayBuffer, isBinary: boolean): void
  drain?(socket: Socket<Data>): void
  pong?(socket: Socket<Data>, message: ArrayBuffer): void
  close?(socket: Socket<Data>, code: number, message: ArrayBuffer): void
}

export type Handler = (response: HttpResponse, request: HttpRequest) => void

export interface App {
  get(pattern: string, handler: Handler): App
  post(pattern: string, handler: Handler): App
  /** Every method; reached by what no earlier, more exact route took. */
  any(pattern: string, handler: Handler): App
  ws<Data>(pattern: string, behavior: SocketBehavior<Data>): App
  /** To every socket subscribed to `topic`; false when nobody is. */
  publish(topic: string, message: Bytes, isBinary?: boolean, compress?: boolean): boolean
  numSubscribers(topic: string): number
  /** Resolves to the port, a free one for 0. Rejects when the address cannot be had. */
  listen(host: string, port: number): Promise<number>
  /** Accepts no further connection; what is connected stays. */
  stopListening(): void
  /** Breaks every connection off, after `stopListening`. */
  close(): void
}

/** Throws one sentence where no build of the server fits (socket-server.ts). */
export function createApp(): App {
  const server = socketServer()
  const native = server.App()
  const edge = createEdge()
  let listening: uws.us_listen_socket | null = null
  const stopListening = (): void => {
    if (listening) server.us_listen_socket_close(listening)
    listening = null
  }
  const app: App = {
    get: (pattern, handler) => {
      native.get(pattern, edge.guarded(handler))
      return app
    },
    post: (pattern, handler) => {
      native.post(pattern, edge.guarded(handler))
      return app
    },
    any: (pattern, handler) => {
      native.any(pattern, edge.guarded(handler))
      return app
    },
    ws: <Data>(pattern: string, { upgrade, ...behavior }: SocketBehavior<Data>) => {
      native.ws<Data>(pattern, {
        ...behavior,
        ...(upgrade && { upgrade: edge.guardedUpgrade(upgrade) })
      })
      return app
    },
    publish: (topic, message, isBinary, compress) => native.publish(topic, message, isBinary, compress),
    numSubscribers: (topic) => native.numSubscribers(topic),
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        native.listen(host, port, (socket) => {
          if (!socket) {
            reject(new Error(`cannot listen on ${host}:${port}: the address is taken or not of this machine`))
            return
          }
          listening = socket
          resolve(server.us_socket_local_port(socket))
        })
      }),
    stopListening,
    close: () => {
      stopListening()
      endTurn()
      native.close()
    }
  }
  return app
}
