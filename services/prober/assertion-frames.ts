/**
 * What a prober and its processes for assertions say to each other: a frame with the question goes
 * there by stdin, an Outcome comes back by the channel.
 */
import type { Assertion } from '../../schemas/http/check-config.ts'
import type { AssertionResult, Facts } from './assertions.ts'

export interface Question {
  /** All of the monitor; evaluated are those at the positions `asked`. */
  assertions: readonly Assertion[]
  asked: readonly number[]
  facts: Omit<Facts, 'body'>
  contentType: string | null
}

/**
 * `ready` comes once, at the start; `fault`: they cannot be evaluated, for people. `usedMs`: time
 * of the processor that the process has had so far.
 */
export type Outcome = ({ ready: true } | { results: AssertionResult[] } | { fault: string }) & { usedMs: number }

/** Two lengths of 32 bits: of the question as JSON, and of the body; both follow. */
const HEAD_BYTES = 8

/** What goes before the body. */
export function frameOf(question: Question, bodyBytes: number): Buffer {
  const text = JSON.stringify(question)
  const length = Buffer.byteLength(text)
  const frame = Buffer.alloc(HEAD_BYTES + length)
  frame.writeUInt32LE(length, 0)
  frame.writeUInt32LE(bodyBytes, 4)
  frame.write(text, HEAD_BYTES)
  return frame
}

/** Puts frames together that come in pieces, one after the other. */
export class FrameReader {
  #chunks: Buffer[] = []
  #length = 0

  /** A whole frame as soon as it is there. */
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
