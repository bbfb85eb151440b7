/**
 * Tests of the dry run of a pasted body: what intake would make of it, the result of the sender's
 * proof, and what would be refused.
 */
import t from 'tap'
import { ApiError } from '../../../services/api/http/errors.ts'
import { type ParsedSample, parseSample, type Sample } from '../../../services/api/integrations/parse-sample.ts'
import type { Source } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { integration } from '../intake/credential.ts'

const sample = (body: unknown, more: Partial<Sample> = {}): Promise<ParsedSample> =>
  parseSample({
    bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    headers: {},
    source: sources.generic,
    integration: integration(),
    options: {},
    verify: {},
    received_at: Date.UTC(2026, 10, 22),
    ...more
  })

/** A source whose proof needs a header with the value of a setting, or a certificate. */
const proving: Source = {
  ...sources.generic,
  headers: ['x-secret'],
  verify: {
    settings: { secret: { type: 'text', secret: true, description: 'x' } },
    async check({ headers, settings, certificate }) {
      if (settings.secret === 'certificate') await certificate('https://sns.eu-west-1.amazonaws.com/x.pem')
      return headers['x-secret'] === settings.secret ? null : 'The header X-Secret is not the one of this integration'
    }
  }
}

t.test('a sample shows the alerts as they would be on the log', async (t) => {
  const found = await sample(
    [
      { title: 'Disk\u0000 <b>full</b>', severity: 'worst', labels: { 'a b': 1 } },
      { title: 'x', status: 'acknowledged' }
    ],
    {
      integration: integration({
        severity_map: new Map([['worst', 'info']]),
        dedup_template: '{title}',
        labels_add: new Map([['site', 'berlin']])
      })
    }
  )
  t.match(found, {
    total: 2,
    warnings: [],
    proof: { asked: false, proven: null, reason: null },
    alerts: [
      { action: 'fire', title: 'Disk full', severity: 'info', source_severity: 'worst', labels: { site: 'berlin', a_b: '1' } },
      { action: 'ignore', reason: 'acknowledged' }
    ]
  })
  t.equal((await sample('title=Disk+full&severity=critical')).alerts[0]?.severity, 'critical', 'a form')
})

t.test('a sample whose strings had to be mended says so', async (t) => {
  t.match(await sample('{"title":"Disk\nfull on C:\\data"}'), {
    total: 1,
    warnings: [/no valid JSON/],
    alerts: [{ title: 'Disk full on C:\\data' }]
  })
})

t.test('a sample that intake would refuse is refused with its path and rule', async (t) => {
  const cases: [body: unknown, path: string, rule: string][] = [
    ['<xml/>', '', 'malformed'],
    ['', '', 'malformed'],
    ['{"title":', '', 'malformed'],
    [{ severity: 'critical' }, 'title', 'required'],
    [{ alerts: [{ title: 'a' }, { title: 'b', severity: 5 }] }, 'alerts[1].severity', 'type'],
    [Array.from({ length: 5001 }, () => ({ title: 'a' })), '', 'max']
  ]
  for (const [body, path, rule] of cases) {
    const error = await sample(body).catch((reason: unknown) => reason)
    t.ok(error instanceof ApiError && error.code === 'UNPARSEABLE_PAYLOAD', JSON.stringify(body).slice(0, 60))
    t.match(error, { details: [{ path, rule }] })
  }
})

t.test('of many alerts the first 200 are shown and all are counted', async (t) => {
  const found = await sample(Array.from({ length: 1000 }, (_, n) => ({ title: `a${n}` })))
  t.equal(found.total, 1000)
  t.equal(found.alerts.length, 200)
  t.same(found.warnings, ['The first 200 alerts are shown'])
})

t.test('the result of the proof is shown, and a wrong proof refuses nothing', async (t) => {
  const cases: [name: string, more: Partial<Sample>, proof: object][] = [
    ['not set, not asked', {}, { asked: false, proven: null }],
    ['right', { verify: { secret: 'a' }, headers: { 'X-Secret': 'a' } }, { asked: true, proven: true, reason: null }],
    ['wrong', { verify: { secret: 'a' }, headers: { 'x-secret': 'b' } }, { asked: true, proven: false, reason: /X-Secret/ }],
    ['does not open', { verify: null }, { asked: true, proven: null, reason: /does not open/ }],
    ['a certificate', { verify: { secret: 'certificate' } }, { asked: true, proven: null, reason: /fetched at the door only/ }]
  ]
  for (const [name, more, proof] of cases) {
    const found = await sample({ title: 'a' }, { source: proving, ...more })
    t.match(found.proof, proof, name)
    t.equal(found.total, 1)
  }
})

t.test('a control message gives a warning and is not acted on', async (t) => {
  const source: Source = { ...proving, control: () => ({ kind: 'subscribe', topic_arn: 'arn:x', confirm_url: 'https://example.test' }) }
  t.match(await sample({ Type: 'SubscriptionConfirmation' }, { source }), {
    alerts: [],
    total: 0,
    warnings: [/"subscribe" is acted on at the door/]
  })
})
