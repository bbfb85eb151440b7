/**
 * Knows, for each schema id, how to read its records as records of the current schema. The ids of
 * the current schemas are known from the start; for any other id the registry is asked once. When
 * the registry does not have an id, it is not asked again for a minute. The table of missing ids is
 * bounded.
 */
import type avsc from 'avsc'
import { typeOf } from '../avro.ts'
import type { RecordName } from '../generated/events.ts'
import type { AvroObject } from '../load.ts'
import { WrongSchema } from './errors.ts'

export interface Reader {
  record: RecordName
  type: avsc.Type
  /** Undefined when the writer used the current schema. */
  resolver: ReturnType<avsc.Type['createResolver']> | undefined
}

/**
 * Readers by schema id. A schema that cannot be read as one of our records is stored as the error
 * that decoding its records throws.
 */
export type Readers = Map<number, Reader | WrongSchema>

export interface LearnOptions {
  /** Learned readers are added here. */
  readers: Readers
  types: ReadonlyMap<RecordName, avsc.Type>
  /**
   * Returns the text of a schema; null when the registry has none. Rejects when the registry cannot
   * be reached.
   */
  schemaById(id: number): Promise<string | null>
  /** Epoch ms. */
  now(): number
}

const NEGATIVE_MS = 60_000
const MAX_NEGATIVE = 1000

/**
 * Returns a function that learns a schema id. It also resolves when there is no such schema, and
 * rejects when the registry cannot be reached. With `again` it also asks for an id that the
 * registry lacked less than a minute ago.
 */
export function createLearn({ readers, types, schemaById, now }: LearnOptions): (id: number, again?: boolean) => Promise<void> {
  const missing = new Map<number, number>() // Id → when to ask again.
  const asking = new Map<number, Promise<void>>()

  async function ask(id: number): Promise<void> {
    const text = await schemaById(id)
    if (text !== null) {
      readers.set(id, readerOf(types, id, text))
      return
    }
    if (missing.size >= MAX_NEGATIVE) for (const oldest of [...missing.keys()].slice(0, MAX_NEGATIVE / 2)) missing.delete(oldest)
    missing.set(id, now() + NEGATIVE_MS)
  }

  return async (id, again = false) => {
    if (readers.has(id) || (!again && (missing.get(id) ?? 0) > now())) return
    const pending = asking.get(id)
    if (pending) return pending
    const asked = ask(id).finally(() => asking.delete(id))
    asking.set(id, asked)
    return asked
  }
}

function readerOf(types: ReadonlyMap<RecordName, avsc.Type>, id: number, text: string): Reader | WrongSchema {
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
