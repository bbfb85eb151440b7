/**
 * Tests that the registry at SERVICE_SCHEMA_REGISTRY_URL does what the service relies on: identity,
 * levels, refusals, look-ups. Another product can be used when it passes. Each test has subjects of
 * its own; ids are assigned by the server.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createCodec } from '../../schemas/codec.ts'
import type { RecordName } from '../../schemas/generated/events.ts'
import { type AvroObject, type LoadedRecord, loadRecords } from '../../schemas/load.ts'
import { subjectOf, topics } from '../../schemas/topics.ts'
import { connectRegistry } from '../../streams/runtime/registry.ts'
import { engines } from '../harness/engines.ts'
import { record } from '../harness/records.ts'

const { registryUrl } = engines()
const records = loadRecords()

/** Today's records, with one of them changed. */
function withChange(name: RecordName, change: (schema: AvroObject) => void): ReadonlyMap<RecordName, LoadedRecord> {
  const record = records.get(name)
  if (!record) throw new Error(`no ${name}`)
  const schema = structuredClone(record.schema)
  change(schema)
  return new Map([...records, [name, { ...record, schema, text: JSON.stringify(schema) }]])
}

const incident = record('Incident', { title: 'Disk full', number: 42 })

const group = (): string => `test-${randomUUID()}`

t.test('registering twice gives the same ids, and look-up finds them', async (t) => {
  const registry = await connectRegistry(registryUrl, { group: group() })
  await t.rejects(registry.idsOfAll(), {
    name: 'RegistryError',
    message: /lacks today's version of checks\.results\.v1-service\.events\.CheckResult.*npm run migrate/
  })
  const ids = await registry.registerAll()
  t.same(Object.keys(ids).sort(), [...records.keys()])
  t.equal(new Set(Object.values(ids)).size, records.size, 'an id of its own for each record')
  t.same(await registry.registerAll(), ids)
  t.same(await registry.idsOfAll(), ids)
})

t.test('a schema is returned by its id, and an unknown id gives null', async (t) => {
  const registry = await connectRegistry(registryUrl, { group: group() })
  const ids = await registry.registerAll()
  // A registry may omit a namespace that equals the one of the enclosing record: the names mean the
  // same.
  const plain = (text: string): unknown =>
    JSON.parse(text.replaceAll('"service.events.', '"'), (key, value: unknown) => (key === 'namespace' ? undefined : value))
  for (const [name, record] of records) {
    t.same(plain((await registry.schemaById(ids[name])) ?? 'null'), plain(record.text), `${name}: docs, defaults, logical types, rev`)
  }
  t.equal(await registry.schemaById(2_000_000_000), null)
})

t.test('every subject has the compatibility level of its topic', async (t) => {
  const subjects = group()
  await (await connectRegistry(registryUrl, { group: subjects })).registerAll()
  for (const spec of topics) {
    for (const { record } of spec.records) {
      const response = await fetch(`${registryUrl.replace(/\/$/, '')}/config/${subjectOf(spec, record)}`, {
        headers: { 'x-registry-groupid': subjects }
      })
      t.match(await response.json(), { compatibilityLevel: spec.compatibility }, subjectOf(spec, record))
    }
  }
})

t.test('a compatible change gets a new id, and old and new codecs read each other', async (t) => {
  const subjects = group()
  const before = await connectRegistry(registryUrl, { group: subjects })
  const old = await before.registerAll()
  const later = withChange('Incident', (schema) => {
    schema.rev = 2
    schema.fields?.push({ name: 'note', type: ['null', 'string'], default: null, doc: 'New.' })
  })
  const after = await connectRegistry(registryUrl, { group: subjects, records: later })
  await t.rejects(after.idsOfAll(), /lacks today's version of incident\.state\.v1-value: run npm run migrate/)
  const now = await after.registerAll()
  t.ok(now.Incident > old.Incident)
  t.equal(now.Tick, old.Tick)
  t.same(await before.idsOfAll(), old, 'the older service still finds its own')

  const newCodec = createCodec({ ids: now, schemaById: after.schemaById, records: later })
  const oldCodec = createCodec({ ids: old, schemaById: before.schemaById })
  const noted = { ...incident, note: 'hello' }
  for (const [writer, reader] of [
    [newCodec, oldCodec],
    [oldCodec, newCodec]
  ] as const) {
    const bytes = writer.encode('Incident', noted)
    t.notOk(reader.knows(bytes))
    await reader.learn(bytes)
    t.equal(reader.decode('Incident', bytes).title, incident.title)
  }
})

t.test('a change of rev alone makes a new version', async (t) => {
  const subjects = group()
  const old = await (await connectRegistry(registryUrl, { group: subjects })).registerAll()
  const later = await connectRegistry(registryUrl, { group: subjects, records: withChange('Budget', (schema) => (schema.rev = 2)) })
  t.ok((await later.registerAll()).Budget > old.Budget)
})

const incompatible: [string, RecordName, (schema: AvroObject) => void, RegExp][] = [
  [
    'a new field without default',
    'Budget',
    (schema) => schema.fields?.push({ name: 'extra', type: 'string', doc: 'New.' }),
    /Subject tenant\.budgets\.v1-value: the registry refuses the change of Budget.*Budget\.extra: a new field needs a default/
  ],
  [
    'a field that old readers need',
    'Incident',
    (schema) =>
      void schema.fields?.splice(
        schema.fields.findIndex(({ name }) => name === 'title'),
        1
      ),
    /Subject incident\.state\.v1-value: the registry refuses the change of Incident.*not FULL_TRANSITIVE: .*title/
  ],
  [
    'another type',
    'UsageCounter',
    (schema) => void Object.assign(schema.fields?.find(({ name }) => name === 'accepted') ?? {}, { type: 'string' }),
    /Subject ingest\.usage\.v1-service\.events\.UsageCounter: .*UsageCounter\.accepted: long became string/
  ]
]
t.test('an incompatible change is refused with subject and field', async (t) => {
  const subjects = group()
  const before = await connectRegistry(registryUrl, { group: subjects })
  const ids = await before.registerAll()
  for (const [what, record, change, message] of incompatible) {
    const planted = withChange(record, (schema) => {
      schema.rev = 2
      change(schema)
    })
    await t.rejects(
      (await connectRegistry(registryUrl, { group: subjects, records: planted })).registerAll(),
      { name: 'RegistryError', message },
      what
    )
  }
  t.same(await before.idsOfAll(), ids, 'nothing changed')
})

t.test('an internal topic may lose a field that new readers do not need', async (t) => {
  const subjects = group()
  await (await connectRegistry(registryUrl, { group: subjects })).registerAll()
  const fewer = withChange('Budget', (schema) => {
    schema.rev = 2
    schema.fields = schema.fields?.filter(({ name }) => name !== 'refused_1h') ?? []
  })
  await t.resolves((await connectRegistry(registryUrl, { group: subjects, records: fewer })).registerAll())
})

t.test('requests to the registry are repeated when their answer is lost', async (t) => {
  const lost = new Map<string, string>()
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const { 'content-type': type, 'x-registry-groupid': of } = headers
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const answer = await fetch(new URL(url, registryUrl), {
      method,
      headers: { ...(type !== undefined && { 'content-type': type }), 'x-registry-groupid': String(of) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) })
    })
    const text = await answer.text()
    const kind = method === 'POST' && url.endsWith('/versions') ? 'registration' : method === 'PUT' ? 'level' : method
    if (method !== 'GET' && !lost.has(kind)) lost.set(kind, url)
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const subjects = group()
  const through = await connectRegistry(`http://127.0.0.1:${port}${new URL(registryUrl).pathname}`, { group: subjects, requestMs: 1000 })
  const ids = await through.registerAll()
  t.same([...lost.keys()], ['level', 'POST', 'registration'], 'the first of each')
  t.same(await (await connectRegistry(registryUrl, { group: subjects })).idsOfAll(), ids)
})

t.test('a 404 of a proxy whose registry is away is no answer about schemas', async (t) => {
  let isAway = false
  const server = createServer(async (incoming, response) => {
    if (isAway) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found')
    const headers = { 'x-registry-groupid': String(incoming.headers['x-registry-groupid']) }
    const answer = await fetch(new URL(incoming.url ?? '', registryUrl), { headers })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const subjects = group()
  const ids = await (await connectRegistry(registryUrl, { group: subjects })).registerAll()
  const through = await connectRegistry(`http://127.0.0.1:${port}${new URL(registryUrl).pathname}`, { group: subjects })
  isAway = true
  await t.rejects(through.schemaById(ids.Incident), /answers 404, but not as a registry: 404 page not found/)
  const lookUp: unknown = await through.idsOfAll().catch((error: unknown) => error)
  t.match(lookUp, { message: /answers 404, but not as a registry/ })
  t.not((lookUp as Error).name, 'RegistryError', 'nothing that npm run migrate can mend')
  isAway = false
  t.type(await through.schemaById(ids.Incident), 'string')
  t.equal(await through.schemaById(2_000_000_000), null, 'the registry itself says that it has none')
})

t.test('a late registry is awaited, and the error about a silent one hides its password', async (t) => {
  const server = createServer((request, response) => {
    starting--
    response.writeHead(starting > 0 ? 503 : 200).end(request.url === '/subjects' ? '[]' : '{}')
  })
  let starting = 3
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  await connectRegistry(`http://127.0.0.1:${port}/`)
  t.equal(starting, 0)
  starting = 1000
  const failure: unknown = await connectRegistry(`http://user:s3cret@127.0.0.1:${port}`, { startMs: 0 }).catch((error: unknown) => error)
  t.match(String(failure), `127.0.0.1:${port} does not answer`)
  t.notMatch(String(failure), 's3cret')
})
