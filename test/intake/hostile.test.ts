/**
 * Whatever the fields of a body hold, a source parses it or refuses it with a reason, and what it reports fits the log: each value of a fixture in turn is
 * exchanged for things of other types, for what a template of a vendor leaves behind, and for what Postgres and addresses cannot take.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { typeOf } from '../../schemas/avro.ts'
import { projectRoot } from '../../schemas/files.ts'
import { sourceTypes } from '../../schemas/generated/source-types.ts'
import { loadRecords } from '../../schemas/load.ts'
import { toInboundAlert } from '../../services/intake/normalise.ts'
import { type Json, type Source, Unparseable } from '../../services/intake/source.ts'
import { sources } from '../../services/intake/sources/index.ts'
import { integration } from './credential.ts'

/** Of each source's fixtures that fire or resolve. */
const MOST_FIXTURES = 8
const folder = join(projectRoot, 'test/fixtures/sources')
const record = loadRecords().get('InboundAlert')
if (!record) throw new Error('no schema of InboundAlert')
const alertType = typeOf(record.schema)

const strange: readonly unknown[] = [
  null,
  true,
  -1,
  1e300,
  '',
  ' x ',
  '__proto__',
  '{{ x }}',
  '$ALERT_ID',
  'a\u0000b\ud800c',
  'https://u:p@a.test/\ud800?\u0000',
  [],
  [[], null, 'x'],
  {},
  { id: {}, name: [] }
]

interface Fixture {
  name: string
  body: unknown
  given: { headers?: Record<string, string>; options?: Json }
}

function fixturesOf(kind: string): Fixture[] {
  const found: Fixture[] = []
  for (const file of readdirSync(join(folder, kind))) {
    if (!file.endsWith('.expected.json')) continue
    const given = JSON.parse(readFileSync(join(folder, kind, file), 'utf8'))
    const name = file.slice(0, -'.expected.json'.length)
    const acts = given.events?.some(({ action }: { action: string }) => action !== 'ignore')
    if (!acts || !readdirSync(join(folder, kind)).includes(`${name}.json`)) continue
    found.push({ name, body: JSON.parse(readFileSync(join(folder, kind, `${name}.json`), 'utf8')), given })
    if (found.length === MOST_FIXTURES) break
  }
  return found
}

type Container = Record<string, unknown>

/** Every place of a body: the object or array that holds it, its name there, and the way to it. */
function* placesOf(value: unknown, way = ''): Generator<{ holder: Container; name: string; way: string }> {
  if (typeof value !== 'object' || value === null) return
  const holder = value as Container
  for (const name of Object.keys(holder)) {
    yield { holder, name, way: `${way}.${name}` }
    yield* placesOf(holder[name], `${way}.${name}`)
  }
}

/** JSON writes control characters and halves of surrogate pairs by their code. */
const unstorable = /\\u(?:00|d)/

/** Why what the source makes of the body is not right, or null. */
function faultOf(kind: string, { body, given }: Fixture): string | null {
  const source: Source | undefined = new Map<string, Source>(Object.entries(sources)).get(kind)
  if (!source) return 'no such source'
  const received_at = Date.parse('2026-10-05T12:00:04.000Z')
  try {
    const events = source.parse({
      body: body as Json,
      headers: given.headers ?? {},
      received_at,
      options: given.options ?? {},
      warn: () => undefined
    })
    for (const event of events) {
      if (event.action === 'ignore') {
        if (event.reason === null) return 'ignored without a reason'
        continue
      }
      if (event.title === '' || event.dedup_key === '') return 'no title or no key'
      const alert = toInboundAlert(event, { integration: integration(), source, received_at, escaped: true })
      if (!alertType.isValid(alert)) return 'does not fit the schema'
      if (unstorable.test(JSON.stringify([alert.title, alert.description, alert.source_dedup_key, alert.labels, alert.links])))
        return 'holds what cannot be stored'
    }
    return null
  } catch (error) {
    if (error instanceof Unparseable) return error.details.every(({ message }) => message !== '') ? null : 'refused without words'
    return String(error)
  }
}

for (const kind of sourceTypes) {
  t.test(kind, async (t) => {
    const faults: string[] = []
    let tried = 0
    for (const fixture of fixturesOf(kind)) {
      for (const { holder, name, way } of [...placesOf(fixture.body)]) {
        const before = holder[name]
        for (const value of strange) {
          holder[name] = value
          tried += 1
          const fault = faultOf(kind, fixture)
          if (fault !== null) faults.push(`${fixture.name}${way} = ${JSON.stringify(value)}: ${fault}`)
        }
        holder[name] = before
      }
    }
    t.same(faults.slice(0, 10), [])
    t.ok(tried > 0, `${tried} bodies`)
  })
}
