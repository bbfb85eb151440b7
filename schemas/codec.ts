/**
 * Records of the log as bytes: magic byte 0, schema id as int32 big-endian, Avro body (the wire format of Confluent's registry).
 *
 * Encoding writes with today's schema. Decoding reads whatever version wrote the record as today's record: one avsc type per schema id, one
 * resolver per (writer id, record), both kept for the life of the process. A schema id that is new to the process is fetched by `learn`;
 * encode and decode are synchronous and never wait. Decoded records are instances of classes that avsc generates: compare them by value.
 * Source: docs/design/streaming.md#s3-2 and #s3-3.
 */
import type avsc from 'avsc'
import { typeOf } from './avro.ts'
import type { RecordName, Records } from './generated/events.ts'
import { type AvroObject, type LoadedRecord, loadRecords } from './load.ts'
import { compileView, type ReadView } from './view.ts'

/** A record that nobody can read: for the dead letters. Trying again cannot help. */
export class PoisonRecord extends Error {
  override readonly name: string = 'PoisonRecord'
}

/** Not a byte of magic, an id and a body. */
export class NotFramed extends PoisonRecord {
  override readonly name = 'NotFramed'
}

/** The registry has no such schema, or nobody has asked it yet: see Codec.learn. */
export class UnknownSchema extends PoisonRecord {
  override readonly name = 'UnknownSchema'
  readonly id: number

  constructor(id: number) {
    super(`No schema with id ${id}: the registry does not have it, or it was not asked (broker and registry are kept or wiped together)`)
    this.id = id
  }
}

/** The schema is no record of ours, cannot be read as today's, or is not the record that was asked for. */
export class WrongSchema extends PoisonRecord {
  override readonly name = 'WrongSchema'
}

/** The bytes after the id are not what the schema says. */
export class BadBody extends PoisonRecord {
  override readonly name = 'BadBody'
}

/** A value to encode that does not fit its record. The message names record and field, never the value. */
export class InvalidRecord extends TypeError {
  override readonly name = 'InvalidRecord'
}

export type Decoded = { [N in RecordName]: { record: N; value: Records[N] } }[RecordName]

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
   * Fetches the schema that the bytes name. Resolves also when there is none: decoding then throws UnknownSchema, and the registry is not
   * asked for that id again for a minute. Rejects when the registry cannot be reached: try again later.
   */
  learn(bytes: Buffer): Promise<void>
  /** The same for records that lie among others; those that `views` names are read as far as somebody asks (view.ts): by record, the fields read at once. */
  within(views: Views): Within
}

export type Views = Partial<Record<RecordName, readonly string[]>>

/** Reads records in bytes [from, to), which need not be cut out. */
export interface Within {
  knows(bytes: Buffer, from: number, to: number): boolean
  /** Throws a PoisonRecord. */
  decode(bytes: Buffer, from: number, to: number): Decoded
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

interface Reader {
  record: RecordName
  type: avsc.Type
  /** Undefined when the writer's schema is today's. */
  resolver: ReturnType<avsc.Type['createResolver']> | undefined
}

const HEADER_BYTES = 5
const MAX_SCRATCH_BYTES = 1_048_576
const NEGATIVE_MS = 60_000
const MAX_NEGATIVE = 1000

export function createCodec({ ids, schemaById, records = loadRecords(), now = Date.now }: CodecOptions): Codec {
  const types = new Map<RecordName, avsc.Type>()
  const headers = new Map<RecordName, number>()
  const readers = new Map<number, Reader | WrongSchema>()
  const missing = new Map<number, number>() // Id → when to ask again.
  const asking = new Map<number, Promise<void>>()
  for (const [name, { schema }] of records) {
    if (!Number.isInteger(ids[name])) throw new Error(`${name} has no schema id: run npm run migrate`)
    const type = typeOf(schema)
    types.set(name, type)
    headers.set(name, ids[name])
    readers.set(ids[name], { record: name, type, resolver: undefined })
  }
  let scratch = Buffer.alloc(4096)

  function encode<N extends RecordName>(record: N, value: Records[N]): Buffer {
    const type = types.get(record)
    const id = headers.get(record)
    if (!type || id === undefined) throw new InvalidRecord(`${record} is no record of schemas/events`)
    let buffer = scratch
    let end: number
    try {
      end = type.encode(value, buffer, HEADER_BYTES)
      if (end < 0) {
        // Minus the bytes that were missing. A buffer that one huge record needed is not kept.
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

  function idOf(bytes: Buffer): number {
    if (bytes.length < HEADER_BYTES) throw new NotFramed(`${bytes.length} bytes: too short for magic byte and schema id`)
    if (bytes[0] !== 0) throw new NotFramed(`First byte ${bytes[0]}, expected 0`)
    return bytes.readInt32BE(1)
  }

  function read(bytes: Buffer): { record: RecordName; value: unknown } {
    const id = idOf(bytes)
    const reader = readers.get(id)
    if (!reader) throw new UnknownSchema(id)
    if (reader instanceof WrongSchema) throw reader
    let decoded: { value: unknown; offset: number }
    try {
      decoded = reader.type.decode(bytes, HEADER_BYTES, reader.resolver)
    } catch (error) {
      throw new BadBody(`${reader.record} (schema ${id}): ${(error as Error).message}`)
    }
    if (decoded.offset < 0) throw new BadBody(`${reader.record} (schema ${id}): the body ends too early`)
    if (decoded.offset < bytes.length) throw new BadBody(`${reader.record} (schema ${id}): ${bytes.length - decoded.offset} bytes too many`)
    return { record: reader.record, value: decoded.value }
  }

  const knows = (bytes: Buffer, from: number, to: number): boolean =>
    to - from < HEADER_BYTES || bytes[from] !== 0 || readers.has(bytes.readInt32BE(from + 1))

  function within(views: Views): Within {
    // By the id of today's schema: what an older one wrote, and whatever a view leaves, avsc reads.
    const readViews = new Map<number, { record: RecordName; read: ReadView }>()
    for (const [name, { schema }] of records) {
      const fields = views[name]
      const type = types.get(name)
      if (!fields || !type) continue
      const whole = (body: Buffer): object => type.decode(body, 0).value as object
      readViews.set(ids[name], { record: name, read: compileView(schema, fields, whole) })
    }
    return {
      knows,
      decode(bytes, from, to) {
        const view = to - from >= HEADER_BYTES && bytes[from] === 0 ? readViews.get(bytes.readInt32BE(from + 1)) : undefined
        const value = view?.read(bytes, from + HEADER_BYTES, to)
        return (view && value ? { record: view.record, value } : read(bytes.subarray(from, to))) as Decoded
      }
    }
  }

  async function ask(id: number): Promise<void> {
    const text = await schemaById(id)
    if (text !== null) {
      readers.set(id, readerOf(id, text))
      return
    }
    if (missing.size >= MAX_NEGATIVE) for (const oldest of [...missing.keys()].slice(0, MAX_NEGATIVE / 2)) missing.delete(oldest)
    missing.set(id, now() + NEGATIVE_MS)
  }

  function readerOf(id: number, text: string): Reader | WrongSchema {
    try {
      const schema = JSON.parse(text) as AvroObject
      const record = schema.name as RecordName
      const type = types.get(record)
      if (!type) return new WrongSchema(`Schema ${id} is ${schema.name ?? 'no record'}: nothing in schemas/events`)
      return { record, type, resolver: type.createResolver(typeOf(schema)) }
    } catch (error) {
      return new WrongSchema(`Schema ${id} cannot be read as one of schemas/events: ${(error as Error).message}`)
    }
  }

  return {
    encode,
    decode<N extends RecordName>(record: N, bytes: Buffer): Records[N] {
      const decoded = read(bytes)
      if (decoded.record !== record) throw new WrongSchema(`Expected ${record}, the bytes hold ${decoded.record}`)
      return decoded.value as Records[N] // The reader's schema is the one that the type was generated from.
    },
    decodeAny: (bytes) => read(bytes) as Decoded,
    knows: (bytes) => knows(bytes, 0, bytes.length),
    within,
    async learn(bytes) {
      const id = idOf(bytes)
      if (readers.has(id) || (missing.get(id) ?? 0) > now()) return
      const pending = asking.get(id)
      if (pending) return pending
      const asked = ask(id).finally(() => asking.delete(id))
      asking.set(id, asked)
      return asked
    }
  }
}

/** Why avsc refused a value: the path of the first field that does not fit. Values may be secret and stay out. */
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
