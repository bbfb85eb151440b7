/**
 * Tests make records with the shared builder, `test/harness/records.ts`, so that a new field in a
 * record does not need a line in twenty tests. An object literal counts as a written-out record
 * when it names nine in ten of the record's fields itself; records of up to five fields do not
 * count. The list of exceptions is exact: one that no longer applies must be removed.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseSync } from 'vite'
import { projectRoot } from '../../schemas/files.ts'
import { loadRecords } from '../../schemas/load.ts'

const SHARE = 0.9
const MIN_FIELDS = 6

/** In these files every field matters by itself. */
const exceptions = [
  // It tests what a dead letter keeps of its original record.
  'test/streams/runtime/dead-letter.test.ts DeadLetter',
  // Each column has a value of its own.
  'test/services/analytics/rows.test.ts CheckResult',
  // Each field has a generator.
  'test/streams/incident/properties.test.ts InboundAlert',
  // The simulator plays the doors and the api: it decides each field, millions of times a run.
  'test/simulator/doors.ts CheckResult',
  'test/simulator/doors.ts DoorGap',
  'test/simulator/doors.ts HeartbeatPing',
  'test/simulator/doors.ts InboundAlert',
  'test/simulator/targets.ts HeartbeatConfig',
  'test/simulator/targets.ts MonitorConfig'
]

const fieldsOf = [...loadRecords()]
  .map(([name, { schema }]) => ({ name, fields: (schema.fields ?? []).map((field) => field.name) }))
  .filter(({ fields }) => fields.length >= MIN_FIELDS)

const mostly = (fields: readonly string[], there: (field: string) => boolean): boolean =>
  fields.filter(there).length >= SHARE * fields.length

interface Node {
  type: string
  properties?: { type: string; computed?: boolean; key?: { name?: string; value?: unknown } }[]
}

/** Names of the properties that an object literal sets itself; spread properties do not count. */
function namesIn({ properties }: Node): Set<unknown> {
  return new Set((properties ?? []).filter(({ computed }) => !computed).map(({ key }) => key?.name ?? key?.value))
}

/** Names of the records that are written out below a node. */
function writtenOut(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(writtenOut)
  if (typeof node !== 'object' || node === null) return []
  const below = Object.values(node).flatMap(writtenOut)
  if ((node as Node).type !== 'ObjectExpression') return below
  const names = namesIn(node as Node)
  const is = fieldsOf.filter(({ fields }) => mostly(fields, (field) => names.has(field)))
  return [...is.map(({ name }) => name), ...below]
}

/** `path record` of each written-out record in `test` of `root`. */
function recordsIn(root: string): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(root, 'test', path), 'utf8')
      // Skips parsing: most files do not even contain the field names.
      if (!fieldsOf.some(({ fields }) => mostly(fields, (field) => text.includes(field)))) return []
      const { program, errors } = parseSync(path, text)
      if (errors[0]) throw new Error(`test/${path}: ${errors[0].message}`)
      return writtenOut(program).map((name) => `test/${path} ${name}`)
    })
}

t.test('no test writes out a whole record, except the listed ones', async (t) => {
  t.same(recordsIn(projectRoot).toSorted(), exceptions.toSorted(), 'use record() of test/harness/records.ts')
})

t.test('the check finds a planted record', async (t) => {
  const root = t.testdir({})
  mkdirSync(join(root, 'test/deep'), { recursive: true })
  const alert = fieldsOf.find(({ name }) => name === 'InboundAlert')?.fields ?? []
  const literal = (fields: readonly string[]): string => `{ ${fields.map((field) => `${field}: null`).join(', ')}, ...over }`
  const made = (count: number): string => `const over = {}\nexport const alert = () => [1, ${literal(alert.slice(0, count))}]\n`
  writeFileSync(join(root, 'test/deep/whole.ts'), made(alert.length))
  writeFileSync(join(root, 'test/nearly.test.ts'), made(Math.ceil(alert.length * SHARE)))
  writeFileSync(join(root, 'test/some.ts'), made(Math.ceil(alert.length * SHARE) - 1))
  t.same(recordsIn(root).toSorted(), ['test/deep/whole.ts InboundAlert', 'test/nearly.test.ts InboundAlert'])
})
