/**
 * WebSockets that only listen. A client library takes longer for a message than all of the service
 * does, and generator and service share the cores: this one reads into one buffer, and looks at the
 * bytes where they are. It answers pings, and is not for anything but a run on this machine.
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

/** A message: `bytes` from `from` to before `to`, valid until the call returns. */
export type OnMessage = (bytes: Buffer, from: number, to: number) => void

/** Every read is handed over before the next one of any socket begins. */
const buffer = Buffer.allocUnsafe(READ_BYTES)

/** Where a frame of a server lies in `bytes`; null while it is not whole. */
function frameAt(bytes: Buffer, at: number, end: number): { opcode: number; from: number; to: number } | null {
  if (end - at < 2) return null
  const short = (bytes[at + 1] as number) & 0x7f
  const from = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
  if (from > end) return null
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
  const to = from + length
  return to > end ? null : { opcode: (bytes[at] as number) & 0x0f, from, to }
}

/** A frame without content, masked as those of clients must be; its mask is zero. */
const pong = Buffer.from([0x80 | PONG, 0x80, 0, 0, 0, 0])

/** Rejects where the server does not take the connection. */
export function listen(port: number, path: string, onMessage: OnMessage): Promise<Listener> {
  return new Promise((resolve, reject) => {
    let isOpen = false
    /** What came of a head or a frame that is not whole. */
    let begun: Buffer | null = null

    /** Returns how many of the bytes are done with. */
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
