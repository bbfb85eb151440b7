/**
 * Open-loop load over raw sockets. Each request is sent at its moment, however slow the answers
 * are, and its latency counts from that moment, so a stall is not hidden by senders that wait. A
 * connection has one request in flight, as senders' HTTP clients do (the doors close a connection
 * that pipelines). A request that finds no free connection waits, and that time counts. The
 * generator is cheap enough to leave the other core to the measured program.
 */
import { connect, type Socket } from 'node:net'

export interface OpenLoad {
  port: number
  /** Requests a second. */
  rate: number
  seconds: number
  connections: number
  /** The bytes of request `index`, head and body. */
  request(index: number): Buffer
}

export interface OpenResult {
  /** Milliseconds from the intended moment to the answer, for every answered request. */
  latencies: number[]
  /** Answers by status. */
  statuses: Map<number, number>
  /**
   * Requests whose connection ended, or that had no answer 10 s after the last request was sent.
   */
  unanswered: number
}

/**
 * Returns the status of a complete answer, or null. Every answer must carry Content-Length or have
 * no body.
 */
function statusOf(bytes: string): number | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(bytes)?.[1] ?? 0)
  return bytes.length < end + 4 + length ? null : Number(bytes.slice(9, 12))
}

/** Opens a connection that has at most one request in flight. Calls `answered` for each answer. */
export function connectTo(port: number, answered: (status: number) => void): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  let bytes = ''
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    bytes += text
    const status = statusOf(bytes)
    if (status === null) return
    bytes = ''
    answered(status)
  })
  return socket
}

interface Lane {
  socket: Socket
  intended: number
}

export async function openLoad({ port, rate, seconds, connections, request }: OpenLoad): Promise<OpenResult> {
  const latencies: number[] = []
  const statuses = new Map<number, number>()
  const total = Math.round(rate * seconds)
  let start = 0
  const free: Lane[] = []
  let next = 0
  let due = 0
  let answered = 0

  /** Sends the requests that are due on the free connections. */
  function send(): void {
    while (next < due) {
      // Takes the connection that has been free longest: a server closes unused ones.
      const lane = free.shift()
      if (!lane) return
      lane.intended = start + (next * 1000) / rate
      lane.socket.write(request(next))
      next += 1
    }
  }

  function opened(): Promise<Lane> {
    return new Promise((resolve, reject) => {
      const socket = connectTo(port, (status) => {
        answered += 1
        latencies.push(performance.now() - lane.intended)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        free.push(lane)
        send()
      })
      const lane: Lane = { socket, intended: 0 }
      socket.once('connect', () => resolve(lane))
      // Errors after connecting need no handler: the request counts as unanswered.
      socket.on('error', reject)
    })
  }

  const lanes = await Promise.all(Array.from({ length: connections }, opened))
  free.push(...lanes)
  start = performance.now()
  while (due < total) {
    due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1000) + 1)
    send()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  for (let left = 1000; answered < total && left > 0; left--) await new Promise((resolve) => setTimeout(resolve, 10))
  for (const { socket } of lanes) socket.destroy()
  return { latencies, statuses, unanswered: total - answered }
}

/** The bytes of one request. */
export function requestBytes(method: string, path: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}
