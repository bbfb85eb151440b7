/**
 * Tests of an integration's settings: each kind of setting, every error with its path, and secrets,
 * which are sealed and kept.
 */
import t from 'tap'
import { MASK } from '../../../schemas/http/check-words.ts'
import { ApiError } from '../../../services/api/http/errors.ts'
import { changedSettings, checkIntegration, type Declared, type Settings, shownSettings } from '../../../services/api/integrations/rules.ts'

const declared: Declared = {
  secret: { type: 'text', secret: true, description: 'Shared with the sender.' },
  topic_arn: { type: 'text', secret: false, pattern: 'arn:aws:sns:[a-z0-9-]+:\\d{12}:[A-Za-z0-9_-]+', description: 'The one topic.' },
  header: { type: 'text', secret: false, description: 'Name of a header.' },
  strict: { type: 'boolean', default: false, description: 'Nothing else.' },
  events: { type: 'choice', choices: ['all', 'failures'], default: 'all', description: 'Which count.' },
  branches: { type: 'texts', most: 3, description: 'Empty: all.' }
}

const change = (before: Settings, changes: Settings): Record<string, unknown> =>
  changedSettings({ path: 'verify', declared, before, changes, seal: (plain, field) => `sealed:${field}:${plain.length}` })

function faultsOf(work: () => unknown): string[] {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    t.equal(error.code, 'VALIDATION_FAILED')
    return error.details.map(({ path, rule, message }) => `${path} ${rule}: ${message}`)
  }
}

t.test('accepted changes of integration settings', async (t) => {
  const before = { secret: 'sealed:old', header: 'x-a', branches: ['main'] }
  const cases: [name: string, changes: Settings, after: Settings][] = [
    ['nothing', {}, before],
    ['each by itself', { header: 'x-b' }, { ...before, header: 'x-b' }],
    ['null takes away', { header: null, secret: null }, { branches: ['main'] }],
    ['null for what is not there', { strict: null }, before],
    ['arrays replace', { branches: ['a', 'b', 'c'] }, { ...before, branches: ['a', 'b', 'c'] }],
    ['a new secret is sealed for its place', { secret: 'four' }, { ...before, secret: 'sealed:verify.secret:4' }],
    ['a masked secret stays', { secret: MASK }, before],
    ['a secret may look sealed', { secret: 'sealed:x' }, { ...before, secret: 'sealed:verify.secret:8' }],
    ['choice and flag', { events: 'failures', strict: true }, { ...before, events: 'failures', strict: true }],
    [
      'a pattern',
      { topic_arn: 'arn:aws:sns:eu-west-1:123456789012:alarms' },
      { ...before, topic_arn: 'arn:aws:sns:eu-west-1:123456789012:alarms' }
    ]
  ]
  for (const [name, changes, after] of cases) t.same(change(before, changes), after, name)
  t.same(before, { secret: 'sealed:old', header: 'x-a', branches: ['main'] }, 'what was given is as it was')
})

t.test('a refused setting is named by its path', async (t) => {
  const cases: [changes: Settings, fault: RegExp][] = [
    [{ nope: 1 }, /^verify\.nope unknown_field: is no setting of this source; it has secret, topic_arn, /],
    [{ constructor: 'x' }, /^verify\.constructor unknown_field/],
    [{ strict: 'true' }, /^verify\.strict type: must be boolean/],
    [{ events: 'some' }, /^verify\.events enum: must be one of all, failures/],
    [{ events: 1 }, /^verify\.events type: must be string/],
    [{ branches: 'main' }, /^verify\.branches type: must be array/],
    [{ branches: ['a', 'b', 'c', 'd'] }, /^verify\.branches length: must have at most 3/],
    [{ branches: ['a', ''] }, /^verify\.branches type: must have texts of 1 to 256/],
    [{ branches: ['a\nb'] }, /^verify\.branches type/],
    [{ secret: '' }, /^verify\.secret length: must have at least 1/],
    [{ secret: 5 }, /^verify\.secret type/],
    [{ secret: 'x'.repeat(8193) }, /^verify\.secret length: must have at most 8192/],
    [{ secret: MASK }, /^verify\.secret required: is required: there is no value to keep/],
    [{ header: 'a\r\nb' }, /^verify\.header pattern/],
    [{ header: 'sealed:AQ==' }, /^verify\.header pattern/],
    [{ topic_arn: 'xarn:aws:sns:eu-west-1:123456789012:alarms' }, /^verify\.topic_arn pattern: must match/]
  ]
  for (const [changes, fault] of cases) {
    const [found, ...more] = faultsOf(() => change({}, changes))
    t.match(found, fault)
    t.same(more, [])
  }
  t.equal(faultsOf(() => change({}, { nope: 1, strict: 1, header: 'fine' })).length, 2, 'all of them at once')
  t.match(
    faultsOf(() => changedSettings({ path: 'options', declared: {}, before: {}, changes: { a: 1 }, seal: String })),
    [/^options\.a unknown_field: is no setting of this source; it has none/]
  )
})

t.test('sealed settings are shown masked, and others in plain text', async (t) => {
  t.same(shownSettings(declared, { secret: 'sealed:abc', header: 'x-a', gone: 'sealed:def', kept: 'plain' }), {
    secret: MASK,
    header: 'x-a',
    gone: MASK,
    kept: 'plain'
  })
})

t.test('valid and invalid networks and dedup templates', async (t) => {
  const given = { source: {}, before: null }
  t.same(
    faultsOf(() => checkIntegration({ dedup_template: '{title}', allowed_cidrs: ['192.0.2.0/24', '2001:db8::1'] }, given)),
    []
  )
  t.same(
    faultsOf(() => checkIntegration({ dedup_template: null }, given)),
    []
  )
  t.match(
    faultsOf(() => checkIntegration({ dedup_template: '{severity}', allowed_cidrs: ['192.0.2.0/24', 'office'] }, given)),
    [/^dedup_template pattern: has no field/, /^allowed_cidrs\[1\] pattern: must be a network/]
  )
})

t.test('a template with the title is refused where the title tells the state', async (t) => {
  const source = { title_tells_state: true } as const
  const cases: [name: string, dedup_template: string | null | undefined, before: string | null, fault: RegExp | null][] = [
    [
      'a new one',
      '{title}',
      null,
      /^dedup_template pattern: has \{title\}, but the title of this source differs .* use \{dedup_key\} or labels$/
    ],
    ['beside a label', '{label.team}/{title}', null, /differs between an alert and its recovery/],
    ['in place of another', '{title}', '{label.team}/{title}', /differs between an alert and its recovery/],
    ['one from before stays', '{title}', '{title}', null],
    ['other fields change', undefined, '{title}', null],
    ['it is taken away', null, '{title}', null],
    ['the key of the source', '{dedup_key}@{label.title}', null, null]
  ]
  for (const [name, dedup_template, before, fault] of cases) {
    const change = dedup_template === undefined ? {} : { dedup_template }
    const faults = faultsOf(() => checkIntegration(change, { source, before }))
    t.match(faults, fault ? [fault] : [], name)
    t.equal(faults.length, fault ? 1 : 0, name)
  }
})
