/**
 * Compatibility of every released schema version with every other and with today's: read both ways,
 * and golden bytes read by today's reader. Existing files under test/fixtures/schemas never change;
 * `npm run generate -- --release` adds to them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { typeOf } from '../../schemas/avro.ts'
import { readReleases, release, subjectsOf } from '../../schemas/generate/releases.ts'
import type { RecordName } from '../../schemas/generated/events.ts'
import { type AvroField, bundle, type LoadedRecord, loadRecords } from '../../schemas/load.ts'

const records = loadRecords()
const subjects = subjectsOf(records)

t.test("every subject's last release is today's schema", async (t) => {
  for (const { name, record } of subjects) {
    const releases = readReleases(name)
    t.same(
      releases.map(({ version }) => version),
      releases.map((_, index) => index + 1),
      `${name}: versions from 1 without a gap`
    )
    t.equal(JSON.stringify(releases.at(-1)?.schema), record.text, `${name}: else run npm run generate -- --release`)
  }
})

t.test('all schema versions read each other as far as their topic promises', async (t) => {
  for (const { name, compatibility } of subjects) {
    const releases = readReleases(name)
    for (const older of releases) {
      for (const newer of releases.filter(({ version }) => version >= older.version)) {
        t.doesNotThrow(() => typeOf(newer.schema).createResolver(typeOf(older.schema)), `${name}: ${newer.version} reads ${older.version}`)
        if (compatibility === 'FULL_TRANSITIVE') {
          t.doesNotThrow(
            () => typeOf(older.schema).createResolver(typeOf(newer.schema)),
            `${name}: ${older.version} reads ${newer.version}`
          )
        }
      }
    }
  }
})

t.test("golden bytes keep their meaning for their own version and for today's reader", async (t) => {
  for (const { name, record } of subjects) {
    const today = typeOf(record.schema)
    for (const { version, schema, golden } of readReleases(name)) {
      const type = typeOf(schema)
      t.equal(golden.length, 2, `${name} ${version}: a full value and a sparse one`)
      for (const { value, hex } of golden) {
        const bytes = Buffer.from(hex, 'hex')
        const written: unknown = type.fromString(JSON.stringify(value))
        t.equal(type.toBuffer(written).toString('hex'), hex, `${name} ${version}: writes the same bytes`)
        const read = today.fromBuffer(bytes, today.createResolver(type)) as Record<string, unknown>
        const kept = Object.entries(written as Record<string, unknown>).filter(([field]) => field in read)
        t.match(read, Object.fromEntries(kept), `${name} ${version}: today's reader`)
      }
    }
  }
})

/** Today's records with a different Tick. */
const withTick = (rev: number, extra: AvroField[] = []): ReadonlyMap<RecordName, LoadedRecord> =>
  new Map([
    ...records,
    ...bundle([
      {
        file: 'Tick.avsc',
        written: {
          type: 'record',
          name: 'Tick',
          namespace: 'service.events',
          rev,
          doc: 'A tick.',
          fields: [{ name: 'seq', type: 'long', doc: 'Place.' }, ...extra]
        }
      }
    ])
  ])

t.test('a release adds a version for a changed schema and refuses one that breaks readers', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'releases-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  t.equal(release(withTick(1), folder).length, subjects.length, 'the first version of every subject')
  t.same(release(withTick(1), folder), [], 'nothing changed, nothing released')
  t.throws(() => release(withTick(1, [{ name: 'note', type: ['null', 'string'], default: null, doc: 'Words.' }]), folder), /raise rev/)
  t.throws(() => release(withTick(2, [{ name: 'note', type: 'string', doc: 'Words.' }]), folder), /Tick\.note: a new field needs a default/)
  t.same(release(withTick(2, [{ name: 'note', type: ['null', 'string'], default: null, doc: 'Words.' }]), folder), [
    'checks.results.v1-service.events.Tick 2',
    'heartbeat.pings.v1-service.events.Tick 2'
  ])
  const [first, second] = readReleases('checks.results.v1-service.events.Tick', folder)
  t.equal(first?.schema.rev, 1)
  t.equal(second?.schema.rev, 2)
  t.match(second?.golden, [{ value: { note: { string: String } } }, { value: { note: null } }])
})
