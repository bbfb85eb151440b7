/**
 * Encodes and decodes messages of grpc.health.v1: a text in field 1 goes there, an enum value in
 * field 1 comes back. Each follows the five bytes of gRPC framing (not compressed, length). Pure.
 */
const words = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const
export type Health = (typeof words)[number]

const FRAME_BYTES = 5

/** Encodes a number as protobuf does: seven bits a byte. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left])
    bytes.push((left & 0x7f) | 0x80)
  }
}

export function healthRequest(service: string): Buffer {
  const name = Buffer.from(service)
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a]), varint(name.length), name])
  const frame = Buffer.alloc(FRAME_BYTES)
  frame.writeUInt32BE(message.length, 1)
  return Buffer.concat([frame, message])
}

/** Returns the health; null if the bytes are not an answer of the health service. */
export function healthIn(data: Buffer): Health | null {
  if (data.length < FRAME_BYTES || data[0] !== 0 || data.readUInt32BE(1) !== data.length - FRAME_BYTES) return null
  const message = data.subarray(FRAME_BYTES)
  // Protobuf does not write the default value.
  if (message.length === 0) return 'UNKNOWN'
  return message.length === 2 && message[0] === 0x08 ? (words[message[1] ?? 0] ?? null) : null
}
