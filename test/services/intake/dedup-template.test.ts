/** Tests of the dedup template: which templates are valid, and which key they give. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import { keyBy, templateFault } from '../../../services/intake/dedup-template.ts'
import { toInboundAlert } from '../../../services/intake/normalise.ts'
import type { Source } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { integration } from './credential.ts'

t.test('valid and invalid dedup templates', async (t) => {
  const cases: [template: string, fault: RegExp | null][] = [
    ['{title}', null],
    ['{dedup_key}', null],
    ['{label.cluster}/{title}', null],
    ['disk:{label.a.b-c_d}', null],
    ['{title}'.repeat(10), null],
    ['{title}'.repeat(11), /at most 10 fields/],
    ['', /must have a field/],
    ['always the same', /must have a field/],
    ['{severity}/{title}', /has no field \{severity\}: fields are \{title\}, \{dedup_key\} and \{label\.<name>\}/],
    ['{label.}', /has no field \{label\.\}/],
    ['{label.1x}', /has no field/],
    ['{labels.x}', /has no field/],
    ['{}', /has no field \{\}/],
    ['{{title}}', /a brace that belongs to no field/],
    ['{title} }', /a brace that belongs to no field/],
    ['{title', /a brace that belongs to no field/],
    [`{${'x'.repeat(400)}}`, /^has no field \{x{80}\}/]
  ]
  for (const [template, fault] of cases) {
    const found = templateFault(template)
    if (fault) t.match(found, fault, template)
    else t.equal(found, null, template)
  }
})

t.test('dedup keys that a template gives', async (t) => {
  const alert = { title: 'Disk full', dedup_key: 'own', labels: { cluster: 'eu', empty: '', $1: 'x' } }
  const cases: [template: string, key: string][] = [
    ['{label.cluster}/{title}', 'eu/Disk full'],
    ['{dedup_key}@{label.cluster}', 'own@eu'],
    ['{label.cluster}/{label.missing}', 'eu/'],
    ['{label.missing}/{label.empty}', 'own'],
    ['{label.constructor}', 'own'],
    ['{label.toString}-{title}', '-Disk full']
  ]
  for (const [template, key] of cases) t.equal(keyBy(template, alert), key, template)
  t.equal(keyBy('{title}', { ...alert, title: '{dedup_key} $& $1' }), '{dedup_key} $& $1', 'values are no templates')
})

t.test('at the door, the dedup template decides the key, not the key of the source', async (t) => {
  const source = sources.generic
  const keyOf = (body: object, dedup_template: string | null): string => {
    const [event] = source.parse({ body: body as Record<string, unknown>, headers: {}, received_at: 1, options: {}, warn: () => undefined })
    if (!event) throw new Error('no alert')
    const receipt = {
      integration: integration({ dedup_template, labels_add: new Map([['site', 'berlin']]) }),
      source,
      received_at: 1,
      escaped: false
    }
    return toInboundAlert(event, receipt).dedup_key
  }
  const one = { title: 'Disk full', dedup_key: 'a', labels: { host: 'db-7' } }
  const other = { title: 'Disk nearly full', dedup_key: 'b', labels: { host: 'db-7' }, status: 'resolved' }
  t.not(keyOf(one, null), keyOf(other, null))
  t.equal(keyOf(one, '{label.host}'), keyOf(other, '{label.host}'))
  t.equal(keyOf(one, '{label.site}'), keyOf({ ...one, labels: {} }, '{label.site}'), 'labels that the integration adds count')
  t.equal(keyOf(one, '{label.none}'), keyOf(one, null), 'without any of its fields the own key stands')
})

t.test('a source says so when an alert has another title than its recovery', async (t) => {
  const folder = join(projectRoot, 'test/fixtures/sources')
  for (const kind of sourceTypes) {
    const files = readdirSync(join(folder, kind)).filter((file) => file.endsWith('.expected.json'))
    const events = files.flatMap((file): { action: string; dedup_key: string; title: string }[] => {
      const { events = [] } = JSON.parse(readFileSync(join(folder, kind, file), 'utf8'))
      return events
    })
    // The title of a recovery that was sent without one is its key.
    const recoveries = events.filter(({ action, dedup_key, title }) => action === 'resolve' && title !== dedup_key)
    const differs = recoveries.some(({ dedup_key, title }) => {
      const alerts = events.filter((one) => one.action === 'fire' && one.dedup_key === dedup_key)
      // Some alerts of a condition also say how often it happened.
      const isCounted = alerts.some((alert) => alert.title.startsWith(`${title} (`))
      return alerts.length > 0 && (isCounted || !alerts.some((alert) => alert.title === title))
    })
    const source: Source = sources[kind]
    t.equal(source.title_tells_state ?? false, differs, kind)
  }
})
