/**
 * Every source against its fixtures: test/fixtures/sources/<tool>/<case>.json (or .txt, a body as it stands) and <case>.expected.json.
 * In the expected file times are ISO, fields that are not named are null or empty, and `SHA256:` before a text stands for its hash.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { sourceTypes } from '../../schemas/sources.ts'
import { decode } from '../../services/intake/body.ts'
import { instant, isPlaceholder, link, MOST_ALERTS, type ParsedEvent, severityOf, Unparseable } from '../../services/intake/source.ts'
import { sources } from '../../services/intake/sources/index.ts'

interface Expected {
  origin: string
  received_at: string
  events?: Record<string, unknown>[]
  refused?: { path: string; rule: string }[]
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
    // As text where the order or a name like __proto__ matters.
    labels: typeof labels === 'string' ? JSON.parse(labels) : (labels ?? {})
  }
}

function parse(kind: string, body: Buffer, received_at: number): { events: ParsedEvent[]; warned: string[] } {
  const source = sources[kind]
  if (!source) throw new Error(`no source ${kind}`)
  const warned: string[] = []
  const events = source.parse({ body: decode(body).body, received_at, options: {}, warn: (what, count) => warned.push(`${what} ${count}`) })
  return { events, warned }
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
        const received_at = Date.parse(expected.received_at)
        if (expected.refused) {
          try {
            parse(kind, body, received_at)
            t.fail('was accepted')
          } catch (error) {
            if (!(error instanceof Unparseable)) throw error
            t.match(error.details, expected.refused)
            t.equal(error.details.length, expected.refused.length)
          }
          return
        }
        const { events, warned } = parse(kind, body, received_at)
        const plain = events.map((event) => ({ ...event, labels: JSON.parse(JSON.stringify(event.labels)) }))
        t.same(plain, (expected.events ?? []).map(eventOf))
        t.same(warned, expected.warned ?? [])
      })
    }
  })
}

t.test('every source that an integration may have is parsed, has fixtures and names itself', async (t) => {
  t.same(Object.keys(sources).sort(), [...sourceTypes].sort())
  t.same(readdirSync(folder).sort(), Object.keys(sources).sort())
  for (const [kind, source] of Object.entries(sources)) t.equal(source.kind, kind)
})

t.test('5,000 alerts are a payload, one more is none', async (t) => {
  const generic = (count: number): Buffer => Buffer.from(JSON.stringify(Array.from({ length: count }, () => ({ title: 'x' }))))
  const alertmanager = (count: number): Buffer =>
    Buffer.from(
      JSON.stringify({ alerts: Array.from({ length: count }, (_, nth) => ({ status: 'firing', fingerprint: `${nth}`, labels: {} })) })
    )
  for (const [kind, body] of [
    ['generic', generic],
    ['alertmanager', alertmanager]
  ] as const) {
    t.equal(parse(kind, body(MOST_ALERTS), 0).events.length, MOST_ALERTS)
    t.throws(() => parse(kind, body(MOST_ALERTS + 1), 0), { name: 'Unparseable', details: [{ rule: 'max', limit: 5000, actual: 5001 }] })
  }
})

t.test('severity words', async (t) => {
  // biome-ignore format: the table of the sheet
  const table = {
    critical: ['critical', 'crit', 'fatal', 'emergency', 'emerg', 'alert', 'page', 'disaster', 'high', 'severe', 'major', 'error', 'err', 'down', 'p1', 'p2', 'sev0', 'sev1', '1', '2', 'CRITICAL', 'Sev1', ' P1 '],
    warning: ['warning', 'warn', 'medium', 'moderate', 'average', 'minor', 'degraded', 'p3', 'sev2', '3', 'Warning'],
    info: ['info', 'information', 'informational', 'notice', 'low', 'debug', 'trace', 'none', 'ok', 'p4', 'p5', 'sev3', 'sev4', '4', '5', 'INFO']
  }
  for (const [severity, words] of Object.entries(table)) for (const word of words) t.equal(severityOf(word), severity, word)
  for (const word of [null, '', 'unheard of', 'constructor', '__proto__', '0', '6']) t.equal(severityOf(word), null, String(word))
})

t.test('instants of senders', async (t) => {
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

t.test('placeholders', async (t) => {
  for (const text of ['$ALERT_ID', '*monitorID*', '{EVENT.ID}', '{$ZABBIX.URL}', '{{ title }}', '$STATUS']) t.ok(isPlaceholder(text), text)
  for (const text of ['$5 off', '*bold*', '{"a":1}', '{{ a }} and {{ b }}', 'x', '$', '*', '{}', '$a']) t.notOk(isPlaceholder(text), text)
})
