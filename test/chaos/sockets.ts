/**
 * A dashboard that records what it gets: every frame with its time, and when its socket was open.
 * It connects again when it is cut off.
 */
import { WebSocket } from 'ws'

export interface Frame {
  channel: string
  type: string
  data: Record<string, unknown>
  at?: string
  ver?: number
  id?: string
}

export interface Recording {
  /** Frames, each with its time of arrival in epoch ms. */
  frames: { at: number; frame: Frame }[]
  /** When the socket was open, epoch ms; `to` is null while it is. */
  open: { from: number; to: number | null }[]
  /** Close codes, in order. */
  closes: number[]
  isOpen(): boolean
  /**
   * Resolves with the first frame, past or future, that fits. Rejects after `ms`, naming `what`.
   */
  frame(what: string, fits: (frame: Frame) => boolean, ms?: number): Promise<Frame>
  close(): Promise<void>
}

const AGAIN_MS = 250

/**
 * Connects; resolves with the first open socket. `base` is an http address to which a path is
 * appended. `by`: a token, or the cookie of one of the product's pages.
 */
export async function record(base: string, by: string | { cookie: string }): Promise<Recording> {
  const query = typeof by === 'string' ? `?token=${by}` : ''
  const headers = typeof by === 'string' ? {} : { cookie: by.cookie, origin: base }
  const url = `${base.replace(/^http/, 'ws')}/api/v1/ws${query}`
  const frames: Recording['frames'] = []
  const open: Recording['open'] = []
  const closes: number[] = []
  const waiting = new Set<(frame: Frame) => void>()
  let socket: WebSocket | null = null
  let closed = false
  let timer: NodeJS.Timeout | undefined

  function connect(settle?: { resolve(): void; reject(error: Error): void }): void {
    const current = new WebSocket(url, { handshakeTimeout: 5000, headers })
    socket = current
    let why = new Error('the socket was closed before it was open')
    current.on('open', () => {
      open.push({ from: Date.now(), to: null })
      settle?.resolve()
    })
    current.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame
      frames.push({ at: Date.now(), frame })
      for (const look of waiting) look(frame)
    })
    current.on('error', (error) => {
      // The close event follows.
      why = new Error(`the socket could not be opened: ${error.message}`, { cause: error })
    })
    current.on('close', (code) => {
      const span = open.at(-1)
      if (span && span.to === null) {
        span.to = Date.now()
        closes.push(code)
      }
      // The caller gets the failure of the very first attempt; after that the socket reconnects by
      // itself.
      if (settle && !span) settle.reject(why)
      else if (!closed) timer = setTimeout(connect, AGAIN_MS)
    })
  }

  await new Promise<void>((resolve, reject) => connect({ resolve, reject }))
  return {
    frames,
    open,
    closes,
    isOpen: () => socket?.readyState === WebSocket.OPEN,
    frame(what, fits, ms = 60_000) {
      const known = frames.find(({ frame }) => fits(frame))
      if (known) return Promise.resolve(known.frame)
      return new Promise((resolve, reject) => {
        const look = (frame: Frame): void => {
          if (!fits(frame)) return
          clearTimeout(limit)
          waiting.delete(look)
          resolve(frame)
        }
        const limit = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`no frame within ${ms / 1000} s: ${what}`))
        }, ms)
        waiting.add(look)
      })
    },
    async close() {
      closed = true
      clearTimeout(timer)
      const current = socket
      if (!current || current.readyState === WebSocket.CLOSED) return
      const gone = new Promise((resolve) => current.once('close', resolve))
      current.close(1000)
      await gone
    }
  }
}

/** True when the socket was open at the instant and for `margin` ms around it. */
export const wasOpen = ({ open }: Recording, at: number, margin: number): boolean =>
  open.some(({ from, to }) => from <= at - margin && (to === null || to >= at + margin))
