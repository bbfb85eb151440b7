/** Step 2: from the bytes of a payload to JSON or the fields of a form. */
import type { Failure } from '../../http/answer.ts'
import { type Decoded, decode as decodeBytes } from '../body.ts'
import type { Payload } from './alert-exchange.ts'
import { failureOf } from './refusals.ts'

const nothing: Decoded = { body: {}, escaped: true }

/** null: `body`, `escaped` and `source` of the payload are known now. */
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
  // An address may hold what the escapes of a body may.
  payload.escaped = decoded.escaped || door.bodiless === true
  payload.source = door.reads?.(decoded.body) ?? source
  return null
}
