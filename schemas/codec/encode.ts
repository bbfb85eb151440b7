/**
 * Encodes records with the current schemas. A value that does not fit its schema is refused with
 * the path of the field.
 */
import type avsc from 'avsc'
import type { RecordName, Records } from '../generated/events.ts'
import { InvalidRecord } from './errors.ts'
import { HEADER_BYTES } from './frame.ts'

const SCRATCH_BYTES = 4096
const MAX_SCRATCH_BYTES = 1_048_576

export type Encode = <N extends RecordName>(record: N, value: Records[N]) => Buffer

/**
 * Returns the encoder. `types` and `ids` belong to the current schema of each record. All records
 * are written into one shared buffer, and each result is a copy.
 */
export function createEncode(types: ReadonlyMap<RecordName, avsc.Type>, ids: ReadonlyMap<RecordName, number>): Encode {
  let scratch = Buffer.alloc(SCRATCH_BYTES)

  return function encode<N extends RecordName>(record: N, value: Records[N]): Buffer {
    const type = types.get(record)
    const id = ids.get(record)
    if (!type || id === undefined) throw new InvalidRecord(`${record} is no record of schemas/events`)
    let buffer = scratch
    let end: number
    try {
      end = type.encode(value, buffer, HEADER_BYTES)
      if (end < 0) {
        // `end` is negative: minus the number of bytes that were missing. A very large buffer that
        // one record needed is not kept.
        buffer = Buffer.alloc(2 * (buffer.length - end))
        if (buffer.length <= MAX_SCRATCH_BYTES) scratch = buffer
        end = type.encode(value, buffer, HEADER_BYTES)
      }
    } catch (error) {
      throw explain(record, type, value, error)
    }
    const bytes = Buffer.allocUnsafe(end)
    buffer.copy(bytes, 0, 0, end)
    bytes[0] = 0
    bytes.writeInt32BE(id, 1)
    return bytes
  }
}

/**
 * Explains why avsc refused a value: the path of the first field that does not fit. Values may be
 * secret, so they are left out.
 */
function explain(record: RecordName, type: avsc.Type, value: unknown, cause: unknown): InvalidRecord {
  const faults: string[] = []
  type.isValid(value, {
    errorHook(path, found, expected) {
      const { symbols } = expected as { symbols?: string[] }
      const wanted = symbols ? `one of ${symbols.join(', ')}` : (expected.branchName ?? expected.typeName)
      faults.push(`${[record, ...path].join('.')}: expected ${wanted}, got ${nameOf(found)}`)
    }
  })
  return new InvalidRecord(faults.slice(0, 3).join('; ') || `${record}: ${(cause as Error).message}`)
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'a whole number' : 'a number that is not whole or too large'
  return typeof value
}
