/**
 * Bodies that real senders made, where they stand beside the project (../shared/payloads): they are not copied into it. Where they are missing, the
 * fixture of the same kind takes the place of each, and a comment says so. Expectations are by hand, from the body and the sender's documentation.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import type { SourceType } from '../../schemas/generated/source-types.ts'
import { decode } from '../../services/intake/body.ts'
import type { Json, ParsedEvent, Source } from '../../services/intake/source.ts'
import { sources } from '../../services/intake/sources/index.ts'

interface Case {
  source: SourceType
  /** In the folder of the source. */
  file: string
  headers?: Record<string, string>
  options?: Json
  /** What the real body says; fields that are not named do not matter. */
  events: object[]
  /** A fixture of the same kind, and what it says. */
  fixture: string
  instead: object[]
}

const folder = join(projectRoot, '../shared/payloads')

const cases: Case[] = [
  {
    source: 'sentry',
    file: 'pagertree-issue-created.json',
    headers: { 'sentry-hook-resource': 'issue' },
    events: [{ action: 'ignore', reason: /issue alert/, dedup_key: 'issue:1170820242' }],
    fixture: 'issue-created',
    instead: [{ action: 'ignore', reason: /issue alert/, dedup_key: 'issue:4410027715' }]
  },
  {
    source: 'sentry',
    file: 'pagertree-issue-created.json',
    headers: { 'sentry-hook-resource': 'issue' },
    options: { include_created: true },
    events: [
      {
        action: 'fire',
        dedup_key: 'issue:1170820242',
        title: 'ReferenceError: blooopy is not defined',
        description: '?(runner)',
        severity: 'critical',
        occurred_at: Date.parse('2019-08-19T20:58:37.391Z'),
        labels: { project: 'front-end', issue: 'FRONT-END-9', level: 'error', platform: 'javascript' },
        links: []
      }
    ],
    fixture: 'issue-created',
    instead: [{ action: 'fire', dedup_key: 'issue:4410027715', severity: 'critical' }]
  },
  {
    source: 'sentry',
    file: 'pagertree-metric-alert-resolved.json',
    headers: { 'sentry-hook-resource': 'metric_alert' },
    events: [
      {
        action: 'resolve',
        dedup_key: 'metric:4',
        title: 'Too many errors',
        description: '1000 events in the last 10 minutes\nFilter: level:error',
        occurred_at: null, // date_closed is null in it.
        labels: { project: 'bar', rule: 'Too many errors' },
        links: [{ title: 'Sentry', url: 'https://sentry.io/organizations/baz/alerts/1/' }]
      }
    ],
    fixture: 'metric-resolved',
    instead: [{ action: 'resolve', dedup_key: 'metric:31' }]
  },
  {
    source: 'rollbar',
    file: 'skyhook-new-item.json',
    events: [
      {
        action: 'fire',
        dedup_key: 'item:272716944',
        title: 'testing aobg98wrwe',
        severity: 'critical',
        source_severity: 'error',
        occurred_at: Date.parse('2013-10-24T22:57:01Z'),
        sequence: 481761639,
        labels: { project_id: '90', item: '4', environment: 'production', level: 'error', language: 'python', host: 'dev' }
      }
    ],
    fixture: 'new-item',
    instead: [{ action: 'fire', dedup_key: 'item:618220417', severity: 'critical' }]
  }
]

function parse(kind: SourceType, body: Buffer, { headers = {}, options = {} }: Case): ParsedEvent[] {
  const source: Source = sources[kind]
  return source.parse({
    body: decode(body).body,
    headers,
    received_at: Date.parse('2026-10-05T12:00:04.000Z'),
    options,
    warn: () => undefined
  })
}

for (const one of cases) {
  t.test(`${one.source}: ${one.file}${one.options ? ` with ${JSON.stringify(one.options)}` : ''}`, async (t) => {
    const real = join(folder, one.source, one.file)
    const there = existsSync(real)
    if (!there) t.comment(`${one.file} is not beside the project: the fixture ${one.fixture} in its place`)
    const body = readFileSync(there ? real : join(projectRoot, 'test/fixtures/sources', one.source, `${one.fixture}.json`))
    const expected = there ? one.events : one.instead
    const events = parse(one.source, body, one)
    t.equal(events.length, expected.length)
    t.match(events, expected)
  })
}
