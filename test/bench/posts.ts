/**
 * Posts to the doors at little cost for the generator: keep-alive connections with one request in
 * flight each, and a new connection when none is free.
 */
import type { Socket } from 'node:net'
import { connectTo, requestBytes } from './open-load.ts'

const MAX_CONNECTIONS = 256

interface Waiting {
  bytes: Buffer
  resolve(status: number): void
  reject(error: Error): void
}

interface Line {
  socket: Socket
  waiting: Waiting | null
}

const open = new Set<Line>()
const free: Line[] = []
const queue: Waiting[] = []

function send(line: Line, waiting: Waiting): void {
  line.waiting = waiting
  line.socket.write(waiting.bytes)
}

function ended(line: Line, error: Error): void {
  open.delete(line)
  if (free.includes(line)) free.splice(free.indexOf(line), 1)
  line.waiting?.reject(error)
  line.waiting = null
  if (open.size === 0) for (const waiting of queue.splice(0)) waiting.reject(error)
}

function openLine(port: number): Line {
  const socket = connectTo(port, (status) => {
    const { waiting } = line
    line.waiting = null
    waiting?.resolve(status)
    const next = queue.shift()
    if (next) send(line, next)
    else free.push(line)
  })
  const line: Line = { socket, waiting: null }
  open.add(line)
  socket.on('error', (error) => ended(line, error))
  socket.on('close', () => ended(line, new Error('the door ended the connection')))
  return line
}

/**
 * Posts a body to a door and returns the status code. Rejects when the connection ends. All posts
 * go to one port.
 */
export function post(port: number, token: string, body: string): Promise<number> {
  const bytes = requestBytes('POST', `/api/v1/webhooks/incoming/${token}`, { 'Content-Type': 'application/json' }, body)
  return new Promise((resolve, reject) => {
    const waiting = { bytes, resolve, reject }
    // Takes the connection that was used last: the door closes those that are idle for long.
    const line = free.pop()
    if (line) send(line, waiting)
    else if (open.size < MAX_CONNECTIONS) send(openLine(port), waiting)
    else queue.push(waiting)
  })
}

/** Ends the connections of `post`. */
export function endPosts(): void {
  for (const { socket } of open) socket.destroy()
}
