/** Step 2: decodes the bytes of a payload to JSON or to the fields of a form. */
import type { Failure } from '../../http/answer.ts'
import { type Decoded, decode as decodeBytes } from '../body.ts'
import type { Payload } from './alert-exchange.ts'
import { failureOf } from './refusals.ts'

const nothing: Decoded = { body: {}, escaped: true }

/** Returns null on success; then `body`, `escaped` and `source` of the payload are set. */
export function decode(payload: Payload): Failure | null {
  const { bytes, source, exchange } = payload
  const { door } = exchange
  let decoded: Decoded
  try {
    decoded = bytes.length === 0 && door.bodiless ? nothing : decodeBytes(bytes)
  } catch (error) {
    return failureOf(error)
  }
  payload.isDecoded = true
  payload.body = decoded.body
  // A value in the address may hold the same characters that an escape in a body can produce.
  payload.escaped = decoded.escaped || door.bodiless === true
  payload.source = door.reads?.(decoded.body) ?? source
  return null
}
