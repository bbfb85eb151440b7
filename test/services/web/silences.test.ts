/**
 * Tests, as tables, of what a silence made from an alert matches at first, and of the reasons why a
 * silence holds in words.
 */
import t from 'tap'
import type { Explanation } from '../../../services/web/api/shapes.ts'
import { instantOf, localOf } from '../../../services/web/pages/routing/rule-values.ts'
import {
  bodyOf,
  changeOf,
  endAfter,
  matchersOf,
  newValues,
  type Silenced,
  valuesOf
} from '../../../services/web/pages/silences/silence-values.ts'
import { dedupInWords, groupInWords, heldInWords, isKept, openedBy, shadowInWords } from '../../../services/web/pages/why/why-words.ts'

const ID = '01a20272-ee96-7aa6-8441-9de640a5629c'
const base: Silenced = {
  title: 'Disk full',
  labels: {},
  source: { kind: 'inbound', type: 'generic', id: ID, integration_id: ID },
  monitor_id: null,
  heartbeat_id: null,
  team_id: null
}

t.test('conditions of a silence that is made from an alert', async (t) => {
  const eq = (field: string, value: string) => ({ field, op: 'eq', value })
  const cases: [name: string, of: Partial<Silenced>, isPrivate: boolean, matchers: object[]][] = [
    [
      'of an integration, by its labels',
      { labels: { env: 'prod', sender_time: 'x', long: 'y'.repeat(600) } },
      false,
      [eq('integration_id', ID), eq('label.env', 'prod')]
    ],
    ['without labels by its title', {}, false, [eq('integration_id', ID), eq('title', 'Disk full')]],
    [
      'by the title that its source gave',
      { original_title: 'Disk is full' },
      false,
      [eq('integration_id', ID), eq('title', 'Disk is full')]
    ],
    [
      'of a monitor',
      { monitor_id: ID, labels: { env: 'prod' }, source: { kind: 'monitor', type: null, id: ID, integration_id: null } },
      false,
      [eq('monitor_id', ID)]
    ],
    [
      'of a heartbeat',
      { heartbeat_id: ID, source: { kind: 'heartbeat', type: null, id: ID, integration_id: null } },
      false,
      [eq('heartbeat_id', ID)]
    ],
    ['by hand', { source: { kind: 'manual', type: null, id: null, integration_id: null } }, false, [eq('title', 'Disk full')]],
    [
      'of a private team, which it must name',
      { monitor_id: ID, team_id: ID, source: { kind: 'monitor', type: null, id: ID, integration_id: null } },
      true,
      [eq('monitor_id', ID), eq('team_id', ID)]
    ]
  ]
  for (const [name, of, isPrivate, matchers] of cases) t.same(matchersOf({ ...base, ...of }, isPrivate), matchers, name)
})

t.test('the silence form sends what it shows', async (t) => {
  const now = Date.parse('2026-11-24T10:00:30.000Z')
  const fresh = newValues([{ field: 'title', op: 'eq', value: 'x' }], 'Why', now, 'UTC')
  t.same(bodyOf(fresh), {
    matchers: [{ field: 'title', op: 'eq', value: 'x' }],
    comment: 'Why',
    ends_at: '2026-11-24T12:00:00.000Z'
  })
  t.equal(newValues([], '', now, 'UTC').matchers.length, 1, 'one condition to begin with')
  const starts_at = '2026-11-24T09:00:00.000Z'
  const ends_at = '2026-11-24T11:00:00.000Z'
  const before = valuesOf({ matchers: [{ field: 'title', op: 'exists' }], comment: 'Why', starts_at, ends_at } as never, 'UTC')
  t.same(changeOf({ ...before, comment: ' Other ' }, before), { matchers: [{ field: 'title', op: 'exists' }], comment: 'Other' })
  t.match(changeOf({ ...before, ends: localOf('2026-11-24T12:00:00.000Z') }, before), { ends_at: '2026-11-24T12:00:00.000Z' })
  t.equal(instantOf(endAfter('', 3_600_000, now)), '2026-11-24T11:00:00.000Z')
  t.equal(instantOf(endAfter(localOf('2026-11-25T10:00:00.000Z'), 3_600_000, now)), '2026-11-25T11:00:00.000Z', 'of one to come')
  t.equal(instantOf(endAfter(localOf('2026-11-20T10:00:00.000Z'), 3_600_000, now)), '2026-11-24T11:00:00.000Z', 'of one that began')
})

type Steps = Pick<Explanation, 'steps'>
const steps = (...all: [rule: string, values?: object, more?: object][]): Steps =>
  ({ steps: all.map(([rule, values = {}, more = {}]) => ({ rule, values, verdict: '', ...more })) }) as unknown as Steps
const nameOf = (actor: string): string => (actor === 'user:ada' ? 'Ada' : actor)

t.test('why an incident or alert exists, in words', async (t) => {
  const opened: [of: Steps, words: string | null][] = [
    [steps(['signal', { source_kind: 'monitor' }]), 'Most regions that check the monitor agreed that it fails.'],
    [steps(['signal', { source_kind: 'heartbeat' }]), 'The heartbeat did not arrive in time.'],
    [steps(['signal', { source_kind: 'inbound', source_type: 'grafana' }]), 'An integration reported it: Grafana.'],
    [steps(['signal', { source_kind: 'inbound', source_type: null }]), 'An integration reported it.'],
    [steps(['signal', { source_kind: 'else' }]), 'A signal reported it.'],
    [steps(['declaration', { by: 'user:ada' }]), 'Ada declared the incident.'],
    [steps(['promotion_by_hand', { by: 'user:ada' }]), 'Ada opened an incident for an alert, although a rule had prevented one.'],
    [steps(['reopening', {}]), 'The problem was still there when the quiet time after the resolve ended.'],
    [steps(), null]
  ]
  for (const [of, words] of opened)
    t.equal(
      openedBy(of, nameOf, (type) => (type === 'grafana' ? 'Grafana' : type)),
      words
    )
  t.equal(dedupInWords(steps(['declaration'], ['dedup', {}])), null)
  t.match(dedupInWords(steps(['signal'], ['dedup', { reopened_from: null }])), /so this is new/)
  t.match(dedupInWords(steps(['signal'], ['dedup', { reopened_from: ID }])), /opened again/)
  const joined = steps(['grouping', { window_seconds: 3600 }, { verdict: 'It joined the incident of its group.' }])
  t.equal(
    groupInWords(joined, ['label.service', 'severity']),
    'This alert was added to the incident of its group: the same label service, severity within 1 h.'
  )
  t.match(groupInWords(joined, []), /the same rule within/)
  t.equal(groupInWords(steps(), []), null)
  t.equal(isKept(steps(['promotion', { promote: false }])), true)
  t.equal(isKept(steps(['promotion', { promote: true }])), false)
})

t.test('holds of an incident, and effects of report-only rules, in words', async (t) => {
  const held = (kind: string, until: string | null) => heldInWords({ kind, id: ID, until, effect: '' } as never, () => 'noon')
  t.match(held('silence', 'x'), /Somebody silenced it, so nobody is notified before noon/)
  t.match(held('silence', null), /Somebody silenced it, so nobody is notified\./)
  t.match(held('matcher_silence', 'x'), /A silence is active until noon/)
  t.match(held('rule', null), /A rule says/)
  t.equal(held('some_later_kind', 'x'), 'The incident is on hold, so nobody is notified before noon (some later kind).')
  t.equal(held('some_later_kind', null), 'The incident is on hold, so nobody is notified (some later kind).')
  const shadow = (changes: string[]) => shadowInWords(steps(['routing', {}, { shadow: { changes } }]))
  t.equal(shadowInWords(steps(['routing'])), null)
  t.match(shadow([]), /nothing would be different/)
  t.match(shadow(['team', 'suppress']), /different: team, whether people are notified\./)
})
