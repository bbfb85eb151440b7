/**
 * Released versions of each subject. They are stored as test/fixtures/schemas/<subject>/<n>.avsc.
 * Beside each, <n>.golden.json holds sample values and the bytes that this version encodes them to.
 * Files in that folder never change; `npm run generate -- --release` adds new ones.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type avsc from 'avsc'
import { typeOf } from '../avro.ts'
import { projectRoot } from '../files.ts'
import { lintChange, lintSchema, type Release } from '../lint.ts'
import type { AvroObject, AvroSchema, LoadedRecord } from '../load.ts'
import { subjectOf, type TopicSpec, topics } from '../topics.ts'

/** A value in Avro's JSON form (bytes as a string of char codes), and its Avro body in hex. */
export interface Golden {
  value: unknown
  hex: string
}

export interface StoredRelease extends Release {
  golden: readonly Golden[]
}

export interface Subject {
  name: string
  compatibility: TopicSpec['compatibility']
  record: LoadedRecord
}

export const releasesFolder = join(projectRoot, 'test', 'fixtures', 'schemas')

/** Returns every subject of topics.ts. Throws when a topic names a record that has no file. */
export function subjectsOf(records: ReadonlyMap<string, LoadedRecord>): Subject[] {
  return topics.flatMap((spec) =>
    spec.records.map((entry) => {
      const record = records.get(entry.record)
      if (!record) throw new Error(`schemas/topics.ts puts ${entry.record} on ${spec.name}: schemas/events has no such file`)
      return { name: subjectOf(spec, entry.record), compatibility: spec.compatibility, record }
    })
  )
}

/** Returns the releases of a subject, oldest first. */
export function readReleases(subject: string, folder: string = releasesFolder): StoredRelease[] {
  const home = join(folder, subject)
  if (!existsSync(home)) return []
  const versions = readdirSync(home)
    .filter((file) => file.endsWith('.avsc'))
    .map((file) => Number(file.slice(0, -'.avsc'.length)))
    .sort((a, b) => a - b)
  return versions.map((version) => ({
    version,
    schema: JSON.parse(readFileSync(join(home, `${version}.avsc`), 'utf8')) as AvroObject,
    golden: JSON.parse(readFileSync(join(home, `${version}.golden.json`), 'utf8')) as Golden[]
  }))
}

/**
 * Adds a version for each subject whose current text differs from its last released version.
 * Returns what it wrote. Throws with every fault that the lint finds.
 */
export function release(records: ReadonlyMap<string, LoadedRecord>, folder: string = releasesFolder): string[] {
  const due = subjectsOf(records)
    .map((subject) => ({ ...subject, releases: readReleases(subject.name, folder) }))
    .filter(({ record, releases }) => JSON.stringify(releases.at(-1)?.schema) !== record.text)
  const faults = due.flatMap(({ record, releases, compatibility }) => [
    ...lintSchema(record.schema),
    ...lintChange(record.schema, releases, compatibility)
  ])
  if (faults.length > 0) throw new Error(`Not released:\n  ${[...new Set(faults)].join('\n  ')}`)
  return due.map(({ name, record, releases }) => {
    const version = (releases.at(-1)?.version ?? 0) + 1
    const golden = goldenOf(record.schema)
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, `${version}.avsc`), `${JSON.stringify(record.schema, null, 2)}\n`)
    writeFileSync(join(folder, name, `${version}.golden.json`), `${JSON.stringify(golden, null, 2)}\n`)
    return `${name} ${version}`
  })
}

/** Returns two sample values of a schema: one with every nullable field set, one with none set. */
function goldenOf(schema: AvroObject): Golden[] {
  const type = typeOf(schema)
  return [true, false].map((full) => {
    const value = sample(schema, new Map(), full)
    return { value: JSON.parse(jsonOf(type, value)), hex: type.toBuffer(value).toString('hex') }
  })
}

/**
 * avsc's declaration does not say that `toString` returns the text of the value when it has an
 * argument, and the text of the schema when it has none.
 */
function jsonOf(type: avsc.Type, value: unknown): string {
  return type.toString(value)
}

const plain: Readonly<Record<string, unknown>> = {
  null: null,
  boolean: true,
  int: -70,
  long: 9_007_199_254_740_990,
  float: 12.5,
  double: 0.1,
  string: 'Grüße, 世界 🚨'
}

function sample(schema: AvroSchema, named: Map<string, AvroObject>, full: boolean): unknown {
  if (typeof schema === 'string') {
    const known = named.get(schema)
    if (known) return sample(known, named, full)
    return schema === 'bytes' ? Buffer.from([0, 1, 127, 128, 255]) : plain[schema]
  }
  if (Array.isArray(schema)) return sample(full ? (schema[1] ?? 'null') : 'null', named, full)
  if (schema.name !== undefined) named.set(`service.events.${schema.name}`, schema)
  if (schema.fields) return Object.fromEntries(schema.fields.map((field) => [field.name, sample(field.type, named, full)]))
  if (schema.symbols) return schema.symbols[0]
  // The items are walked even when no item is kept, because a later field may use a type that they
  // define.
  const item = sample(schema.items ?? schema.values ?? 'null', named, full)
  if (schema.items) return full ? [item] : []
  if (schema.values) return full ? { key: item } : {}
  if (schema.logicalType === 'uuid') return '0191d5a0-0000-7000-8000-000000000001'
  if (schema.logicalType === 'timestamp-millis') return 1_700_000_000_123
  return sample(schema.type, named, full)
}
