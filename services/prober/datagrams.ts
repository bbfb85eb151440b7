/**
 * Sends datagrams to an address that the guard has judged, and receives only what comes back from
 * it.
 */
import { createSocket, type Socket } from 'node:dgram'
import type { Checked } from '../http/address-guard.ts'

export interface Datagrams {
  send(data: Buffer): void
  /**
   * Returns the next datagram from the address; null when `limitMs` passes without one. Rejects
   * with the system's error for the address, or with the reason of `signal`.
   */
  next(limitMs: number): Promise<Buffer | null>
  close(): void
}

/** Datagrams that are kept while nobody waits for them. */
const MAX_KEPT = 8

/** Opens a connected socket, which receives nothing from other addresses. */
export function openDatagrams({ address, family }: Checked, port: number, signal: AbortSignal): Promise<Datagrams> {
  return new Promise((resolve, reject) => {
    const socket: Socket = createSocket(family === 6 ? 'udp6' : 'udp4')
    const kept: Buffer[] = []
    let broken: unknown = null
    let isClosed = false
    let isConnected = false
    let wake = (): void => undefined
    const onAbort = (): void => onError(signal.reason)
    const onError = (error: unknown): void => {
      broken ??= error
      if (!isConnected) close()
      reject(error)
      wake()
    }
    function close(): void {
      if (isClosed) return
      isClosed = true
      signal.removeEventListener('abort', onAbort)
      socket.close()
    }
    socket.on('error', onError)
    socket.on('message', (data) => {
      if (kept.length < MAX_KEPT) kept.push(data)
      wake()
    })
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('connect', () => {
      isConnected = true
      resolve({
        send: (data) => socket.send(data, (error) => error && onError(error)),
        async next(limitMs) {
          const until = performance.now() + limitMs
          for (;;) {
            if (broken !== null) throw broken
            const first = kept.shift()
            if (first) return first
            const rest = until - performance.now()
            if (rest <= 0) return null
            await new Promise<void>((woken) => {
              const timer = setTimeout(woken, rest)
              wake = () => {
                clearTimeout(timer)
                woken()
              }
            })
          }
        },
        close
      })
    })
    if (!isClosed) socket.connect(port, address)
  })
}
