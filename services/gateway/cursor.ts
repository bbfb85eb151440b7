/**
 * The position of a frame on the log, as a client sees it: opaque text that the client sends back
 * to resume.
 *
 * Bytes: form (1), epoch (6: a hash of the cluster id, so that a cursor of another log is
 * recognized), partition (1), offset (8). All frames of a workspace are in one partition, so one
 * cursor says how far a client has come.
 * Source: docs/design/architecture.md#s9.
 */
import { createHash } from 'node:crypto'

const FORM = 1

/** Returns a function that makes cursors for the log of `clusterId`. */
export function cursorsOf(clusterId: string): (partition: number, offset: bigint) => string {
  const template = Buffer.alloc(16)
  template.writeUInt8(FORM, 0)
  createHash('sha256').update(clusterId).digest().copy(template, 1, 0, 6)
  return (partition, offset) => {
    template.writeUInt8(partition, 7)
    template.writeBigUInt64BE(offset, 8)
    return template.toString('base64url')
  }
}

const BRACE = 125

/**
 * Returns the frame with its closing brace replaced by `,"id":"<cursor>"}`. Returns null when the
 * frame does not end like an object with members.
 */
export function spliceCursor(frame: Buffer, cursor: string): Buffer | null {
  if (frame.length < 3 || frame[frame.length - 1] !== BRACE) return null
  const tail = `,"id":"${cursor}"}`
  const spliced = Buffer.allocUnsafe(frame.length - 1 + tail.length)
  frame.copy(spliced, 0, 0, frame.length - 1)
  spliced.write(tail, frame.length - 1, 'latin1')
  return spliced
}
