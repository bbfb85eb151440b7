/**
 * Tests of what all doors normalise in the same way: times, severities, labels, limits and keys.
 */
import { createHash } from 'node:crypto'
import t from 'tap'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { type Receipt, toInboundAlert } from '../../../services/intake/normalise.ts'
import { plainText } from '../../../services/intake/plain-text.ts'
import { cleaned } from '../../../services/intake/readers.ts'
import type { SequencedEvent } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { integration as anIntegration } from './credential.ts'

const RECEIVED = Date.parse('2026-10-05T12:00:00.000Z')
const DAY = 86_400_000

const event = (fields: Partial<SequencedEvent> = {}): SequencedEvent => ({
  action: 'fire',
  reason: null,
  dedup_key: 'k',
  title: 'Disk full',
  description: null,
  severity: null,
  source_severity: null,
  occurred_at: null,
  sequence: null,
  delivery_id: null,
  labels: {},
  links: [],
  ...fields
})

const receipt = (fields: Partial<Receipt['integration']> = {}, source: Partial<Receipt['source']> = {}, escaped = false): Receipt => ({
  integration: anIntegration(fields),
  source: { ...sources.generic, ...source },
  received_at: RECEIVED,
  escaped
})

t.test('the time of the sender counts from 7 days before to 5 minutes after receipt', async (t) => {
  const cases: [number | null, number, InboundAlert['time_source'], string | undefined][] = [
    [null, RECEIVED, 'door', undefined],
    [RECEIVED, RECEIVED, 'sender', undefined],
    [RECEIVED - 7 * DAY, RECEIVED - 7 * DAY, 'sender', undefined],
    [RECEIVED - 7 * DAY - 1, RECEIVED, 'door', '2026-09-28T11:59:59.999Z'],
    [RECEIVED + 300_000, RECEIVED + 300_000, 'sender', undefined],
    [RECEIVED + 300_001, RECEIVED, 'door', '2026-10-05T12:05:00.001Z'],
    [1, RECEIVED, 'door', '1970-01-01T00:00:00.001Z'],
    [8.64e15, RECEIVED, 'door', '+275760-09-13T00:00:00.000Z']
  ]
  for (const [occurred_at, expected, time_source, label] of cases) {
    const alert = toInboundAlert(event({ occurred_at }), receipt())
    t.equal(alert.occurred_at, expected, String(occurred_at))
    t.equal(alert.time_source, time_source, String(occurred_at))
    t.equal(alert.labels.sender_time, label, String(occurred_at))
    t.equal(alert.received_at, RECEIVED)
  }
})

t.test('the source decides what its sequence numbers mean', async (t) => {
  const kindOf = (source: Receipt['source']) => toInboundAlert(event({ sequence: 7 }), { ...receipt(), source }).sequence_kind
  t.equal(kindOf(sources.alertmanager), 'occurrence')
  t.equal(kindOf(sources.rollbar), 'position')
  t.equal(kindOf(sources.generic), 'position', 'of one that has none')
})

t.test('severity comes from the map of the integration, the sender, then the defaults', async (t) => {
  const map = new Map([['meltdown', 'info' as const]])
  const cases: [string, Partial<SequencedEvent>, Partial<Receipt['integration']>, Partial<Receipt['source']>, string][] = [
    ['nothing said', {}, {}, {}, 'warning'],
    ['the source’s own default', {}, {}, { default_severity: 'critical' }, 'critical'],
    ['the integration’s default before it', {}, { default_severity: 'info' }, { default_severity: 'critical' }, 'info'],
    ['what the sender said before that', { severity: 'warning', source_severity: 'warn' }, { default_severity: 'info' }, {}, 'warning'],
    ['the integration’s map before all', { severity: 'critical', source_severity: 'Meltdown' }, { severity_map: map }, {}, 'info'],
    ['a word that the map does not know', { severity: 'critical', source_severity: 'fatal' }, { severity_map: map }, {}, 'critical'],
    ['an unknown word', { source_severity: 'odd' }, { default_severity: 'critical' }, {}, 'critical']
  ]
  for (const [name, parsed, integration, source, expected] of cases) {
    t.equal(toInboundAlert(event(parsed), receipt(integration, source)).severity, expected, name)
  }
})

t.test('a signal key is the integration and a hash of source and dedup key', async (t) => {
  const alert = toInboundAlert(event({ dedup_key: 'db-7/disk' }), receipt())
  const hash = createHash('sha256').update('generic\ndb-7/disk').digest('hex')
  t.equal(alert.dedup_key, `int:${alert.integration_id}:${hash}`)
  t.equal(alert.source_dedup_key, 'db-7/disk')
  const long = toInboundAlert(event({ dedup_key: 'x'.repeat(600) }), receipt())
  t.equal(long.source_dedup_key.length, 512, 'kept short')
  t.equal(
    long.dedup_key.endsWith(
      createHash('sha256')
        .update(`generic\n${'x'.repeat(600)}`)
        .digest('hex')
    ),
    true,
    'but known by all of it'
  )
})

t.test('long texts are cut, but never inside a surrogate pair', async (t) => {
  const alert = toInboundAlert(
    event({ title: `${'x'.repeat(299)}😀`, description: 'y'.repeat(15_001), source_severity: 'z'.repeat(300) }),
    receipt()
  )
  t.equal(alert.title, 'x'.repeat(299))
  t.equal(alert.description?.length, 15_000)
  t.equal(alert.source_severity?.length, 256)
  t.equal(toInboundAlert(event({ title: 'a\n b\tc' }), receipt()).title, 'a b c', 'a title is one line')
  t.equal(toInboundAlert(event({ title: '\u0000\u0001' }), receipt({}, {}, true)).title, 'Alert without a title')
})

t.test('label names and values are made to fit, and labels of the integration win', async (t) => {
  const sent = { alertname: 'Down', job: 'node' }
  t.equal(toInboundAlert(event({ labels: sent }), receipt()).labels, sent, 'what fits is not copied')
  const cases: [string, SequencedEvent['labels'], Partial<Receipt['integration']>, Record<string, string>][] = [
    ['numbers and booleans are text, the rest is left out', { a: 1, b: true, c: null, d: {}, e: ['x'] }, {}, { a: '1', b: 'true' }],
    ['long values are cut', { a: 'x'.repeat(257) }, {}, { a: 'x'.repeat(256) }],
    ['names are made to fit', { 'a b': '1', '7up': '2', é: '3', '': '4' }, {}, { a_b: '1', _7up: '2', _u00e9_: '3' }],
    ['the integration’s labels win', { env: 'dev', job: 'n' }, { labels_add: new Map([['env', 'prod']]) }, { env: 'prod', job: 'n' }]
  ]
  for (const [name, labels, integration, expected] of cases) {
    t.same({ ...toInboundAlert(event({ labels }), receipt(integration)).labels }, expected, name)
  }
})

t.test('two different label names never become one', async (t) => {
  const long = 'x'.repeat(70)
  const cases: [string, Record<string, string>, number][] = [
    ['letters beyond ASCII', { größe: '1', grüße: '2', gr__e: '3' }, 3],
    ['nothing but such letters', { 名前: '1', 住所: '2', '😀': '3', '😁': '4' }, 4],
    ['what is written like a letter beyond ASCII', { größe: '1', gr_u00f6__u00df_e: '2' }, 2],
    ['signs', { 'a b': '1', 'a/b': '2', a_b: '3' }, 3],
    ['what is cut', { [`${long}1`]: '1', [`${long}2`]: '2', ['x'.repeat(64)]: '3' }, 3],
    ['what is cut far behind', { ['é'.repeat(200)]: '1', [`${'é'.repeat(199)}e`]: '2' }, 2],
    ['what is cut far behind the first characters', { [`${'y'.repeat(500)}1`]: '1', [`${'y'.repeat(500)}2`]: '2' }, 2]
  ]
  for (const [name, labels, count] of cases) {
    const told = (sent: Record<string, string>) => ({ ...toInboundAlert(event({ labels: sent }), receipt()).labels })
    const made = told(labels)
    t.equal(Object.keys(made).length, count, name)
    t.same(Object.values(made).sort(), Object.values(labels).sort(), name)
    t.ok(
      Object.keys(made).every((one) => /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(one)),
      `${name}: ${Object.keys(made)}`
    )
    t.same(told(Object.fromEntries(Object.entries(labels).reverse())), made, `${name}: whatever their order`)
  }
  const kept = { ...toInboundAlert(event({ labels: { 'a b': '1', a_b: '2', größe: '3' } }), receipt()).labels }
  t.match(kept, { a_b: '2', gr_u00f6__u00df_e: '3' }, 'a name that fits is kept')
})

t.test('an alert has at most 64 labels, with those of the integration and sender_time', async (t) => {
  const labels = Object.fromEntries(Array.from({ length: 70 }, (_, nth) => [`l${nth}`, 'x']))
  const alert = toInboundAlert(event({ labels, occurred_at: 1 }), receipt({ labels_add: new Map([['env', 'prod']]) }))
  t.equal(Object.keys(alert.labels).length, 64)
  t.match(alert.labels, { env: 'prod', sender_time: '1970-01-01T00:00:00.001Z', l0: 'x', l61: 'x' })
})

t.test('a label may be named __proto__', async (t) => {
  const labels = JSON.parse('{"__proto__":"x","constructor":"y","a b":"z"}')
  const made = toInboundAlert(event({ labels }), receipt()).labels
  t.same(Object.entries(made), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['a_b', 'z']
  ])
  t.equal(Reflect.get({}, 'x'), undefined)
})

t.test('characters that Postgres cannot store are removed from escaped texts', async (t) => {
  t.equal(cleaned('a\u0000b\u0008c\u007fd\te\nf'), 'abcd\te\nf')
  t.equal(cleaned('x\ud800y\udc00z😀'), 'x\ufffdy\ufffdz😀')
  const alert = toInboundAlert(
    event({
      title: 'a\u0000b',
      description: '\ud83d',
      dedup_key: 'k\u0000',
      labels: { a: 'b\u0000', 'c\u0000': 'd' },
      delivery_id: '\u0001x'
    }),
    receipt({}, {}, true)
  )
  t.match(alert, { title: 'ab', description: '\ufffd', source_dedup_key: 'k', delivery_id: 'x' })
  t.same({ ...alert.labels }, { a: 'b', c_: 'd' })
  t.notMatch(JSON.stringify(alert), /\\u0000|\\ud83d/)
})

t.test('team, visibility and retention come from the integration', async (t) => {
  const team_id = '0198e000-0000-7000-8000-00000000000a'
  t.match(toInboundAlert(event(), receipt({ team_id, visibility: 'private', plan: 'business' })), {
    team_id,
    visibility: 'private',
    retention_days: 90
  })
  t.equal(toInboundAlert(event(), receipt({ plan: 'unheard of' })).retention_days, 7)
})

t.test('HTML becomes plain text, and text that only looks like HTML stays', async (t) => {
  const cases: [string, string][] = [
    ['plain', 'plain'],
    ['cpu < 5 and > 3', 'cpu < 5 and > 3'],
    ['<none> and <my-tag> and <b', '<none> and <my-tag> and <b'],
    ['a <b>bold</b> word &amp; more', 'a bold word & more'],
    ['no tags: &amp; stays', 'no tags: &amp; stays'],
    ['<p>one</p><p>two<br/>three</p>', 'one\n\ntwo\nthree'],
    ['<A HREF="https://a.test">link</A>', 'link'],
    ['x<script>alert(1)</script>y', 'xy'],
    ['x<SCRIPT src=a>alert("</b>")</sCript >y', 'xy'],
    ['x<style>never ends', 'x'],
    ['x<!-- hidden -->y<!-- open', 'xy'],
    ['<div><ul><li>a</li><li>b</li></ul></div>', 'a\n\nb'],
    ['<b <i>x</i>', '<b x'],
    ['&lt;script&gt;<b>x</b>', '<script>x'],
    ['', '']
  ]
  for (const [html, plain] of cases) t.equal(plainText(html), plain, html)
  const alert = toInboundAlert(event({ title: '<b>Disk</b> full', description: '<p>on <i>db-7</i></p>' }), receipt())
  t.match(alert, { title: 'Disk full', description: 'on db-7' })
})

t.test('the title of a link is cut like any other title', async (t) => {
  const url = 'https://a.test/'
  const links = (title: string, escaped = false) => toInboundAlert(event({ links: [{ title, url }] }), receipt({}, {}, escaped)).links
  t.same(links('x'.repeat(3000)), [{ title: 'x'.repeat(300), url }])
  t.same(links(`\u0000${'x'.repeat(300)}y`, true), [{ title: 'x'.repeat(300), url }])
  t.same(links('Runbook'), [{ title: 'Runbook', url }])
})
