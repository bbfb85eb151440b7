/**
 * Checks every request before a handler of intake or gateway sees it. A handler sees only requests
 * whose end is clear, and nothing that follows a request whose end may not be clear.
 *
 * uWebSockets.js by itself (20.30; 20.57 in part) uses the first of two lengths, takes any
 * Transfer-Encoding for chunks, reads chunks loosely (an extension counts as digits, what follows a
 * chunk is skipped, trailers are read as a request), overlooks every header after one without a
 * name, and reads what follows `Connection: close` in the same segment. Therefore:
 * - A request must have one Host and at most one of Content-Length, all digits, and
 *   Transfer-Encoding, `chunked`. Any other request is refused with 400, and its connection ends.
 *   Version 20.57 refuses some of them before us, with a page of its own that has no request id.
 * - A request with a length is handed on as it is. The answer to any other request is sent only
 *   after everything that came with the request was read. The server closes a connection when a
 *   request arrives before the answer to the last one. So the body that a hidden header announces
 *   is never taken for the next request.
 * - An answer to a body in chunks ends its connection, because two readers may not agree where that
 *   body ended.
 *
 * Headers are read once, all of them. That costs no more than asking for the needed ones (100 ns
 * each, either way).
 */
import { failed, tell } from './answer.ts'
import { idOf } from './request-id.ts'
import type { Bytes, Handler, HandshakeResponse, HttpRequest, HttpResponse, NativeRequest, NativeResponse, UpgradeContext } from './uws.ts'

const METHODS: ReadonlyMap<string, string> = new Map(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, method.toLowerCase()])
)

/**
 * How long an answer to a body in chunks waits for the rest of the body, which is dropped. A
 * connection that is closed with unread bytes may lose its answer.
 */
const REST_MS = 1000

/**
 * The request of the handler that is running. There is only one, because handlers run one after the
 * other. A call after its handler has returned throws an error.
 */
class Asked implements HttpRequest {
  private names: string[] = []
  private values: string[] = []
  private count = 0
  private hosts = 0
  private lengths = 0
  private codings = 0
  private framing = ''
  private method: string | undefined
  private native: NativeRequest | undefined

  private readonly take = (name: string, value: string): void => {
    this.names[this.count] = name
    this.values[this.count++] = value
    if (name.length === 4) {
      if (name === 'host') this.hosts++
    } else if (name.length === 14) {
      if (name === 'content-length') {
        this.lengths++
        this.framing = value
      }
    } else if (name.length === 17 && name === 'transfer-encoding') {
      this.codings++
      this.framing = value
    }
  }

  read(native: NativeRequest): void {
    this.native = native
    this.count = this.hosts = this.lengths = this.codings = 0
    this.method = METHODS.get(native.getCaseSensitiveMethod())
    native.forEach(this.take)
  }

  forget(): void {
    this.native = undefined
  }

  /**
   * Returns what is wrong with the form of the request, in words for its sender; null when it may
   * be read.
   */
  fault(): string | null {
    if (this.method === undefined) return 'There is no such method here'
    if (this.hosts !== 1) return 'Expected one Host header'
    if (this.lengths + this.codings > 1) return 'Expected one Content-Length or Transfer-Encoding'
    if (this.lengths === 1 && !isLength(this.framing)) return 'Content-Length is not a number of at most nine digits'
    if (this.codings === 1 && this.framing.toLowerCase() !== 'chunked') return 'Transfer-Encoding must be chunked'
    return null
  }

  inChunks(): boolean {
    return this.codings > 0
  }

  /** True when its one length says where it ends. */
  isSized(): boolean {
    return this.lengths === 1
  }

  hasBody(): boolean {
    return this.lengths + this.codings > 0
  }

  /** Returns the value of a header. Several values of one name become a list (RFC 9110, 5.3). */
  getHeader(name: string): string {
    const { names, values, count } = this
    this.current()
    let found = ''
    for (let at = 0; at < count; at++) if (names[at] === name) found = found === '' ? (values[at] ?? '') : `${found}, ${values[at]}`
    return found
  }

  getMethod(): string {
    return this.method ?? ''
  }

  getParameter(index: number): string {
    return this.current().getParameter(index) ?? ''
  }

  getUrl(): string {
    return this.current().getUrl()
  }

  getQuery(name?: string): string {
    return name === undefined ? this.current().getQuery() : (this.current().getQuery(name) ?? '')
  }

  private current(): NativeRequest {
    if (!this.native) throw new Error('the request is over: what is needed of it must be read inside its handler')
    return this.native
  }
}

/** Whether the text is a length. The server itself reads at most nine digits. */
function isLength(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) return false
  }
  return text !== '' && text.length <= 9
}

/** Responses of requests for which data came in during this turn of the loop. */
let turn: Answer[] = []

/** Sends the answers that wait for the end of this turn. */
export function endTurn(): void {
  const read = turn
  turn = []
  for (const answer of read) answer.release()
}

/**
 * One answer. It is sent after the turn of the loop in which its request, or a part of it, was
 * read.
 */
class Answer implements HandshakeResponse {
  private reading = false
  private whole = false
  private over = false
  private waiting: (() => void) | null = null
  private gone: (() => void) | null = null

  constructor(
    private readonly native: NativeResponse,
    /** True when the answer ends the connection; it then waits for the end of the body. */
    private readonly isLast: boolean
  ) {
    this.reads()
    native.onAborted(() => {
      this.over = true
      this.waiting = null
      this.gone?.()
    })
    if (isLast) this.onData(() => undefined)
  }

  private reads(): void {
    if (this.reading || this.over) return
    this.reading = true
    if (turn.push(this) === 1) setImmediate(endTurn)
  }

  release(): void {
    this.reading = false
    const work = this.waiting
    this.waiting = null
    if (work && !this.over) work()
  }

  afterReading(work: () => void): void {
    if (this.reading) this.waiting = work
    else if (!this.over) work()
  }

  cork(write: () => void): HttpResponse {
    this.afterReading(() => {
      if (this.isLast && !this.whole) this.awaitBody(write)
      else this.native.cork(write)
    })
    return this
  }

  /** Answers when the rest of the body has come, or after REST_MS. The body is dropped. */
  private awaitBody(write: () => void): void {
    const answer = (): void => {
      clearTimeout(timer)
      if (!this.over) this.native.cork(write)
    }
    const timer = setTimeout(answer, REST_MS)
    this.native.onData((_chunk, isLast) => {
      if (isLast) setImmediate(answer) // Not while the server is still reading.
    })
  }

  writeStatus(status: string): HttpResponse {
    this.native.writeStatus(status)
    return this
  }

  writeHeader(name: string, value: string): HttpResponse {
    this.native.writeHeader(name, value)
    return this
  }

  end(body?: Bytes, closeConnection = false): HttpResponse {
    this.over = true
    this.native.end(body, closeConnection || this.isLast)
    return this
  }

  close(): HttpResponse {
    this.over = true
    this.native.close()
    return this
  }

  onAborted(handler: () => void): HttpResponse {
    this.gone = handler
    return this
  }

  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse {
    this.native.onData((chunk, isLast) => {
      this.reads()
      this.whole = isLast
      handler(chunk, isLast)
    })
    return this
  }

  getRemoteAddressAsText(): ArrayBuffer {
    return this.native.getRemoteAddressAsText()
  }

  upgrade<Data>(data: Data, request_id: string, key: string, protocol: string, extensions: string, context: UpgradeContext): void {
    this.over = true
    // The server writes the same status itself, but not when one was already written.
    this.native.writeStatus('101 Switching Protocols').writeHeader('X-Request-Id', request_id)
    this.native.upgrade(data, key, protocol, extensions, context)
  }
}

function refuse(response: HttpResponse, request: HttpRequest, error: string): void {
  const request_id = idOf(request)
  tell(response, request, failed({ status: 400, code: 'MALFORMED_REQUEST', error, close: true }, request_id), request_id)
}

export interface Edge {
  /** Wraps `handler` with these checks, for a route of the server itself. */
  guarded(handler: Handler): (response: NativeResponse, request: NativeRequest) => void
  /** Like `guarded`, for handshakes, which have no body. */
  guardedUpgrade(
    handler: (response: HandshakeResponse, request: HttpRequest, context: UpgradeContext) => void
  ): (response: NativeResponse, request: NativeRequest, context: UpgradeContext) => void
}

export function createEdge(): Edge {
  const asked = new Asked()
  return {
    guarded: (handler) => (response, request) => {
      asked.read(request)
      const fault = asked.fault()
      if (fault === null) handler(asked.isSized() ? response : new Answer(response, asked.inChunks()), asked)
      else refuse(new Answer(response, false), asked, fault)
      asked.forget()
    },
    guardedUpgrade: (handler) => (response, request, context) => {
      asked.read(request)
      const fault = asked.hasBody() ? 'A WebSocket is opened without a body' : asked.fault()
      const answer = new Answer(response, false)
      if (fault === null) handler(answer, asked, context)
      else refuse(answer, asked, fault)
      asked.forget()
    }
  }
}
