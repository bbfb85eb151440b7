/**
 * Reads the body of an answer, decodes it (gzip, deflate, br) and limits its size. A small answer
 * that unpacks to gigabytes is given up at the limit, and has cost at most one buffer more. Rejects
 * with BodyTooLarge, or with Undecodable if the coding is broken or cut short.
 */
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

export class Undecodable extends Error {
  override readonly name = 'Undecodable'
}

/** A body in the pieces it arrived in: joining 10 MiB costs as much as receiving it. */
export class Body {
  readonly pieces: readonly Buffer[]
  readonly length: number

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  }

  /** Returns the first `bytes` bytes, or all of them if there are fewer. */
  first(bytes: number): Buffer {
    const taken: Buffer[] = []
    for (let left = bytes, at = 0; left > 0 && at < this.pieces.length; at++) {
      const piece = this.pieces[at]?.subarray(0, left) ?? Buffer.alloc(0)
      taken.push(piece)
      left -= piece.length
    }
    return Buffer.concat(taken)
  }
}

/** Answers name one coding, rarely two. More than that is an attack on the decoder. */
const MAX_CODINGS = 2

/**
 * Returns the codings in decoding order; null if one is unknown, and then the body stays as it is.
 */
function codingsOf(header: string | undefined): string[] | null {
  const codings = (header ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > MAX_CODINGS) throw new Undecodable('The answer has too many content codings')
  return codings.every((coding) => ['gzip', 'x-gzip', 'deflate', 'br'].includes(coding)) ? codings.reverse() : null
}

function decoderOf(coding: string, first: number): Transform {
  if (coding === 'br') return createBrotliDecompress()
  if (coding !== 'deflate') return createGunzip()
  // Some servers send deflate without the zlib header that it should have. A wrapped body begins
  // with method 8.
  return (first & 0x0f) === 8 ? createInflate() : createInflateRaw()
}

/**
 * After this many bytes of one body its reading pauses, so that a large body does not hold up the
 * other checks of the machine.
 */
const TURN_BYTES = 262_144
/**
 * With TURN_BYTES this allows about 1 Gbit/s: faster than most networks between a prober and its
 * targets.
 */
const REST_MS = 2

function giveWay(source: Readable): void {
  source.pause()
  setTimeout(() => source.resume(), REST_MS)
}

/**
 * Reads and decodes a body. `limit`: bytes, both as received and as unpacked. `onPiece` gets every
 * piece, also of a body that turns out too large or ends too soon.
 */
export function readBody(
  source: Readable,
  contentEncoding: string | undefined,
  limit: number,
  onPiece?: (piece: Buffer) => void
): Promise<Body> {
  return new Promise((resolve, reject) => {
    const codings = codingsOf(contentEncoding) ?? []
    const chunks: Buffer[] = []
    const chain: Transform[] = []
    let received = 0
    let turn = 0
    let unpacked = 0
    const end = (error: Error | null): void => {
      for (const stream of chain) stream.destroy()
      if (error) {
        source.destroy()
        reject(error)
      } else resolve(new Body(chunks))
    }
    const keep = (chunk: Buffer): void => {
      unpacked += chunk.length
      onPiece?.(chunk)
      if (unpacked > limit) end(new BodyTooLarge('The body is larger than its limit'))
      else chunks.push(chunk)
    }
    const build = (first: number): void => {
      let next = first
      for (const coding of codings) {
        const decoder = decoderOf(coding, next)
        next = 8 // The first byte of an inner coding is not known beforehand.
        chain.at(-1)?.pipe(decoder)
        decoder.on('error', () => end(new Undecodable('The answer is not in the content coding it names')))
        chain.push(decoder)
      }
      chain
        .at(-1)
        ?.on('data', keep)
        .on('end', () => end(null))
    }
    source.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > limit) {
        if (codings.length === 0) onPiece?.(chunk)
        return end(new BodyTooLarge('The body is larger than its limit'))
      }
      if (codings.length === 0) {
        keep(chunk)
        turn += chunk.length
        if (turn > TURN_BYTES) {
          turn = 0
          giveWay(source)
        }
        return
      }
      if (chain.length === 0) build(chunk[0] ?? 0)
      const [outermost] = chain
      // Applies back pressure. Without it, the packed rest of a bomb would fill memory while it
      // unpacks.
      if (outermost && !outermost.destroyed && !outermost.write(chunk)) {
        source.pause()
        outermost.once('drain', () => source.resume())
      }
    })
    source.on('end', () => (chain[0] ? chain[0].end() : end(null)))
    source.on('error', (error) => end(error))
  })
}

/**
 * Decodes by the charset that Content-Type names; UTF-8 if it names none or an unknown one. Broken
 * bytes become U+FFFD.
 */
export function textOf(body: Buffer, contentType: string | undefined): string {
  return decoderFor(contentType).decode(body)
}

/** Decodes the beginning of a body. A character that is cut in two is left out. */
export function excerptOf(beginning: Buffer, contentType: string | undefined): string {
  return decoderFor(contentType).decode(beginning, { stream: true })
}

function decoderFor(contentType: string | undefined): InstanceType<typeof TextDecoder> {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset)
  } catch {
    // RangeError: the charset is unknown.
    return new TextDecoder()
  }
}
