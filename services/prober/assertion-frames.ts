/**
 * The messages between a prober and its processes for assertions. A frame with the question goes to
 * the process by stdin. An Outcome comes back by the IPC channel.
 */
import type { Assertion } from '../../schemas/http/check-config.ts'
import type { AssertionResult, Facts } from './assertions.ts'

export interface Question {
  /** All assertions of the monitor. Only those at the positions in `asked` are evaluated. */
  assertions: readonly Assertion[]
  asked: readonly number[]
  facts: Omit<Facts, 'body'>
  contentType: string | null
}

/**
 * `ready` comes once, at the start. `fault`: why the assertions cannot be evaluated, for people.
 * `usedMs`: processor time that the process has used so far, in ms.
 */
export type Outcome = ({ ready: true } | { results: AssertionResult[] } | { fault: string }) & { usedMs: number }

/** Two 32-bit lengths: of the question as JSON, and of the body. Both follow the header. */
const HEAD_BYTES = 8

/** Returns everything that is sent before the body: the header and the question. */
export function frameOf(question: Question, bodyBytes: number): Buffer {
  const text = JSON.stringify(question)
  const length = Buffer.byteLength(text)
  const frame = Buffer.alloc(HEAD_BYTES + length)
  frame.writeUInt32LE(length, 0)
  frame.writeUInt32LE(bodyBytes, 4)
  frame.write(text, HEAD_BYTES)
  return frame
}

/** Joins pieces into whole frames. Frames come one after the other. */
export class FrameReader {
  #chunks: Buffer[] = []
  #length = 0

  /** Takes the next piece. Returns a frame as soon as it is whole, else null. */
  take(chunk: Buffer): { question: Question; body: Buffer } | null {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length < HEAD_BYTES) return null
    if ((this.#chunks[0]?.length ?? 0) < HEAD_BYTES) this.#chunks = [Buffer.concat(this.#chunks)]
    const questionBytes = this.#chunks[0]?.readUInt32LE(0) ?? 0
    const bodyBytes = this.#chunks[0]?.readUInt32LE(4) ?? 0
    const bodyAt = HEAD_BYTES + questionBytes
    if (this.#length < bodyAt + bodyBytes) return null
    const frame = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#length = 0
    return { question: JSON.parse(frame.toString('utf8', HEAD_BYTES, bodyAt)) as Question, body: frame.subarray(bodyAt) }
  }
}
