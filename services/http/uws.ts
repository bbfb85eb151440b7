/**
 * The socket server of intake and gateway: uWebSockets.js, with the few types that the two roles
 * use. Which build of it runs: socket-server.ts. Rules that are easy to forget:
 * - An HttpRequest is valid only during the call of its handler; an ArrayBuffer that a handler
 *   gets, only during that call.
 * - An HttpResponse that is not answered inside the handler needs `onAborted`. It must not be used
 *   after `onAborted` was called or after it was ended.
 * - Writes outside the handler belong into `cork`, so that status, headers and body leave in one
 *   write.
 * - An upgrade outside the handler is the exception: it must never run inside the `cork` of its own
 *   response (uNetworking/uWebSockets 1929: the server closes what it opened).
 * - The server itself closes a connection, without an answer, when it is idle between requests or
 *   inside one for 8 to 12 s, when its body comes slower than 16 KB/s, or when its request cannot
 *   be read. It answers `Expect: 100-continue` itself.
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
  /** Returns the value of a header, empty when absent. The name must be in lower case. */
  getHeader(name: string): string
  /** Path segment matched by the pattern's parameter at `index`, as sent (not percent-decoded). */
  getParameter(index: number): string
  /** The path, without the query. */
  getUrl(): string
  /** Lower case. */
  getMethod(): string
  /** The whole raw query. */
  getQuery(): string
  /** One query parameter, percent-decoded; empty when absent. */
  getQuery(name: string): string
}

export interface HttpResponse {
  /** Writes the status line, for example `404 Not Found`; must come first. */
  writeStatus(status: string): HttpResponse
  writeHeader(name: string, value: string): HttpResponse
  /**
   * Ends the answer. `closeConnection` also ends the connection, after the answer has left. The
   * rest of the request's body is read and dropped.
   */
  end(body?: Bytes, closeConnection?: boolean): HttpResponse
  /** Cuts the connection off; `onAborted` runs. */
  close(): HttpResponse
  onAborted(handler: () => void): HttpResponse
  /** The handler is called at least once. `chunk` is valid only during the call. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse
  /**
   * Everything must be written inside `write`, which runs once the server has read on: at once if
   * it already has.
   */
  cork(write: () => void): HttpResponse
  /** Address of the peer, as text in bytes. */
  getRemoteAddressAsText(): ArrayBuffer
}

/** The response to a request to upgrade. */
export interface HandshakeResponse extends HttpResponse {
  /**
   * Runs `work` once the server has read everything that came with the request: at once if it
   * already has, never if the sender has left.
   */
  afterReading(work: () => void): void
  /**
   * Answers a handshake with an upgrade. The header values are those of the request, `context` is
   * that of the `upgrade` handler.
   */
  upgrade<Data>(data: Data, request_id: string, key: string, protocol: string, extensions: string, context: UpgradeContext): void
}

/** The types of the binary itself; only edge.ts uses them. */
export type NativeRequest = uws.HttpRequest
export type NativeResponse = uws.HttpResponse

/** Opaque value that the `upgrade` handler passes to `HttpResponse.upgrade`. */
export type UpgradeContext = uws.us_socket_context_t

/** Outcome of a send: backpressure built up, sent, or dropped because the limit was reached. */
export const Sent = { queued: 0, ok: 1, dropped: 2 } as const

/** Valid from `open` until `close` was called. */
export interface Socket<Data> {
  /** One of `Sent`. */
  send(message: Bytes, isBinary?: boolean, compress?: boolean): number
  ping(message?: Bytes): number
  /** Bytes that wait to be sent to the peer. */
  getBufferedAmount(): number
  /** Sends a close frame and ends the connection; `close` runs inside the call. */
  end(code?: number, reason?: string): void
  /** Cuts the connection off without a close frame; `close` runs inside the call. */
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
  /** At `maxBackpressure`: true closes the socket, false skips the message. */
  closeOnBackpressureLimit?: boolean
  /** Bytes. Default 64 KiB. */
  maxBackpressure?: number
  /**
   * Seconds without traffic until the socket is closed, in steps of 4; 0 for never. Default 120.
   */
  idleTimeout?: number
  /** The server sends pings itself to stay within `idleTimeout`. Default true. */
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
  /** Handles every method, for requests that no earlier, more exact route took. */
  any(pattern: string, handler: Handler): App
  ws<Data>(pattern: string, behavior: SocketBehavior<Data>): App
  /** Sends to every socket that is subscribed to `topic`. Returns false when there is none. */
  publish(topic: string, message: Bytes, isBinary?: boolean, compress?: boolean): boolean
  numSubscribers(topic: string): number
  /** Resolves to the port; 0 chooses a free one. Rejects when the address cannot be used. */
  listen(host: string, port: number): Promise<number>
  /** Accepts no more connections; open ones stay. */
  stopListening(): void
  /** Cuts off every connection. Call it after `stopListening`. */
  close(): void
}

/** Throws an error of one sentence when no build of the server fits (socket-server.ts). */
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
