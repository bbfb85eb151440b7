/** Generated files match today's schemas and folders, and a stale file is reported by name. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { projectRoot } from '../../schemas/files.ts'
import { toJobsIndex } from '../../schemas/generate/jobs.ts'
import { toSourcesIndex, toSourceTypes } from '../../schemas/generate/sources.ts'
import { generated, stale } from '../../schemas/generate.ts'
import { recordNames } from '../../schemas/generated/events.ts'
import { loadRecords } from '../../schemas/load.ts'
import { topics } from '../../schemas/topics.ts'

t.test('generated files are up to date', async (t) => {
  t.same(stale(generated()), [], 'else run npm run generate')
})

t.test('a changed schema, source or job makes its generated files stale', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'generated-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  for (const path of ['package.json', 'schemas/events', 'services/intake/sources', 'services/notifier/jobs'])
    cpSync(join(projectRoot, path), join(root, path), { recursive: true })
  for (const [path, text] of generated(root)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  t.same(stale(generated(root), root), [])

  const tick = join(root, 'schemas/events/Tick.avsc')
  writeFileSync(tick, readFileSync(tick, 'utf8').replace('Instant that has come.', 'Instant that came.'))
  t.same(stale(generated(root), root), ['schemas/generated/events.ts', 'schemas/generated/asyncapi.yaml'])

  writeFileSync(join(root, 'services/intake/sources/aaa.ts'), '')
  t.ok(stale(generated(root), root).includes('services/intake/sources/index.ts'))
  t.ok(stale(generated(root), root).includes('schemas/generated/source-types.ts'))

  writeFileSync(join(root, 'services/notifier/jobs/aaa.ts'), '')
  t.ok(stale(generated(root), root).includes('services/notifier/jobs/index.ts'))

  rmSync(join(root, 'schemas/generated/asyncapi.yaml'))
  t.ok(stale(generated(root), root).includes('schemas/generated/asyncapi.yaml'), 'a missing file is stale')
})

t.test('the generated list of sources is sorted and names each file once', async (t) => {
  t.equal(
    toSourcesIndex(['new_relic.ts', 'index.ts', 'alertmanager.ts', 'notes.md', 'pager-tree.ts']),
    [
      "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
      "import type { SourceType } from '../../../schemas/generated/source-types.ts'",
      "import type { Source } from '../source.ts'",
      "import { source as alertmanager } from './alertmanager.ts'",
      "import { source as newRelic } from './new_relic.ts'",
      "import { source as pagerTree } from './pager-tree.ts'",
      '',
      '/** Every source by its type. */',
      'export const sources: Readonly<Record<SourceType, Source>> = {',
      '  alertmanager,',
      '  new_relic: newRelic,',
      "  'pager-tree': pagerTree",
      '}',
      ''
    ].join('\n')
  )
  t.match(toSourceTypes(['new_relic.ts', 'index.ts', 'alertmanager.ts']), /\[\n {2}'alertmanager',\n {2}'new_relic'\n\] as const/)
})

t.test('the generated list of jobs names each kind after its file', async (t) => {
  t.equal(
    toJobsIndex(['silence-end.ts', 'index.ts', 'notes.md', 'escalate.ts']),
    [
      "// Written by `npm run generate` from this folder's listing. Never edited by hand.",
      "import type { Runs } from '../job.ts'",
      "import { run as escalate } from './escalate.ts'",
      "import { run as silenceEnd } from './silence-end.ts'",
      '',
      'export const runs = {',
      '  escalate,',
      '  silence_end: silenceEnd',
      '} satisfies Runs',
      ''
    ].join('\n')
  )
})

t.test('the AsyncAPI document has every topic and every record schema', async (t) => {
  const document = parse(readFileSync(join(projectRoot, 'schemas/generated/asyncapi.yaml'), 'utf8')) as {
    asyncapi: string
    channels: Record<string, { messages: Record<string, unknown>; bindings: { kafka: { partitions: number } } }>
    components: { schemas: Record<string, { schema: unknown }> }
  }
  t.equal(document.asyncapi, '3.0.0')
  t.same(
    Object.keys(document.channels),
    topics.map(({ name }) => name)
  )
  for (const { name, partitions } of topics) t.equal(document.channels[name]?.bindings.kafka.partitions, partitions, name)
  for (const [name, { schema }] of loadRecords()) t.same(document.components.schemas[name]?.schema, schema, name)
  t.same(Object.keys(document.channels['checks.results.v1']?.messages ?? {}), ['CheckResult', 'Tick', 'MonitorConfig'])
})

t.test('the list of record names matches the schema files', async (t) => {
  t.same([...recordNames], [...loadRecords().keys()])
})
