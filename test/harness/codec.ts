/**
 * A codec without a schema registry: schema ids count from 1 in the order of record names. For
 * tests of code that only passes records on.
 */
import { type Codec, createCodec } from '../../schemas/codec.ts'
import type { RecordName } from '../../schemas/generated/events.ts'
import { type LoadedRecord, loadRecords } from '../../schemas/load.ts'

export function localIds(records: ReadonlyMap<RecordName, LoadedRecord> = loadRecords()): Record<RecordName, number> {
  return Object.fromEntries([...records.keys()].map((name, index) => [name, index + 1])) as Record<RecordName, number>
}

/** `schemas` are further schema texts that the registry would hold, by id. */
export function localCodec(schemas: ReadonlyMap<number, string> = new Map()): Codec {
  return createCodec({ ids: localIds(), schemaById: async (id) => schemas.get(id) ?? null })
}
