/**
 * What every request passes before a handler of intake or gateway sees it. A handler sees only
 * requests whose end is plain, and nothing that follows one whose end may not be.
 *
 * uWebSockets.js by itself (20.30; 20.57 in part) goes on with the first of two lengths, takes
 * whatever stands in Transfer-Encoding for chunks, reads chunks loosely (an extension counts as
 * digits, what follows a chunk is skipped, trailers are read as a request), overlooks every header
 * behind one without a name, and reads what follows `Connection: close` in the same segment. So
 * here:
 * - a request is refused with 400, and its connection ends, unless it has one Host and at most one
 *   of Content-Length, all digits, and Transfer-Encoding, `chunked`. Version 20.57 refuses some of
 *   them before us, with a page of its own that has no request id;
 * - one with a length is handed on as it is. No answer to another leaves before all that came with
 *   its request was read: the server closes a connection on which a request comes before the answer
 *   to the last, so what a hidden header makes the body of the one is not the next;
 * - an answer to a body in chunks ends its connection: two readers may not agree where that body
 *   ended.
 *
 * Headers are read once, all of them, which costs no more than asking for those that a door needs
 * (100 ns each, either way).
 */
import { failed, tell } from './answer.ts'
import { idOf } from './request-id.ts'
import type { Bytes, Handler, HandshakeResponse, HttpRequest, HttpResponse, NativeRequest, NativeResponse, UpgradeContext } from './uws.ts'

const METHODS: ReadonlyMap<string, string> = new Map(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, method.toLowerCase()])
)

/**
 * How long an answer to a body in chunks waits for the rest of it, which is dropped: a connection
 * that is closed over unread bytes may lose its answer.
 */
const REST_MS = 1000

/**
 * The request of the handler that runs. There is one: handlers run one after the other. Whoever
 * asks it after its handler returned gets an error.
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

  /** What is not plain about it, in words for its sender; null for what may be read. */
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

  /** Its one length says where it ends. */
  isSized(): boolean {
    return this.lengths === 1
  }

  hasBody(): boolean {
    return this.lengths + this.codings > 0
  }

  /** Values of a name that came more than once are a list (RFC 9110, 5.3). */
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

/** The server itself reads no more than nine digits. */
function isLength(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) return false
  }
  return text !== '' && text.length <= 9
}

/** Responses of requests that something came for in this turn of the loop. */
let turn: Answer[] = []

/** Sends what waits for the end of this turn. */
export function endTurn(): void {
  const read = turn
  turn = []
  for (const answer of read) answer.release()
}

/**
 * One answer, which leaves after the turn of the loop in which its request, or a part of it, was
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
    /** The connection ends with the answer, which waits for the end of the body. */
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

  /** The body is on its way, and nobody takes it any more. */
  private awaitBody(write: () => void): void {
    const answer = (): void => {
      clearTimeout(timer)
      if (!this.over) this.native.cork(write)
    }
    const timer = setTimeout(answer, REST_MS)
    this.native.onData((_chunk, isLast) => {
      if (isLast) setImmediate(answer) // And not inside the server's reading.
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
    // The server writes the same status, and none after a first.
    this.native.writeStatus('101 Switching Protocols').writeHeader('X-Request-Id', request_id)
    this.native.upgrade(data, key, protocol, extensions, context)
  }
}

function refuse(response: HttpResponse, request: HttpRequest, error: string): void {
  const request_id = idOf(request)
  tell(response, request, failed({ status: 400, code: 'MALFORMED_REQUEST', error, close: true }, request_id), request_id)
}

export interface Edge {
  /** Before `handler`, for a server's own use. */
  guarded(handler: Handler): (response: NativeResponse, request: NativeRequest) => void
  /** As `guarded`, for handshakes, which have no body. */
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
