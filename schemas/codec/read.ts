/**
 * Decodes bytes to records: completely, or, for a record inside a larger buffer, only the fields
 * that are read (view.ts).
 */
import type avsc from 'avsc'
import type { RecordName, Records } from '../generated/events.ts'
import type { LoadedRecord } from '../load.ts'
import { compileView, type ReadView } from '../view.ts'
import { BadBody, UnknownSchema, WrongSchema } from './errors.ts'
import { HEADER_BYTES, idAt, idOf, isFramed } from './frame.ts'
import type { Readers } from './readers.ts'

export type Decoded = { [N in RecordName]: { record: N; value: Records[N] } }[RecordName]

/** For each record, the fields that are decoded at once. */
export type Views = Partial<Record<RecordName, readonly string[]>>

/** Reads the record in bytes [from, to) without copying it out of its buffer first. */
export interface Within {
  knows(bytes: Buffer, from: number, to: number): boolean
  /** Throws a PoisonRecord. */
  decode(bytes: Buffer, from: number, to: number): Decoded
}

/** Throws a PoisonRecord. */
export type Read = (bytes: Buffer) => Decoded

export function createRead(readers: Readers): Read {
  return (bytes) => {
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
    // The cast is safe: the TypeScript type was generated from the reader's schema.
    return { record: reader.record, value: decoded.value } as Decoded
  }
}

/**
 * Returns true when the schema id is known, or when the bytes have no header and so no id to learn.
 */
export const createKnows =
  (readers: Readers): Within['knows'] =>
  (bytes, from, to) =>
    !isFramed(bytes, from, to) || readers.has(idAt(bytes, from))

interface View {
  record: RecordName
  read: ReadView
}

/**
 * Returns the compiled views by the id of the record's current schema. avsc decodes records of
 * older schemas, and every body that a view refuses.
 */
export function compileViews(
  views: Views,
  records: ReadonlyMap<RecordName, LoadedRecord>,
  types: ReadonlyMap<RecordName, avsc.Type>,
  ids: ReadonlyMap<RecordName, number>
): ReadonlyMap<number, View> {
  const compiled = new Map<number, View>()
  for (const [name, { schema }] of records) {
    const fields = views[name]
    const type = types.get(name)
    const id = ids.get(name)
    if (!fields || !type || id === undefined) continue
    const whole = (body: Buffer): object => type.decode(body, 0).value as object
    compiled.set(id, { record: name, read: compileView(schema, fields, whole) })
  }
  return compiled
}

export function createWithin(views: ReadonlyMap<number, View>, knows: Within['knows'], read: Read): Within {
  return {
    knows,
    decode(bytes, from, to) {
      const view = isFramed(bytes, from, to) ? views.get(idAt(bytes, from)) : undefined
      const value = view?.read(bytes, from + HEADER_BYTES, to)
      return view && value ? ({ record: view.record, value } as Decoded) : read(bytes.subarray(from, to))
    }
  }
}
