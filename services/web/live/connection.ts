/**
 * One WebSocket to the gateway, kept open for as long as somebody is logged in; it says honestly how live the page is.
 *
 *   connecting → live                    hello came: what is shown is read again, once, and frames keep it current
 *   live → stale                         the gateway says that frames do not flow; its `resumed` makes it live again
 *   any → reconnecting                   the socket closed, or a question stayed unanswered; tried again with growing, jittered pauses
 *   any → offline                        the browser has no network; `online` tries at once
 *   any → ended                          nobody is logged in
 *
 * A dead path closes no socket: while the page is visible, the channels are subscribed to again every 25 s, which the gateway answers with hello; no answer within
 * 6 s is a dead socket. A machine that was asleep shows by a timer that comes late: the question is put at once. Source: docs/design/api/realtime.md#rm-1, docs/design/ui.md#principle-2.
 */
import { channels } from '../../../schemas/http/channels.ts'
import type { Frame } from './frame.ts'

export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'stale' | 'offline' | 'ended'

export interface Live {
  state: LiveState
  /** When the last frame came, epoch ms; null: none yet. */
  lastFrameAt: number | null
  /** Since when the page is not live; null while it is. */
  since: number | null
}

export interface ConnectionOptions {
  url: string
  onFrame: (frame: Frame) => void
  /** What happened while nobody listened is not known: read again what is shown. */
  onGap: () => void
  /** The server closed for a reason that trying again does not change by itself: the session is asked. */
  onClosed: (code: number) => void
}

const ASK_EVERY_MS = 25_000
const ANSWER_WITHIN_MS = 6_000
const BEAT_MS = 1_000
const ASLEEP_MS = 10_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

export function createConnection({ url, onFrame, onGap, onClosed }: ConnectionOptions) {
  let live: Live = { state: 'ended', lastFrameAt: null, since: null }
  let socket: WebSocket | null = null
  let attempts = 0
  let retryAt = 0
  let askedAt: number | null = null
  let heardAt = 0
  let beatAt = Date.now()
  let beat: ReturnType<typeof setInterval> | null = null
  const listeners = new Set<() => void>()

  function become(state: LiveState): void {
    if (state === live.state) return
    live = { ...live, state, since: state === 'live' ? null : (live.since ?? Date.now()) }
    for (const listener of listeners) listener()
  }

  function drop(): void {
    const dropped = socket
    socket = null
    askedAt = null
    dropped?.close()
  }

  function later(): void {
    drop()
    become(navigator.onLine ? 'reconnecting' : 'offline')
    retryAt = Date.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts++) * (0.5 + Math.random())
  }

  function open(): void {
    drop()
    const opened = new WebSocket(url)
    socket = opened
    retryAt = 0
    heardAt = Date.now()
    askedAt = heardAt // The hello of the beginning is an answer, too.
    opened.addEventListener('message', (event) => {
      if (socket === opened) hear(JSON.parse(String(event.data)) as Frame)
    })
    opened.addEventListener('close', ({ code }) => {
      if (socket !== opened) return
      later()
      onClosed(code)
    })
  }

  function hear(frame: Frame): void {
    heardAt = Date.now()
    if (frame.channel !== 'system') {
      live = { ...live, lastFrameAt: heardAt }
      onFrame(frame)
      return
    }
    if (frame.type === 'hello') {
      askedAt = null
      attempts = 0
      if (live.state === 'live' || live.state === 'stale') return
      become('live')
      onGap()
    } else if (frame.type === 'stale') become('stale')
    else if (frame.type === 'resumed' || frame.type === 'resync') {
      become('live')
      onGap()
    }
  }

  /** A question that only a living path answers. */
  function ask(): void {
    if (socket?.readyState !== WebSocket.OPEN || askedAt !== null) return
    askedAt = Date.now()
    socket.send(JSON.stringify({ action: 'subscribe', channels }))
  }

  function onBeat(): void {
    const now = Date.now()
    const wasAsleep = now - beatAt > ASLEEP_MS
    beatAt = now
    if (live.state === 'ended') return
    if (wasAsleep) {
      // What was asked before the sleep could not be answered.
      askedAt = null
      ask()
      if (socket === null) retryAt = now
    }
    if (socket === null && now >= retryAt && navigator.onLine) open()
    else if (socket !== null && askedAt !== null && now - askedAt > ANSWER_WITHIN_MS) later()
    else if (!document.hidden && now - heardAt > ASK_EVERY_MS) ask()
  }

  const onOnline = (): void => {
    attempts = 0
    if (live.state !== 'ended') open()
  }
  const onOffline = (): void => {
    if (live.state === 'ended') return
    drop()
    become('offline')
  }
  const onVisible = (): void => {
    if (!document.hidden) ask()
  }

  return {
    start(): void {
      if (live.state !== 'ended') return
      become('connecting')
      attempts = 0
      beat = setInterval(onBeat, BEAT_MS)
      addEventListener('online', onOnline)
      addEventListener('offline', onOffline)
      document.addEventListener('visibilitychange', onVisible)
      open()
    },
    stop(): void {
      if (beat) clearInterval(beat)
      removeEventListener('online', onOnline)
      removeEventListener('offline', onOffline)
      document.removeEventListener('visibilitychange', onVisible)
      become('ended')
      drop()
    },
    /** Tries now, for a person who does not want to wait. */
    hurry(): void {
      attempts = 0
      if (socket === null || live.state !== 'live') open()
    },
    now: (): Live => live,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}

export type Connection = ReturnType<typeof createConnection>
