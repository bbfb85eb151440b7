/**
 * The header in front of every body: magic byte 0, then the schema id as int32 big-endian (the wire
 * format of Confluent's registry).
 */
import { NotFramed } from './errors.ts'

export const HEADER_BYTES = 5

/** Returns the schema id. Throws NotFramed. */
export function idOf(bytes: Buffer): number {
  if (bytes.length < HEADER_BYTES) throw new NotFramed(`${bytes.length} bytes: too short for magic byte and schema id`)
  if (bytes[0] !== 0) throw new NotFramed(`First byte ${bytes[0]}, expected 0`)
  return bytes.readInt32BE(1)
}

/** Returns whether the bytes [from, to) begin with a header. */
export const isFramed = (bytes: Buffer, from: number, to: number): boolean => to - from >= HEADER_BYTES && bytes[from] === 0

/** Returns the schema id of the framed record that begins at `from`. */
export const idAt = (bytes: Buffer, from: number): number => bytes.readInt32BE(from + 1)
