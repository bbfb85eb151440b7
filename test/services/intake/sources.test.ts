/**
 * Tests of every source with its fixtures: test/fixtures/sources/<source_type>/<case>.json (or
 * .txt, a body as it is) and <case>.expected.json. In the expected file, times are ISO, fields that
 * are not named are null or empty, and `SHA256:` before a text means its hash. `headers`, `options`
 * and `settings` are those of the delivery and its integration; `proof` is the beginning of the
 * reason for which the sender is refused.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import { decode } from '../../../services/intake/body.ts'
import { instant, isPlaceholder, link, severityOf } from '../../../services/intake/readers.ts'
import { type Json, MAX_ALERTS, type SequencedEvent, type Source, Unparseable } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'

interface Given {
  received_at: string
  headers?: Record<string, string>
  options?: Json
  settings?: Json
}

interface Expected extends Given {
  origin: string
  events?: Record<string, unknown>[]
  refused?: { path: string; rule: string }[]
  proof?: string | null
  warned?: string[]
}

const folder = join(projectRoot, 'test/fixtures/sources')
const epoch = (iso: unknown): unknown => (typeof iso === 'string' ? Date.parse(iso) : iso)

function eventOf(expected: Record<string, unknown>): Record<string, unknown> {
  const { dedup_key, occurred_at, sequence, labels, ...rest } = expected
  const text = String(dedup_key)
  return {
    reason: null,
    description: null,
    severity: null,
    source_severity: null,
    delivery_id: null,
    links: [],
    ...rest,
    dedup_key: text.startsWith('SHA256:') ? createHash('sha256').update(text.slice(7)).digest('hex') : text,
    occurred_at: epoch(occurred_at) ?? null,
    sequence: epoch(sequence) ?? null,
    // A text if the order, or a name like __proto__, matters.
    labels: typeof labels === 'string' ? JSON.parse(labels) : (labels ?? {})
  }
}

const byType: ReadonlyMap<string, Source> = new Map(Object.entries(sources))

function sourceOf(kind: string): Source {
  const source = byType.get(kind)
  if (!source) throw new Error(`no source ${kind}`)
  return source
}

function parse(kind: string, body: Buffer, given: Given): { events: SequencedEvent[]; warned: string[] } {
  const warned: string[] = []
  const events = sourceOf(kind).parse({
    body: decode(body).body,
    headers: headersOf(kind, given),
    received_at: Date.parse(given.received_at),
    options: given.options ?? {},
    warn: (what, count) => warned.push(`${what} ${count}`)
  })
  return { events, warned }
}

/** Returns the headers that the door passes on: only those that the source names. */
function headersOf(kind: string, { headers = {} }: Given): Record<string, string> {
  const named = sourceOf(kind).headers ?? []
  return Object.fromEntries(Object.entries(headers).filter(([name]) => named.includes(name)))
}

/** Proofs that need a certificate have their own tests. */
async function proofOf(kind: string, bytes: Buffer, given: Given): Promise<string | null> {
  const { verify } = sourceOf(kind)
  const { settings = {} } = given
  if (!verify || (!verify.always && Object.keys(settings).length === 0)) return null
  return verify.check({
    bytes,
    body: decode(bytes).body,
    headers: headersOf(kind, given),
    received_at: Date.parse(given.received_at),
    settings,
    certificate: () => Promise.reject(new Error('no certificate here'))
  })
}

for (const kind of readdirSync(folder)) {
  t.test(kind, async (t) => {
    const files = readdirSync(join(folder, kind))
    const cases = files.filter((file) => file.endsWith('.expected.json')).map((file) => file.slice(0, -'.expected.json'.length))
    t.equal(files.length, 2 * cases.length, 'each body has its expected file, each expected file its body')
    for (const name of cases) {
      t.test(name, async (t) => {
        const expected: Expected = JSON.parse(readFileSync(join(folder, kind, `${name}.expected.json`), 'utf8'))
        const file = files.includes(`${name}.json`) ? `${name}.json` : `${name}.txt`
        const body = readFileSync(join(folder, kind, file))
        if (expected.proof !== undefined) {
          const reason = await proofOf(kind, body, expected)
          if (expected.proof === null) t.equal(reason, null, 'proven')
          else t.ok(reason?.startsWith(expected.proof), `${expected.proof} …: ${reason}`)
          if (reason !== null) return
        }
        if (expected.refused) {
          try {
            parse(kind, body, expected)
            t.fail('was accepted')
          } catch (error) {
            if (!(error instanceof Unparseable)) throw error
            t.match(error.details, expected.refused)
            t.equal(error.details.length, expected.refused.length)
          }
          return
        }
        const { events, warned } = parse(kind, body, expected)
        const plain = events.map((event) => ({ ...event, labels: JSON.parse(JSON.stringify(event.labels)) }))
        t.same(plain, (expected.events ?? []).map(eventOf))
        t.same(warned, expected.warned ?? [])
      })
    }
  })
}

t.test('every source type has a parser, fixtures and its own kind', async (t) => {
  t.same(Object.keys(sources).sort(), [...sourceTypes].sort())
  t.same(readdirSync(folder).sort(), Object.keys(sources).sort())
  for (const [kind, source] of Object.entries(sources)) t.equal(source.kind, kind)
})

t.test('a source with sequence numbers must declare what they count, or it does not compile', async (t) => {
  const kinds: Record<string, string[]> = { occurrence: [], position: [], none: [] }
  for (const [kind, source] of Object.entries<Source>(sources)) kinds[source.sequence ?? 'none']?.push(kind)
  t.same(kinds.occurrence, ['alertmanager', 'grafana'])
  t.same(kinds.position, [
    'checkly',
    'circleci',
    'cloudwatch',
    'github',
    'gitlab',
    'jenkins',
    'pingdom',
    'rollbar',
    'sentry',
    'uptimerobot'
  ])
  const { kind, about } = sources.generic
  const numbered = (): SequencedEvent[] => []
  const said: Source = { kind, about, sequence: 'position', parse: numbered }
  // @ts-expect-error: its events may have a sequence, and it does not say what that numbers.
  const unsaid: Source = { kind, about, parse: numbered }
  t.not(said, unsaid)
})

t.test('the description of a source has a valid sample, the token and well-formed settings', async (t) => {
  const given = { received_at: '2026-10-05T12:00:04.000Z' }
  for (const kind of sourceTypes) {
    const { about, headers = [], options = {}, verify }: Source = sources[kind]
    t.match(about, { name: /\S/, description: /\S/, resolves_when: /\S/ }, kind)
    const sample = Buffer.from(JSON.stringify(about.sample))
    t.ok(parse(kind, sample, given).events.length > 0, `${kind}: an event in the sample`)
    const texts = about.instructions('https://service.example.test', 'svc_x')
    t.ok(texts.length > 0 && texts.every(({ title, language, text }) => title && language && text), `${kind}: instructions`)
    t.ok(
      texts.some(({ text }) => text.includes('svc_x')),
      `${kind}: the token is in them`
    )
    for (const name of headers) t.equal(name, name.toLowerCase())
    for (const [name, setting] of Object.entries({ ...options, ...verify?.settings })) {
      t.match(name, /^[a-z][a-z0-9_]*$/)
      t.match(setting.description, /\S/)
      if (setting.type === 'choice') t.ok(setting.choices.includes(setting.default), `${kind}.${name}`)
    }
  }
})

t.test('5,000 alerts fit into a payload, one more is refused', async (t) => {
  const given = { received_at: '2026-10-05T12:00:04.000Z' }
  const generic = (count: number): Buffer => Buffer.from(JSON.stringify(Array.from({ length: count }, () => ({ title: 'x' }))))
  const alertmanager = (count: number): Buffer =>
    Buffer.from(
      JSON.stringify({ alerts: Array.from({ length: count }, (_, nth) => ({ status: 'firing', fingerprint: `${nth}`, labels: {} })) })
    )
  for (const [kind, body] of [
    ['generic', generic],
    ['alertmanager', alertmanager]
  ] as const) {
    t.equal(parse(kind, body(MAX_ALERTS), given).events.length, MAX_ALERTS)
    t.throws(() => parse(kind, body(MAX_ALERTS + 1), given), {
      name: 'Unparseable',
      details: [{ rule: 'max', limit: 5000, actual: 5001 }]
    })
  }
})

t.test('severity words of senders', async (t) => {
  // biome-ignore format: the table of the sheet
  const table = {
    critical: ['critical', 'crit', 'fatal', 'emergency', 'emerg', 'alert', 'page', 'disaster', 'high', 'severe', 'major', 'error', 'err', 'down', 'p1', 'p2', 'sev0', 'sev1', '1', '2', 'CRITICAL', 'Sev1', ' P1 '],
    warning: ['warning', 'warn', 'medium', 'moderate', 'average', 'minor', 'degraded', 'p3', 'sev2', '3', 'Warning'],
    info: ['info', 'information', 'informational', 'notice', 'low', 'debug', 'trace', 'none', 'ok', 'p4', 'p5', 'sev3', 'sev4', '4', '5', 'INFO']
  }
  for (const [severity, words] of Object.entries(table)) for (const word of words) t.equal(severityOf(word), severity, word)
  for (const word of [null, '', 'unheard of', 'constructor', '__proto__', '0', '6']) t.equal(severityOf(word), null, String(word))
})

t.test('times of senders', async (t) => {
  const cases: [unknown, string | null][] = [
    ['2026-10-05T12:00:03.1Z', '2026-10-05T12:00:03.100Z'],
    ['2026-10-05T12:00:03.123456789Z', '2026-10-05T12:00:03.123Z'],
    ['2026-10-05T14:00:10.112+02:00', '2026-10-05T12:00:10.112Z'],
    ['2026-10-05T12:00:01.730+0000', '2026-10-05T12:00:01.730Z'],
    ['2026-10-05 12:00:01 UTC', '2026-10-05T12:00:01.000Z'],
    [1791201601, '2026-10-05T12:00:01.000Z'],
    ['1791201601', '2026-10-05T12:00:01.000Z'],
    [1791201601730, '2026-10-05T12:00:01.730Z'],
    ['1791201601730', '2026-10-05T12:00:01.730Z'],
    [1791201601.7, '2026-10-05T12:00:01.700Z'],
    ['0001-01-01T00:00:00Z', null],
    [0, null],
    ['', null],
    ['yesterday', null],
    ['1'.repeat(65), null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [1e300, null],
    [-5, null],
    [null, null],
    [{}, null],
    [undefined, null]
  ]
  for (const [value, iso] of cases) t.equal(instant(value), iso === null ? null : Date.parse(iso), String(value))
})

t.test('links are web addresses without user information', async (t) => {
  const cases: [unknown, string | null][] = [
    ['https://a.test', 'https://a.test'],
    ['http://a.test/x?y=1#z', 'http://a.test/x?y=1#z'],
    ['HTTPS://A.test/x', 'https://a.test/x'],
    ['https://user:secret@a.test/x', 'https://a.test/x'],
    ['https://a.test/x@y', 'https://a.test/x@y'],
    ['https://a.test/ü', 'https://a.test/%C3%BC'],
    ['https://a.test/"><script>', 'https://a.test/%22%3E%3Cscript%3E'],
    ['https://a.test\\@b.test/', 'https://a.test/@b.test/'],
    ['https:///x', 'https://x/'],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['ftp://a.test/', null],
    ['//a.test/', null],
    ['https://', null],
    ['https://?', null],
    [`https://a.test/${'x'.repeat(2048)}`, null],
    ['', null],
    [7, null],
    [undefined, null]
  ]
  for (const [value, url] of cases) t.same(link('L', value), url === null ? null : { title: 'L', url }, String(value).slice(0, 60))
})

t.test('placeholders are recognized, similar text is not', async (t) => {
  for (const text of ['$ALERT_ID', '*monitorID*', '{EVENT.ID}', '{$ZABBIX.URL}', '{{ title }}', '$STATUS']) t.ok(isPlaceholder(text), text)
  for (const text of ['$5 off', '*bold*', '{"a":1}', '{{ a }} and {{ b }}', 'x', '$', '*', '{}', '$a']) t.notOk(isPlaceholder(text), text)
})
