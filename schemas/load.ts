/**
 * Reads schemas/events/*.avsc and makes each record self-contained: when another file defines a
 * named type (`service.events.Severity`), its definition is inserted at the first use, and later
 * uses refer to it by name. The registry, the codec and the generators then all use the same text.
 * Two definitions of one name are an error.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { projectRoot } from './files.ts'
import type { RecordName } from './generated/events.ts'

export const NAMESPACE = 'service.events'

export type AvroSchema = string | AvroSchema[] | AvroObject

/** An Avro type that is written as an object, with the properties that our files use. */
export interface AvroObject {
  type: AvroSchema
  name?: string
  namespace?: string
  rev?: number
  doc?: string
  fields?: AvroField[]
  symbols?: string[]
  items?: AvroSchema
  values?: AvroSchema
  default?: string
  logicalType?: string
  size?: number
  aliases?: string[]
}

export interface AvroField {
  name: string
  type: AvroSchema
  doc?: string
  default?: unknown
  aliases?: string[]
}

export interface LoadedRecord {
  name: RecordName
  /** The schema as the file has it: named types of other files are only names. */
  written: AvroObject
  /** Self-contained. */
  schema: AvroObject
  /** `schema` as compact JSON: what the registry stores and looks up. */
  text: string
}

const eventsFolder = join(projectRoot, 'schemas', 'events')

/**
 * Returns every record by name, sorted. Throws with file and reason when a file cannot be read or
 * bundled.
 */
export function loadRecords(folder: string = eventsFolder): ReadonlyMap<RecordName, LoadedRecord> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.avsc'))
    .sort()
  return bundle(files.map((file) => ({ file, written: parse(readFileSync(join(folder, file), 'utf8'), file) })))
}

/**
 * Does the same as loadRecords for schemas that were already read. `file` names each schema in
 * errors and must be the name of its record.
 */
export function bundle(files: readonly { file: string; written: AvroObject }[]): ReadonlyMap<RecordName, LoadedRecord> {
  const named = new Map<string, { file: string; schema: AvroObject }>()
  for (const { file, written } of files) {
    if (written.type !== 'record' || written.name !== basename(file, '.avsc'))
      throw new Error(`${file}: expected a record named ${basename(file, '.avsc')}`)
    if (written.namespace !== NAMESPACE) throw new Error(`${file}: expected namespace ${NAMESPACE}`)
    collect(written, file, named)
  }
  return new Map(
    files.map(({ file, written }) => {
      const schema = inline(written, new Set(), named, file) as AvroObject
      // The generator makes the type RecordName from exactly these names.
      const name = written.name as RecordName
      return [name, { name, written, schema, text: JSON.stringify(schema) }]
    })
  )
}

function parse(text: string, file: string): AvroObject {
  try {
    return JSON.parse(text) as AvroObject
  } catch (error) {
    throw new Error(`${file}: not JSON: ${(error as Error).message}`)
  }
}

/** Returns true for a type that has a name and can be referred to by it. */
export function isNamed(schema: AvroSchema): schema is AvroObject & { name: string } {
  return (
    typeof schema === 'object' && !Array.isArray(schema) && (schema.type === 'record' || schema.type === 'enum' || schema.type === 'fixed')
  )
}

/** Returns the types directly inside a type. */
export function inner(schema: AvroSchema): AvroSchema[] {
  if (typeof schema === 'string') return []
  if (Array.isArray(schema)) return schema
  if (schema.fields) return schema.fields.map((field) => field.type)
  if (schema.items) return [schema.items]
  if (schema.values) return [schema.values]
  return typeof schema.type === 'string' ? [] : [schema.type]
}

function fullName(schema: AvroObject & { name: string }): string {
  return `${schema.namespace ?? NAMESPACE}.${schema.name}`
}

function collect(schema: AvroSchema, file: string, named: Map<string, { file: string; schema: AvroObject }>): void {
  if (isNamed(schema)) {
    const name = fullName(schema)
    const other = named.get(name)
    if (other && JSON.stringify(other.schema) !== JSON.stringify(schema))
      throw new Error(`${file}: ${name} is defined differently in ${other.file}`)
    named.set(name, { file, schema })
  }
  for (const type of inner(schema)) collect(type, file, named)
}

const primitives = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'])

/** Copies a type. `done` holds the named types that the copy already contains. */
function inline(schema: AvroSchema, done: Set<string>, named: ReadonlyMap<string, { schema: AvroObject }>, file: string): AvroSchema {
  if (typeof schema === 'string') {
    if (primitives.has(schema) || done.has(schema)) return schema
    const found = named.get(schema)
    if (!found) throw new Error(`${file}: no file defines ${schema}`)
    return inline(found.schema, done, named, file)
  }
  if (Array.isArray(schema)) return schema.map((branch) => inline(branch, done, named, file))
  if (isNamed(schema)) {
    const name = fullName(schema)
    if (done.has(name)) return name
    done.add(name)
  }
  const copy: AvroObject = { ...schema }
  if (schema.fields) copy.fields = schema.fields.map((field) => ({ ...field, type: inline(field.type, done, named, file) }))
  if (schema.items) copy.items = inline(schema.items, done, named, file)
  if (schema.values) copy.values = inline(schema.values, done, named, file)
  if (typeof schema.type !== 'string') copy.type = inline(schema.type, done, named, file)
  return copy
}
