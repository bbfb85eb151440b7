/** Tests of how a person is asked, and of pages that go to the person's next method, as tables. */
import t from 'tap'
import type { Step } from '../../../services/store/delivery-outcomes.ts'
import { fallsBack } from '../../../services/store/phone-fallback.ts'
import { type Method, type Person, waysTo } from '../../../services/store/reach.ts'

const method = (kind: Method['kind'], over: Partial<Method> = {}): Method => ({ method_id: kind, kind, verified: true, ...over })
const person = (methods: Method[], rules: Person['rules'] = null): Person => ({
  ...{ user_id: 'jo', role: 'responder', enabled: true, methods, rules, quiet_hours: null, own_teams: [], hidden_teams: [] }
})
const rule = (method_id: string, delay_seconds: number) => ({ method_id, delay_seconds })
const about = { team_id: null, visibility: 'org' } as const
const waysOf = (one: Person) =>
  waysTo(one, 'default', about).map(({ method_id, delay_seconds, suppressed_by }) => [method_id, delay_seconds, suppressed_by])
const gone = method('slack_dm', { without_app: true })

t.test('a method of Slack whose app is gone is not used, and the next method is', async (t) => {
  t.same(waysOf(person([gone, method('email')])), [
    ['slack_dm', 0, 'no_method'],
    ['email', 0, null]
  ])
  t.same(waysOf(person([gone, method('email')], { default: [rule('slack_dm', 0)] })), [
    ['slack_dm', 0, 'no_method'],
    ['email', 0, null]
  ])
  t.same(waysOf(person([gone])), [['slack_dm', 0, 'no_method']])
})

t.test('where the first method cannot be used, the first usable one is asked at that time', async (t) => {
  const sms = method('sms', { exhausted: true })
  const [email, push] = [method('email'), method('push')]
  const later = { default: [rule('sms', 0), rule('email', 900)] }
  const cases: [string, Person, unknown[]][] = [
    ['a first method that was deleted', person([email], later), [['email', 0, null]]],
    [
      'the method of a later rule',
      person([sms, email], later),
      [
        ['sms', 0, 'quota'],
        ['email', 0, null]
      ]
    ],
    [
      'a method that no rule names',
      person([push, sms, email], later),
      [
        ['sms', 0, 'quota'],
        ['email', 900, null],
        ['push', 0, null]
      ]
    ],
    [
      'a method without proof',
      person([method('sms', { verified: false }), email], later),
      [
        ['sms', 0, 'unverified'],
        ['email', 0, null]
      ]
    ],
    [
      'not where another is asked at once',
      person([push, sms, email], { default: [rule('sms', 0), rule('email', 0)] }),
      [
        ['sms', 0, 'quota'],
        ['email', 0, null]
      ]
    ],
    [
      'not where the first can be used',
      person([email, sms], { default: [rule('email', 0), rule('sms', 60)] }),
      [
        ['email', 0, null],
        ['sms', 60, 'quota']
      ]
    ],
    [
      'at the delay of the first rule',
      person([sms, email], { default: [rule('sms', 120)] }),
      [
        ['sms', 120, 'quota'],
        ['email', 120, null]
      ]
    ],
    ['where no method can be used, as the rules say', person([sms], later), [['sms', 0, 'quota']]]
  ]
  for (const [name, given, expected] of cases) t.same(waysOf(given), expected, name)
})

t.test('pages that go to the next method of the person', async (t) => {
  const step = (over: Partial<Step>, event = 'down', user_id: string | null = 'jo') =>
    ({ row: { user_id, event, attempts: 1 }, state: 'suppressed', suppressed_by: null, error_code: null, ...over }) as Step
  const cases: [string, Step, boolean][] = [
    ['a page that failed', step({ state: 'failed' }), true],
    ['the quota is used up', step({ suppressed_by: 'quota' }), true],
    ['the method or its app is gone', step({ suppressed_by: 'no_method' }), true],
    ['the method has lost its proof', step({ suppressed_by: 'unverified' }), true],
    ['somebody has acknowledged', step({ suppressed_by: 'acknowledged' }), false],
    ['the person may not see it', step({ suppressed_by: 'not_visible' }), false],
    ['the end of an incident', step({ suppressed_by: 'no_method' }, 'up'), false],
    ['a channel', step({ suppressed_by: 'unverified' }, 'down', null), false],
    ['a page that waits', step({ state: 'retrying', error_code: 'network' }), false]
  ]
  for (const [name, given, expected] of cases) t.equal(fallsBack(given), expected, name)
})
