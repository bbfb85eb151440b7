/**
 * UUIDs as lower-case text: random (v4), ordered by time (v7), and derived from a cause (v5, so
 * that a repeat mints no second id). Rules get `uuidv5` injected through their context and import
 * nothing of this.
 * Source: RFC 9562.
 */
import { hash, randomFillSync, randomUUID } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function uuidv4(): string {
  return randomUUID()
}

/** The bytes of `namespaceIn`, then room for a name. */
const hashed = Buffer.alloc(512)
const NAMESPACE_BYTES = 16
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const MAX_NAME = Math.floor((hashed.length - NAMESPACE_BYTES) / 3)
let namespaceIn = ''

/**
 * Version 5: SHA-1 over the namespace's bytes and the name's UTF-8. Throws TypeError when
 * `namespace` is no UUID. One buffer and a hash in one call: folds derive several for each event,
 * and a hash object and buffers of its own cost four times as much.
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
 * Version 7: 48 bits of epoch ms, then random bits; sorts by time down to the millisecond. Written
 * digit by digit into one buffer, its random bytes drawn in bulk: doors mint one for every alert,
 * and by randomUUID or randomBytes it costs four to ten times as much.
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
