/**
 * UUIDs as lower-case text: random (v4), ordered by time (v7), and derived from a cause (v5, so that a repeat mints no second id).
 * Rules get `uuidv5` injected through their context and import nothing of this. Source: RFC 9562.
 */
import { createHash, randomUUID } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function uuidv4(): string {
  return randomUUID()
}

/** Version 5: SHA-1 over the namespace's bytes and the name's UTF-8. Throws TypeError when `namespace` is no UUID. */
export function uuidv5(namespace: string, name: string): string {
  if (!UUID.test(namespace)) throw new TypeError(`uuidv5: the namespace is not a UUID: ${namespace}`)
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
  return format(bytes, 5)
}

/** Version 7: 48 bits of epoch ms, then random bits; sorts by time down to the millisecond. */
export function uuidv7(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  // A random UUID has its variant in place already, and Node draws its bits in bulk: a tenth of the cost of randomBytes(16), once per alert at the doors.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** Sets version and variant in the first 16 bytes and writes them as text. */
function format(bytes: Buffer, version: number): string {
  bytes.writeUInt8((version << 4) | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
