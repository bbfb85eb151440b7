/**
 * Keeps one WebSocket to the gateway open for as long as somebody is logged in, and reports how
 * live the page really is.
 *
 *   connecting → live                    hello came: what is shown is read again, once, and frames
 *                                        keep it current
 *   live → stale                         the gateway says that frames do not flow; its `resumed`
 *                                        makes it live again
 *   any → reconnecting                   the socket closed, or a request stayed unanswered; tried
 *                                        again with growing, jittered pauses
 *   any → full                           the gateway says that the workspace has all connections
 *                                        that its plan allows; tried again after minutes
 *   any → offline                        the browser has no network; `online` tries at once
 *   any → ended                          nobody is logged in
 *
 * A broken network path does not close the socket. While the page is visible, it therefore
 * subscribes to its channels again every 25 s, which the gateway answers with hello. No answer
 * within 6 s means that the socket is dead (steps.ts). A timer that fires late shows that the
 * machine was asleep: the page then subscribes again at once.
 * Source: docs/design/api/realtime.md#rm-1, docs/design/ui.md#principle-2.
 */
import { channels } from '../../../schemas/http/channels.ts'
import type { Frame } from './frame.ts'
import { type Live, LiveStore } from './live-state.ts'
import { sawServerTime } from './server-clock.ts'
import { nextStep, retryPauseMs, stateAfter } from './steps.ts'

export interface ConnectionOptions {
  url: string
  onFrame: (frame: Frame) => void
  /**
   * Frames may have been missed while the page was not live, so everything shown must be read
   * again.
   */
  onGap: () => void
  /**
   * Called after a socket closes. The session must be read again, because a retry cannot succeed
   * once the session has ended.
   */
  onClosed: (code: number) => void
}

const BEAT_MS = 1_000
const ASLEEP_MS = 10_000

export class Connection {
  readonly #options: ConnectionOptions
  readonly #live = new LiveStore()
  #socket: WebSocket | null = null
  #attempts = 0
  #retryAt = 0
  #askedAt: number | null = null
  #heardAt = 0
  #beatAt = Date.now()
  #beat: ReturnType<typeof setInterval> | null = null

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  start(): void {
    if (!this.#isEnded) return
    this.#live.become('connecting', Date.now())
    this.#attempts = 0
    this.#beat = setInterval(this.#onBeat, BEAT_MS)
    addEventListener('online', this.#onOnline)
    addEventListener('offline', this.#onOffline)
    document.addEventListener('visibilitychange', this.#onVisible)
    this.#open()
  }

  stop(): void {
    if (this.#beat) clearInterval(this.#beat)
    removeEventListener('online', this.#onOnline)
    removeEventListener('offline', this.#onOffline)
    document.removeEventListener('visibilitychange', this.#onVisible)
    this.#live.become('ended', Date.now())
    this.#drop()
  }

  /** Retries at once, for a person who does not want to wait. */
  hurry(): void {
    this.#attempts = 0
    if (this.#socket === null || this.now().state !== 'live') this.#open()
  }

  readonly now = (): Live => this.#live.now

  readonly subscribe = (listener: () => void): (() => void) => this.#live.subscribe(listener)

  get #isEnded(): boolean {
    return this.#live.now.state === 'ended'
  }

  #drop(): void {
    const dropped = this.#socket
    this.#socket = null
    this.#askedAt = null
    dropped?.close()
  }

  /** Drops the socket and schedules a retry after a pause. */
  #later(code: number | null): void {
    this.#drop()
    const now = Date.now()
    const state = stateAfter(code, navigator.onLine)
    this.#live.become(state, now)
    this.#retryAt = now + retryPauseMs(this.#attempts++, Math.random(), state)
  }

  #open(): void {
    this.#drop()
    // What the old socket said does not hold for the new one, which another gateway may serve.
    if (this.#live.now.state === 'stale') this.#live.become('reconnecting', Date.now())
    const opened = new WebSocket(this.#options.url)
    this.#socket = opened
    this.#retryAt = 0
    this.#heardAt = Date.now()
    this.#askedAt = this.#heardAt // The first hello counts as an answer.
    opened.addEventListener('message', (event) => {
      if (this.#socket === opened) this.#hear(JSON.parse(String(event.data)) as Frame)
    })
    opened.addEventListener('close', ({ code }) => {
      if (this.#socket !== opened) return
      this.#later(code)
      this.#options.onClosed(code)
    })
  }

  #hear(frame: Frame): void {
    this.#heardAt = Date.now()
    if (frame.channel !== 'system') {
      this.#live.sawFrame(this.#heardAt)
      this.#options.onFrame(frame)
    } else if (frame.type === 'hello') {
      sawServerTime(frame.data.server_time, this.#heardAt)
      this.#askedAt = null
      this.#attempts = 0
      const { state } = this.#live.now
      if (state !== 'live' && state !== 'stale') this.#becomeLive()
    } else if (frame.type === 'stale') this.#live.become('stale', this.#heardAt)
    else if (frame.type === 'resumed' || frame.type === 'resync') this.#becomeLive()
  }

  #becomeLive(): void {
    this.#live.become('live', this.#heardAt)
    this.#options.onGap()
  }

  /** Sends a request that only a working connection answers. */
  #ask(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN || this.#askedAt !== null) return
    this.#askedAt = Date.now()
    this.#socket.send(JSON.stringify({ action: 'subscribe', channels }))
  }

  readonly #onBeat = (): void => {
    const now = Date.now()
    const wasAsleep = now - this.#beatAt > ASLEEP_MS
    this.#beatAt = now
    if (this.#isEnded) return
    if (wasAsleep) this.#onAwake(now)
    const step = nextStep({
      now,
      hasSocket: this.#socket !== null,
      retryAt: this.#retryAt,
      askedAt: this.#askedAt,
      heardAt: this.#heardAt,
      isOnline: navigator.onLine,
      isVisible: !document.hidden
    })
    if (step === 'open') this.#open()
    else if (step === 'give up') this.#later(null)
    else if (step === 'ask') this.#ask()
  }

  #onAwake(now: number): void {
    // A request from before the sleep could not be answered.
    this.#askedAt = null
    this.#ask()
    if (this.#socket === null) this.#retryAt = now
  }

  readonly #onOnline = (): void => {
    this.#attempts = 0
    if (!this.#isEnded) this.#open()
  }

  readonly #onOffline = (): void => {
    if (this.#isEnded) return
    this.#drop()
    this.#live.become('offline', Date.now())
  }

  readonly #onVisible = (): void => {
    if (!document.hidden) this.#ask()
  }
}
