/**
 * WebSocket clients that only listen. A client library uses more CPU per message than the whole
 * service does, and generator and service share the cores. This client therefore reads into one
 * shared buffer and looks at the bytes in place. It answers pings. It is fit only for benchmarks on
 * the same machine.
 */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10
const READ_BYTES = 256 * 1024
const END_OF_HEAD = '\r\n\r\n'

export interface Listener {
  close(): void
}

/** Receives a message: `bytes` from `from` to before `to`, valid until the call returns. */
export type OnMessage = (bytes: Buffer, from: number, to: number) => void

/**
 * One buffer is enough for all sockets: every read is handled before the next read of any socket
 * begins.
 */
const buffer = Buffer.allocUnsafe(READ_BYTES)

/** Finds a server's frame in `bytes` at `at`. Returns null while the frame is incomplete. */
function frameAt(bytes: Buffer, at: number, end: number): { opcode: number; from: number; to: number } | null {
  if (end - at < 2) return null
  const short = (bytes[at + 1] as number) & 0x7f
  const from = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
  if (from > end) return null
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
  const to = from + length
  return to > end ? null : { opcode: (bytes[at] as number) & 0x0f, from, to }
}

/** An empty frame, masked as frames of clients must be. The mask is zero. */
const pong = Buffer.from([0x80 | PONG, 0x80, 0, 0, 0, 0])

/** Opens a listening WebSocket. Rejects when the server does not accept the connection. */
export function listen(port: number, path: string, onMessage: OnMessage): Promise<Listener> {
  return new Promise((resolve, reject) => {
    let isOpen = false
    /** Bytes received so far of an incomplete head or frame. */
    let begun: Buffer | null = null

    /** Returns how many bytes were consumed. */
    function takeHead(bytes: Buffer): number {
      const end = bytes.indexOf(END_OF_HEAD)
      if (end < 0) return 0
      const head = bytes.toString('latin1', 0, end)
      if (head.startsWith('HTTP/1.1 101 ')) {
        isOpen = true
        resolve({ close: () => socket.destroy() })
      } else socket.destroy(new Error(`the gateway answers ${head.slice(0, head.indexOf('\r\n'))}`))
      return end + END_OF_HEAD.length
    }

    function takeFrames(bytes: Buffer, start: number): number {
      let at = start
      for (let frame = frameAt(bytes, at, bytes.length); frame; frame = frameAt(bytes, at, bytes.length)) {
        if (frame.opcode === TEXT) onMessage(bytes, frame.from, frame.to)
        else if (frame.opcode === PING) socket.write(pong)
        else if (frame.opcode === CLOSE) socket.destroy()
        at = frame.to
      }
      return at
    }

    function take(read: number): boolean {
      const fresh = buffer.subarray(0, read)
      const bytes = begun ? Buffer.concat([begun, fresh]) : fresh
      let at = isOpen ? 0 : takeHead(bytes)
      if (isOpen) at = takeFrames(bytes, at)
      begun = at < bytes.length ? Buffer.from(bytes.subarray(at)) : null
      return true
    }

    const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback: take } })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the gateway ended the connection')))
    const head = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`
    ]
    socket.write(head.join('\r\n') + END_OF_HEAD)
  })
}
