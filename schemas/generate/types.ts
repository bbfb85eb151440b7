/**
 * Generates TypeScript for the Avro records: one interface per record and one union per enum, each
 * declared before it is used. Timestamps are epoch-ms numbers, UUIDs are strings, bytes are
 * Buffers, and an enum is a union of its symbols.
 */
import { type AvroSchema, inner, isNamed, type LoadedRecord, NAMESPACE } from '../load.ts'

const primitives: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  bytes: 'Buffer',
  string: 'string'
}

/** Returns the text of schemas/generated/events.ts. */
export function toTypes(records: Iterable<LoadedRecord>): string {
  const all = [...records]
  const declared = new Map<string, string>()
  for (const { schema } of all) declare(schema, declared)
  return [
    '// Written by `npm run generate` from schemas/events/*.avsc. Never edited by hand.\n',
    ...declared.values(),
    '/** Every record of the log by its Avro name. */',
    'export interface Records {',
    ...all.map(({ name }) => `  ${name}: ${name}`),
    '}\n',
    'export type RecordName = keyof Records\n',
    'export const recordNames: readonly RecordName[] = [',
    ...all.map(({ name }, index) => `  '${name}'${index < all.length - 1 ? ',' : ''}`),
    ']',
    ''
  ].join('\n')
}

/** Adds declarations for the named types inside a type, inner types first. */
function declare(schema: AvroSchema, declared: Map<string, string>): void {
  for (const type of inner(schema)) declare(type, declared)
  if (!isNamed(schema) || declared.has(schema.name)) return
  if (schema.fields) {
    const fields = schema.fields.map((field) => `${comment(field.doc, '  ')}  ${field.name}: ${typeOf(field.type)}\n`)
    declared.set(schema.name, `${comment(schema.doc)}export interface ${schema.name} {\n${fields.join('')}}\n`)
  } else {
    declared.set(
      schema.name,
      `${comment(schema.doc)}export type ${schema.name} = ${(schema.symbols ?? []).map((symbol) => `'${symbol}'`).join(' | ')}\n`
    )
  }
}

function comment(doc: string | undefined, indent = ''): string {
  return doc === undefined ? '' : `${indent}/** ${doc.replaceAll('*/', '*\\/')} */\n`
}

function typeOf(schema: AvroSchema): string {
  if (typeof schema === 'string') return primitives[schema] ?? schema.slice(NAMESPACE.length + 1)
  if (Array.isArray(schema)) {
    // null comes last, as people write unions.
    return [...schema]
      .sort((a, b) => Number(a === 'null') - Number(b === 'null'))
      .map(typeOf)
      .join(' | ')
  }
  if (isNamed(schema)) return schema.name
  if (schema.items)
    return inner(schema.items).length > 0 && Array.isArray(schema.items) ? `(${typeOf(schema.items)})[]` : `${typeOf(schema.items)}[]`
  if (schema.values) return `Record<string, ${typeOf(schema.values)}>`
  return typeOf(schema.type)
}
