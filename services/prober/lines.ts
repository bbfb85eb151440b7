/**
 * Dialogues by lines (SMTP, IMAP, POP3). Reads the other side line by line, with a limit for each
 * line and for all together. No line goes into a message for people.
 */
import type { Socket } from 'node:net'
import { CheckFailure } from './failure.ts'

const MAX_LINE_BYTES = 4096
const MAX_BYTES = 65_536

export class Lines {
  readonly #socket: Socket
  readonly #signal: AbortSignal
  #text = ''
  #bytes = 0
  #ended: unknown = null
  #wake: () => void = () => undefined
  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length
    this.#text += chunk.toString('latin1')
    if (this.#bytes > MAX_BYTES) this.#end(new CheckFailure('protocol', 'The server says too much'))
    this.#wake()
  }
  readonly #onClose = (): void => this.#end(new CheckFailure('protocol', 'The server closed the connection'))
  readonly #onAbort = (): void => this.#end(this.#signal.reason)
  readonly #onError = (error: unknown): void => this.#end(error)

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket
    this.#signal = signal
    socket.on('data', this.#onData).on('end', this.#onClose).on('close', this.#onClose).on('error', this.#onError)
    signal.addEventListener('abort', this.#onAbort, { once: true })
    if (signal.aborted) this.#onAbort()
  }

  #end(why: unknown): void {
    this.#ended ??= why
    this.#wake()
  }

  /** Removes all listeners: before the socket is given to TLS, and at the end. */
  release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#socket.off('data', this.#onData).off('end', this.#onClose).off('close', this.#onClose).off('error', this.#onError)
  }

  /** Whether bytes came beyond what was read. Before TLS, there must be none. */
  get hasMore(): boolean {
    return this.#text !== ''
  }

  send(line: string): void {
    this.#socket.write(`${line}\r\n`)
  }

  /** Without its end. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf('\n')
      if (end >= 0) {
        const line = this.#text.slice(0, end).replace(/\r$/, '')
        this.#text = this.#text.slice(end + 1)
        return line
      }
      if (this.#text.length > MAX_LINE_BYTES) throw new CheckFailure('protocol', 'The server sends a line that does not end')
      if (this.#ended !== null) throw this.#ended
      await new Promise<void>((wake) => {
        this.#wake = wake
      })
    }
  }

  /** Reads up to the first line for which `isLast` holds, and returns all lines. */
  async until(isLast: (line: string) => boolean): Promise<string[]> {
    const lines: string[] = []
    for (;;) {
      const line = await this.line()
      lines.push(line)
      if (isLast(line)) return lines
    }
  }
}
