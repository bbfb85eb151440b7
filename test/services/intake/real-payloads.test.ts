/**
 * Tests with bodies from real senders, found by test/harness/payloads.ts. If they are missing, a
 * fixture of the same kind replaces each, and a comment says so. The expectations are written by
 * hand from the body and the sender's documentation.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import type { SourceType } from '../../../schemas/generated/source-types.ts'
import { decode } from '../../../services/intake/body.ts'
import type { Json, SequencedEvent, Source } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { payloadFolder as folder } from '../../harness/payloads.ts'

interface Case {
  source: SourceType
  /** A file in the folder of the source. */
  file: string
  headers?: Record<string, string>
  options?: Json
  /** What the real body means. Fields that are not named are not compared. */
  events: object[]
  /** A fixture of the same kind, and what it means. */
  fixture: string
  instead: object[]
}

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
  },
  {
    source: 'github',
    file: 'octokit-workflow-run-success.json',
    headers: { 'x-github-event': 'workflow_run', 'x-github-delivery': 'd1a2b3c4-0000-4000-8000-000000000001' },
    events: [
      {
        action: 'resolve',
        dedup_key: 'wf:300029405:2823525:master',
        title: 'octo-org/octo-repo: test passed on master', // workflow_run.name is empty in it.
        description:
          'ci(action): update actions/setup-node digest to 8c91899\n\nbuild(test): check workflow run event payload\n\nby Codertocat',
        occurred_at: Date.parse('2020-10-05T16:33:49Z'),
        sequence: 163001,
        delivery_id: 'd1a2b3c4-0000-4000-8000-000000000001',
        labels: { repository: 'octo-org/octo-repo', branch: 'master', workflow: 'test', event: 'repository_dispatch', actor: 'Codertocat' },
        links: [{ title: 'Workflow run', url: 'https://github.com/octo-org/octo-repo/actions/runs/289782451' }]
      }
    ],
    fixture: 'run-success',
    instead: [{ action: 'resolve', dedup_key: 'wf:5001:88120:main', sequence: 413001 }]
  },
  {
    source: 'github',
    file: 'octokit-check-suite-success.json',
    headers: { 'x-github-event': 'check_suite' },
    events: [
      {
        action: 'resolve',
        dedup_key: 'cs:186853002:29310:main',
        title: 'Codertocat/Hello-World: octocoders-linter passed on main',
        description: 'Update README.md',
        occurred_at: Date.parse('2019-05-15T15:21:14Z'),
        sequence: 118578147,
        labels: { branch: 'main', commit: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821', app: 'github-actions' }
      }
    ],
    fixture: 'suite-success',
    instead: [{ action: 'resolve', dedup_key: 'cs:5001:29310:main' }]
  },
  {
    source: 'gitlab',
    file: 'goplayground-pipeline-success.json',
    events: [{ action: 'ignore', reason: 'merge_request' }],
    fixture: 'merge-request',
    instead: [{ action: 'ignore', reason: 'merge_request' }]
  },
  {
    source: 'jenkins',
    file: 'skyhook-finalized-success.json',
    events: [
      {
        action: 'resolve',
        dedup_key: 'job/Test/',
        title: 'Test #25 SUCCESS',
        description: null, // An empty scm, no tests, no notes.
        occurred_at: null,
        sequence: 25,
        links: [{ title: 'Build', url: 'http://jenkins-url/job/Test/25/' }]
      }
    ],
    fixture: 'success',
    instead: [{ action: 'resolve', dedup_key: 'job/shop/job/shop-build/', sequence: Date.parse('2026-10-05T12:01:00Z') }]
  },
  {
    source: 'circleci',
    file: 'skyhook-workflow-success.json',
    events: [
      {
        action: 'resolve',
        dedup_key: 'github/circleci/webhook-service|build-test-deploy|main',
        title: 'webhook-service: build-test-deploy passed on main',
        description: 'Description of change\n\nby Author Name',
        occurred_at: Date.parse('2021-09-01T22:49:34.170Z'),
        sequence: 130,
        delivery_id: '3888f21b-eaa7-38e3-8f3d-75a63bba8895',
        labels: { project: 'github/circleci/webhook-service', branch: 'main', organization: 'circleci' }
      }
    ],
    fixture: 'success',
    instead: [{ action: 'resolve', dedup_key: 'github/acme/shop|build-test|main', sequence: 131 }]
  },
  {
    source: 'splunk',
    file: 'zulip-search-one-result.json',
    events: [
      {
        action: 'fire',
        reason: null,
        dedup_key: 'search|admin|sudo',
        title: 'sudo',
        severity: null,
        occurred_at: null, // The row is from 2017: its time is not used for ordering.
        delivery_id: 'rt_scheduler__admin__search__sudo_at_1483557185_2.2',
        labels: {
          search: 'sudo',
          app: 'search',
          owner: 'admin',
          host: 'myserver',
          source: '/var/log/auth.log',
          sourcetype: 'syslog',
          index: 'main'
        },
        links: [
          {
            title: 'Results',
            url: 'http://example.com:8000/app/search/search?q=%7Cloadjob%20rt_scheduler__admin__search__sudo_at_1483557185_2.2%20%7C%20head%201%20%7C%20tail%201&earliest=0&latest=now'
          }
        ]
      }
    ],
    fixture: 'internal-fields',
    instead: [{ action: 'fire', dedup_key: 'search|admin|Checkout errors', title: 'sudo used', occurred_at: null }]
  }
]

function parse(kind: SourceType, body: Buffer, { headers = {}, options = {} }: Case): SequencedEvent[] {
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
