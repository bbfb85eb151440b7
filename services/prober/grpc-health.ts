/**
 * Messages of grpc.health.v1 in bytes: a text in field 1 there, a word in field 1 back, each behind
 * the five bytes of gRPC (not compressed, length). Pure.
 */
const words = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const
export type Health = (typeof words)[number]

const FRAME_BYTES = 5

/** Numbers as protobuf writes them: seven bits a byte. */
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

/** Null where the bytes are no answer of the health service. */
export function healthIn(data: Buffer): Health | null {
  if (data.length < FRAME_BYTES || data[0] !== 0 || data.readUInt32BE(1) !== data.length - FRAME_BYTES) return null
  const message = data.subarray(FRAME_BYTES)
  // The default is not written.
  if (message.length === 0) return 'UNKNOWN'
  return message.length === 2 && message[0] === 0x08 ? (words[message[1] ?? 0] ?? null) : null
}
