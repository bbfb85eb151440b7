/**
 * Records of the log as bytes: magic byte 0, schema id as int32 big-endian, Avro body (the wire
 * format of Confluent's registry).
 *
 * Encoding writes with today's schema. Decoding reads whatever version wrote the record as today's
 * record: one avsc type per schema id, one resolver per (writer id, record), both kept for the life
 * of the process. A schema id that is new to the process is fetched by `learn`; encode and decode
 * are synchronous and never wait. Decoded records are instances of classes that avsc generates:
 * compare them by value.
 * Source: docs/design/streaming.md#s3-2 and #s3-3.
 */
import type avsc from 'avsc'
import { typeOf } from './avro.ts'
import { createEncode } from './codec/encode.ts'
import { WrongSchema } from './codec/errors.ts'
import { idOf } from './codec/frame.ts'
import { compileViews, createKnows, createRead, createWithin, type Decoded, type Views, type Within } from './codec/read.ts'
import { createLearn, type Readers } from './codec/readers.ts'
import type { RecordName, Records } from './generated/events.ts'
import { type LoadedRecord, loadRecords } from './load.ts'

export { BadBody, InvalidRecord, NotFramed, PoisonRecord, UnknownSchema, WrongSchema } from './codec/errors.ts'
export type { Decoded, Views, Within } from './codec/read.ts'

export interface Codec {
  /** Throws InvalidRecord. */
  encode<N extends RecordName>(record: N, value: Records[N]): Buffer
  /** Throws a PoisonRecord: WrongSchema when the bytes hold another record. */
  decode<N extends RecordName>(record: N, bytes: Buffer): Records[N]
  /** Throws a PoisonRecord. */
  decodeAny(bytes: Buffer): Decoded
  /** False when `learn` should be awaited before decoding. */
  knows(bytes: Buffer): boolean
  /**
   * Fetches the schema that the bytes name. Resolves also when there is none: decoding then throws
   * UnknownSchema, and the registry is not asked for that id again for a minute, unless `again`
   * says so. Rejects when the registry cannot be reached: try again later.
   */
  learn(bytes: Buffer, again?: boolean): Promise<void>
  /**
   * The same for records that lie among others; those that `views` names are read as far as
   * somebody asks (view.ts): by record, the fields read at once.
   */
  within(views: Views): Within
}

export interface CodecOptions {
  /** Registry id of today's schema of each record. */
  ids: Readonly<Record<RecordName, number>>
  /** Text of a schema; null when the registry has none. Rejects when it cannot be asked. */
  schemaById(id: number): Promise<string | null>
  records?: ReadonlyMap<RecordName, LoadedRecord>
  /** Epoch ms; for tests. */
  now?(): number
}

export function createCodec({ ids: given, schemaById, records = loadRecords(), now = Date.now }: CodecOptions): Codec {
  const types = new Map<RecordName, avsc.Type>()
  const ids = new Map<RecordName, number>()
  const readers: Readers = new Map()
  for (const [name, { schema }] of records) {
    const id = given[name]
    if (!Number.isInteger(id)) throw new Error(`${name} has no schema id: run npm run migrate`)
    const type = typeOf(schema)
    types.set(name, type)
    ids.set(name, id)
    readers.set(id, { record: name, type, resolver: undefined })
  }
  const read = createRead(readers)
  const knows = createKnows(readers)
  const learn = createLearn({ readers, types, schemaById, now })
  return {
    encode: createEncode(types, ids),
    decode<N extends RecordName>(record: N, bytes: Buffer): Records[N] {
      const decoded = read(bytes)
      if (decoded.record !== record) throw new WrongSchema(`Expected ${record}, the bytes hold ${decoded.record}`)
      return decoded.value as Records[N]
    },
    decodeAny: read,
    knows: (bytes) => knows(bytes, 0, bytes.length),
    within: (views) => createWithin(compileViews(views, records, types, ids), knows, read),
    learn: async (bytes, again) => learn(idOf(bytes), again)
  }
}
