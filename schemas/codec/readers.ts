/**
 * How the records of each schema id are read as today's records. Ids of our own schemas are known
 * from the start; any other is asked of the registry once. What the registry does not have is not
 * asked for again for a minute, in a bounded table.
 */
import type avsc from 'avsc'
import { typeOf } from '../avro.ts'
import type { RecordName } from '../generated/events.ts'
import type { AvroObject } from '../load.ts'
import { WrongSchema } from './errors.ts'

export interface Reader {
  record: RecordName
  type: avsc.Type
  /** Undefined when the writer's schema is today's. */
  resolver: ReturnType<avsc.Type['createResolver']> | undefined
}

/**
 * By schema id. A schema that cannot be read as a record of ours is kept as the error that its
 * records throw.
 */
export type Readers = Map<number, Reader | WrongSchema>

export interface LearnOptions {
  /** What was learned goes here. */
  readers: Readers
  types: ReadonlyMap<RecordName, avsc.Type>
  /** Text of a schema; null when the registry has none. Rejects when it cannot be asked. */
  schemaById(id: number): Promise<string | null>
  /** Epoch ms. */
  now(): number
}

const NEGATIVE_MS = 60_000
const MAX_NEGATIVE = 1000

/**
 * Returns what learns an id: it resolves also when there is no such schema, and rejects when the
 * registry cannot be asked. `again` also asks for what the registry lacked a moment ago.
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
