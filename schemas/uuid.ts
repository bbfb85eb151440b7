/**
 * UUIDs as lower-case text: random (v4), sorted by time (v7), and derived from a cause (v5, so that
 * a repeat does not create a second id). Rules receive `uuidv5` through their context and import
 * nothing from this file.
 * Source: RFC 9562.
 */
import { hash, randomFillSync, randomUUID } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function uuidv4(): string {
  return randomUUID()
}

/** The bytes of `namespaceIn`, followed by room for a name. */
const hashed = Buffer.alloc(512)
const NAMESPACE_BYTES = 16
/** A UTF-16 unit takes at most three bytes in UTF-8. */
const MAX_NAME = Math.floor((hashed.length - NAMESPACE_BYTES) / 3)
let namespaceIn = ''

/**
 * Returns a version 5 UUID: SHA-1 over the namespace's bytes and the name's UTF-8. Throws TypeError
 * when `namespace` is not a UUID. It uses one shared buffer and a one-call hash, because folds
 * derive several ids for each event. A hash object and new buffers for each id cost four times as
 * much.
 */
export function uuidv5(namespace: string, name: string): string {
  if (namespace !== namespaceIn) {
    if (!UUID.test(namespace)) throw new TypeError(`uuidv5: the namespace is not a UUID: ${namespace}`)
    hashed.write(namespace.replaceAll('-', ''), 0, 'hex')
    namespaceIn = namespace
  }
  const bytes =
    name.length <= MAX_NAME
      ? hashed.subarray(0, NAMESPACE_BYTES + hashed.write(name, NAMESPACE_BYTES, 'utf8'))
      : Buffer.concat([hashed.subarray(0, NAMESPACE_BYTES), Buffer.from(name, 'utf8')])
  const hex = hash('sha1', bytes, 'hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The digit 7. */
const VERSION = 55
const digits = Buffer.from('0123456789abcdef')
const random = Buffer.alloc(4000)
let drawn = random.length
const text = Buffer.from('00000000-0000-7000-8000-000000000000')
let written = -1

function putByte(at: number, byte: number): void {
  text[at] = digits[byte >> 4] ?? 0
  text[at + 1] = digits[byte & 15] ?? 0
}

/**
 * Returns a version 7 UUID: 48 bits of epoch ms, then random bits. Ids sort by time down to the
 * millisecond. The digits are written into one buffer, and random bytes are drawn in bulk: doors
 * create an id for every alert, and randomUUID or randomBytes would cost four to ten times as much.
 */
export function uuidv7(now: number = Date.now()): string {
  if (now !== written) {
    const time = now.toString(16).padStart(12, '0')
    text.write(`${time.slice(0, 8)}-${time.slice(8)}`, 0, 'latin1')
    written = now
  }
  if (drawn === random.length) {
    randomFillSync(random)
    drawn = 0
  }
  const from = drawn
  drawn += 10
  putByte(14, random[from] ?? 0)
  text[14] = VERSION
  putByte(16, random[from + 1] ?? 0)
  putByte(19, 0x80 | ((random[from + 2] ?? 0) & 0x3f))
  putByte(21, random[from + 3] ?? 0)
  for (let nth = 0; nth < 6; nth++) putByte(24 + 2 * nth, random[from + 4 + nth] ?? 0)
  return text.toString('latin1')
}

/** The 16 bytes of a UUID. */
export const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** The UUID of 16 bytes. */
export const uuidOfBytes = (bytes: Buffer): string => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
