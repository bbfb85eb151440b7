/**
 * Checks what every schema must be, and what a change to a schema must not do. It finds faults that
 * a registry does not see (docs, logical types, changed defaults, names), and compatibility faults
 * before the registry sees them. Pure: it takes schemas and returns sentences, one for each fault.
 * Source: docs/design/streaming.md#s3-2, docs/design/registry.md#s3.
 */
import { typeOf } from './avro.ts'
import { type AvroField, type AvroObject, type AvroSchema, isNamed } from './load.ts'
import type { TopicSpec } from './topics.ts'

/** A released version of a subject, with its self-contained schema. */
export interface Release {
  version: number
  schema: AvroObject
}

/**
 * Logical types that are allowed, each with its base type. Not every reader treats other logical
 * types alike.
 */
const logicalTypes: Readonly<Record<string, string>> = { uuid: 'string', 'timestamp-millis': 'long' }

/** Ids that other systems create. They are not UUIDs of this service. */
const foreignIds = new Set(['delivery_id', 'request_id', 'provider_message_id'])

/** UUID fields that are named after their relation to the record. */
const relations = new Set(['boot', 'depends_on', 'manually_closed_by', 'merged_into', 'reopened_from'])

const uuidName = /(^|_)ids?$/
const instantName = /_at$|_not_after$|^(at|t|from|to|since|until|window)$|_until$/

/**
 * Returns every fault of one self-contained schema. Each begins with the path of the place that it
 * is about.
 */
export function lintSchema(schema: AvroObject): string[] {
  const name = schema.name ?? '?'
  const faults: string[] = []
  if (!isText(schema.doc)) faults.push(`${name}: has no doc`)
  if (!Number.isInteger(schema.rev) || (schema.rev ?? 0) < 1)
    faults.push(`${name}: has no rev (1, 2, …): without it the registry takes a change of docs or enum defaults for the old text`)
  lintType(schema, name, faults)
  try {
    typeOf(schema)
  } catch (error) {
    faults.push(`${name}: not Avro: ${(error as Error).message}`)
  }
  return faults
}

function lintType(schema: AvroSchema, path: string, faults: string[]): void {
  if (typeof schema === 'string') return
  if (Array.isArray(schema)) {
    if (schema.length !== 2 || schema[0] !== 'null') faults.push(`${path}: a union may only be ["null", type]`)
    for (const branch of schema) lintType(branch, path, faults)
    return
  }
  if (schema.aliases) faults.push(`${path}: aliases are for renames, and nothing is renamed`)
  if (schema.logicalType !== undefined && logicalTypes[schema.logicalType] !== schema.type) {
    faults.push(
      `${path}: logical type ${schema.logicalType} on ${String(schema.type)} is not one of ${Object.entries(logicalTypes)
        .map(([logical, base]) => `${logical} on ${base}`)
        .join(', ')}`
    )
  }
  if (schema.type === 'enum' && (schema.default === undefined || !schema.symbols?.includes(schema.default))) {
    faults.push(`${path}: the enum ${schema.name} has no default among its symbols: old readers would refuse a new symbol`)
  }
  if (schema.type === 'fixed') faults.push(`${path}: fixed is not used: UUIDs are strings`)
  for (const field of schema.fields ?? []) lintField(field, `${path}.${field.name}`, faults)
  if (schema.items) lintType(schema.items, `${path}[]`, faults)
  if (schema.values) lintType(schema.values, `${path}{}`, faults)
  if (typeof schema.type !== 'string') lintType(schema.type, path, faults)
}

function lintField(field: AvroField, path: string, faults: string[]): void {
  if (!isText(field.doc)) faults.push(`${path}: has no doc`)
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(field.name)) faults.push(`${path}: not snake_case`)
  if (field.aliases) faults.push(`${path}: aliases are for renames, and nothing is renamed`)
  if (Array.isArray(field.type) && field.default !== null) faults.push(`${path}: a nullable field has the default null`)
  const logical = logicalOf(field.type)
  if (uuidName.test(field.name) !== (logical === 'uuid') && !(logical === 'uuid' ? relations : foreignIds).has(field.name)) {
    faults.push(logical === 'uuid' ? `${path}: a UUID is called *_id` : `${path}: *_id is a string with logical type uuid`)
  }
  if (instantName.test(field.name) !== (logical === 'timestamp-millis')) {
    faults.push(
      logical === 'timestamp-millis' ? `${path}: an instant is called *_at` : `${path}: *_at is a long with logical type timestamp-millis`
    )
  }
  lintType(field.type, path, faults)
}

/** Returns the logical type of a field. Looks inside null unions and lists. */
function logicalOf(schema: AvroSchema): string | undefined {
  if (typeof schema === 'string') return undefined
  if (Array.isArray(schema)) return schema.map(logicalOf).find((logical) => logical !== undefined)
  return schema.logicalType ?? (schema.items ? logicalOf(schema.items) : undefined)
}

function isText(doc: string | undefined): boolean {
  return doc !== undefined && doc.trim().length > 2
}

/**
 * Returns every fault of the current schema as a successor of a subject's released versions. Also
 * checks its `rev`.
 */
export function lintChange(today: AvroObject, releases: readonly Release[], compatibility: TopicSpec['compatibility']): string[] {
  const faults = lintSuccessors(today, releases, compatibility)
  const last = releases.at(-1)
  if (last && JSON.stringify(last.schema) !== JSON.stringify(today) && (today.rev ?? 0) <= (last.schema.rev ?? 0)) {
    faults.push(
      `${today.name}: differs from its released version ${last.version}, which has the same rev: raise rev, then npm run generate -- --release`
    )
  }
  return faults
}

/**
 * Returns what a change breaks. Also accepts schemas as a registry returns them: with other key
 * order, and names without a namespace.
 */
export function lintSuccessors(today: AvroObject, releases: readonly Release[], compatibility: TopicSpec['compatibility']): string[] {
  return releases.flatMap(({ version, schema }) => {
    const faults: string[] = []
    compare(schema, today, today.name ?? '?', { before: namedIn(schema), after: namedIn(today) }, faults)
    for (const fault of incompatibilities(today, schema, compatibility)) faults.push(`${today.name}: ${fault}`)
    return faults.map((fault) => `${fault} (against version ${version})`)
  })
}

/**
 * Returns why one version cannot be read as the other. BACKWARD: the current version must read the
 * old one. FULL: the old version must also read the current one.
 */
export function incompatibilities(today: AvroObject, released: AvroObject, compatibility: TopicSpec['compatibility']): string[] {
  const faults: string[] = []
  const [now, then] = [typeOf(today), typeOf(released)]
  const tries = [{ reader: now, writer: then, what: 'today cannot read the old version' }]
  if (compatibility === 'FULL_TRANSITIVE') tries.push({ reader: then, writer: now, what: 'the old version cannot read today' })
  for (const { reader, writer, what } of tries) {
    try {
      reader.createResolver(writer)
    } catch (error) {
      faults.push(`${what}: ${(error as Error).message}`)
    }
  }
  return faults
}

/** Named types of each version. A type is defined once and then referred to by its name. */
interface Names {
  before: ReadonlyMap<string, AvroObject>
  after: ReadonlyMap<string, AvroObject>
}

/** Compares the types that both versions have. */
function compare(before: AvroSchema, after: AvroSchema, path: string, names: Names, faults: string[]): void {
  const [old, now] = [open(withoutNull(before), names.before), open(withoutNull(after), names.after)]
  if (Array.isArray(before) && !Array.isArray(after)) faults.push(`${path}: was nullable: narrowed`)
  const [oldKind, nowKind] = [kindOf(old), kindOf(now)]
  if (oldKind !== nowKind && !widens(oldKind, nowKind)) faults.push(`${path}: ${oldKind} became ${nowKind}: narrowed or another type`)
  if (logicalOf(old) !== logicalOf(now)) faults.push(`${path}: logical type ${logicalOf(old) ?? 'none'} became ${logicalOf(now) ?? 'none'}`)
  if (typeof old === 'string' || typeof now === 'string' || Array.isArray(old) || Array.isArray(now)) return
  if (isNamed(old) && isNamed(now) && old.name !== now.name) faults.push(`${path}: the type ${old.name} was renamed ${now.name}`)
  if (old.default !== now.default) faults.push(`${path}: the default of the enum ${old.name} changed from ${old.default} to ${now.default}`)
  const gone = (old.symbols ?? []).filter((symbol) => !now.symbols?.includes(symbol))
  if (gone.length > 0) faults.push(`${path}: the enum ${old.name} lost ${gone.join(', ')}: narrowed`)
  if (old.items && now.items) compare(old.items, now.items, `${path}[]`, names, faults)
  if (old.values && now.values) compare(old.values, now.values, `${path}{}`, names, faults)
  if (old.fields && now.fields) compareFields(old.fields, now.fields, path, names, faults)
}

function compareFields(old: readonly AvroField[], now: readonly AvroField[], path: string, names: Names, faults: string[]): void {
  const added = now.filter(({ name }) => !old.some((field) => field.name === name))
  for (const field of added) if (field.default === undefined) faults.push(`${path}.${field.name}: a new field needs a default`)
  for (const field of old) {
    const successor = now.find(({ name }) => name === field.name)
    if (successor) {
      if (JSON.stringify(field.default) !== JSON.stringify(successor.default)) {
        faults.push(
          `${path}.${field.name}: the default changed from ${JSON.stringify(field.default) ?? 'none'} to ${JSON.stringify(successor.default) ?? 'none'}`
        )
      }
      compare(field.type, successor.type, `${path}.${field.name}`, names, faults)
    } else {
      const renamed = added.find(({ type }) => JSON.stringify(type) === JSON.stringify(field.type))
      if (renamed) faults.push(`${path}.${field.name}: looks renamed to ${renamed.name}: nothing is renamed`)
    }
  }
}

/** Returns the type that a nullable field holds. */
function withoutNull(schema: AvroSchema): AvroSchema {
  return Array.isArray(schema) ? (schema.find((branch) => branch !== 'null') ?? 'null') : schema
}

/** Returns the definition that a name refers to. */
function open(schema: AvroSchema, named: ReadonlyMap<string, AvroObject>): AvroSchema {
  return typeof schema === 'string' ? (named.get(bare(schema)) ?? schema) : schema
}

/** Returns a name without its namespace. */
function bare(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

function namedIn(schema: AvroSchema, found: Map<string, AvroObject> = new Map()): Map<string, AvroObject> {
  if (typeof schema === 'string') return found
  if (Array.isArray(schema)) for (const branch of schema) namedIn(branch, found)
  else {
    if (isNamed(schema)) found.set(schema.name, schema)
    for (const type of [...(schema.fields ?? []).map((field) => field.type), schema.items ?? 'null', schema.values ?? 'null'])
      namedIn(type, found)
  }
  return found
}

function kindOf(schema: AvroSchema): string {
  if (typeof schema === 'string') return schema
  return Array.isArray(schema) ? 'union' : typeof schema.type === 'string' ? schema.type : kindOf(schema.type)
}

const wider: Readonly<Record<string, readonly string[]>> = {
  int: ['long', 'float', 'double'],
  long: ['float', 'double'],
  float: ['double']
}

function widens(from: string, to: string): boolean {
  return wider[from]?.includes(to) ?? false
}
