/**
 * Encodes and decodes the records on the log. A record is magic byte 0, the schema id as int32
 * big-endian, then the Avro body (the wire format of Confluent's registry).
 *
 * Encoding writes with the current schema. Decoding turns a record that any schema version wrote
 * into a record of the current schema. It keeps one avsc type per schema id and one resolver per
 * (writer id, record) for the life of the process. `learn` fetches a schema id that the process
 * does not know yet; encode and decode are synchronous and never wait. Decoded records are
 * instances of classes that avsc generates, so compare them by value.
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
  /** Throws a PoisonRecord. It is a WrongSchema when the bytes hold a record of another type. */
  decode<N extends RecordName>(record: N, bytes: Buffer): Records[N]
  /** Throws a PoisonRecord. */
  decodeAny(bytes: Buffer): Decoded
  /** Returns false when the caller must await `learn` before it decodes. */
  knows(bytes: Buffer): boolean
  /**
   * Fetches the schema whose id is in the bytes. Also resolves when the registry has no such
   * schema: decoding then throws UnknownSchema, and for a minute the registry is not asked for that
   * id again, unless `again` is true. Rejects when the registry cannot be reached; try again later.
   */
  learn(bytes: Buffer, again?: boolean): Promise<void>
  /**
   * Returns the same functions for a record that is part of a larger buffer. `views` lists, by
   * record, the fields to decode at once; other fields of these records are decoded only when
   * somebody reads them (view.ts).
   */
  within(views: Views): Within
}

export interface CodecOptions {
  /** Registry id of each record's current schema. */
  ids: Readonly<Record<RecordName, number>>
  /**
   * Returns the text of a schema; null when the registry has none. Rejects when the registry cannot
   * be reached.
   */
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
