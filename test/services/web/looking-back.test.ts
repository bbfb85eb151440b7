/** Tests, as tables, of words and numbers on the pages that look back and on the wall board. */
import t from 'tap'
import { nameOfActor } from '../../../services/web/api/actor-name.ts'
import type { AuditEntry, Heartbeat, Monitor, UptimeAnswer } from '../../../services/web/api/shapes.ts'
import { openedByDay, wholeUptime, worstUptimeFirst } from '../../../services/web/pages/analytics/figures.ts'
import { analyticsSearch } from '../../../services/web/pages/analytics/search.ts'
import { namelessInWords } from '../../../services/web/pages/analytics/source-words.ts'
import { auditSearch, isNarrowed, toQuery } from '../../../services/web/pages/audit/search.ts'
import { actorInWords, entryInWords, placeOf, valueInWords, viaInWords } from '../../../services/web/pages/audit/words.ts'
import { countsOf, moodOf, answerOf as wallAnswer } from '../../../services/web/pages/wall/counts.ts'
import { german } from '../../../services/web/texts/de/german.ts'
import { speak } from '../../../services/web/texts/text.ts'

const entry = (action: string, type: string, name: string | null): Pick<AuditEntry, 'action' | 'object'> =>
  ({ action, object: { type, id: 'a', name } }) as Pick<AuditEntry, 'action' | 'object'>

t.test('entries of the audit log in words', async (t) => {
  const cases: [action: string, type: string, name: string | null, words: string, place: string | null][] = [
    ['monitor.updated', 'monitor', 'Shop', 'Monitor updated: Shop', '/monitors/a'],
    ['monitor.deleted', 'monitor', 'Shop', 'Monitor deleted: Shop', null],
    ['monitor.updated', 'monitor', null, 'Monitor updated', null],
    ['api_token.created', 'api_token', 'deploys', 'API token created: deploys', null],
    ['escalation_policy.updated', 'escalation_policy', 'Nights', 'Escalation policy updated: Nights', '/on-call/policies/a'],
    ['silence.created', 'silence', null, 'Silence created', '/silences/a']
  ]
  for (const [action, type, name, words, place] of cases) {
    t.equal(entryInWords(entry(action, type, name)), words)
    t.equal(placeOf(entry(action, type, name)), place, words)
  }
  t.equal(actorInWords({ kind: 'user', id: 'a', name: 'Ada' }), 'Ada')
  t.equal(actorInWords({ kind: 'user', id: 'a', name: null }), 'Somebody who left')
  t.equal(viaInWords('ui'), 'in the dashboard')
  t.equal(viaInWords('a new one'), '', 'what is new is left out')
  t.same([null, undefined, 'x', 3, { a: 1 }].map(valueInWords), ['–', '–', 'x', '3', '{"a":1}'])
})

t.test('addresses of the audit log and their API queries', async (t) => {
  const now = Date.parse('2026-11-25T10:00:30Z')
  t.same(toQuery({}, now), {})
  t.same(toQuery({ type: 'monitor', actor: 'u', object: 'o', span: 'day' }, now), {
    object_type: 'monitor',
    actor_id: 'u',
    object_id: 'o',
    from: '2026-11-24T10:00:00.000Z'
  })
  const nothing = { type: undefined, actor: undefined, object: undefined, span: undefined }
  t.same(auditSearch({ type: 'nothing', span: 'year', actor: '' }), nothing, 'an old address still opens')
  t.equal(isNarrowed(nothing), false)
  t.equal(isNarrowed(auditSearch({ span: 'week' })), true)
})

t.test('time ranges in the address of analytics', async (t) => {
  t.same(analyticsSearch({ range: '7d' }), { range: '7d' })
  for (const range of ['30d', '1h', 'x', undefined]) t.same(analyticsSearch({ range }), {}, String(range))
})

t.test('the uptime of all monitors together', async (t) => {
  type Item = UptimeAnswer['items'][number]
  const item = (up_seconds: number, degraded_seconds: number, down_seconds: number, uptime_percent: number | null) =>
    ({ up_seconds, degraded_seconds, down_seconds, uptime_percent }) as Item
  const [good, bad, worse, unknown] = [item(50, 50, 0, 100), item(90, 0, 10, 90), item(0, 0, 100, 0), item(0, 0, 0, null)]
  t.equal(wholeUptime([]), null)
  t.equal(wholeUptime([unknown]), null)
  t.equal(wholeUptime([good, bad, unknown]), 95, 'by the time that each was watched')
  t.same(worstUptimeFirst([unknown, good, bad, worse]), [worse, bad, good, unknown])
})

t.test('sources without a name say what they are', async (t) => {
  const cases: [kind: string, type: string | null, words: string, inGerman: string][] = [
    ['mass_outage', null, 'Mass outages', 'Massenausfälle'],
    ['inbound', 'api', 'The API', 'Die API'],
    ['inbound', 'grafana', 'A deleted integration', 'Eine gelöschte Integration'],
    ['monitor', null, 'A deleted monitor', 'Ein gelöschter Monitor'],
    ['heartbeat', null, 'A deleted heartbeat', 'Ein gelöschter Heartbeat'],
    ['manual', null, 'Declared manually', 'Von Hand gemeldet'],
    ['a new one', null, 'Unknown source', 'Unbekannte Quelle']
  ]
  for (const [kind, type, words] of cases) t.equal(namelessInWords(kind, type), words)
  speak(german)
  t.teardown(() => speak({}))
  for (const [kind, type, , words] of cases) t.equal(namelessInWords(kind, type), words)
})

t.test('nothing is called deleted while the list of names is not read', async (t) => {
  const cases: [kind: string, type: string | null, words: string][] = [
    ['monitor', null, 'Monitor'],
    ['heartbeat', null, 'Heartbeat'],
    ['inbound', 'grafana', 'An integration'],
    ['inbound', 'api', 'The API'],
    ['mass_outage', null, 'Mass outages']
  ]
  for (const [kind, type, words] of cases) t.equal(namelessInWords(kind, type, false), words)
  const unread = { me: 'a', members: undefined, integrations: undefined }
  const read = { me: 'a', members: [{ user_id: 'b', name: 'Ben' }], integrations: [{ id: 'i', name: 'Prometheus' }] }
  const actors: [actor: string, whileUnread: string, whenRead: string][] = [
    ['user:a', 'You', 'You'],
    ['user:b', 'Somebody', 'Ben'],
    ['user:c', 'Somebody', 'Somebody who left'],
    ['integration:i', 'An integration', 'Prometheus'],
    ['integration:j', 'An integration', 'A deleted integration']
  ]
  for (const [actor, ...words] of actors) t.same([nameOfActor(unread, actor), nameOfActor(read, actor)], words, actor)
})

t.test('a day without an incident counts as one with none', async (t) => {
  const [from, to] = [Date.parse('2026-10-11T09:00:00Z'), Date.parse('2026-11-10T09:00:00Z')]
  const items = [
    { from: '2026-10-11T09:00:00Z', opened: 5 },
    { from: '2026-10-26T23:00:00Z', opened: 1 },
    { from: '2026-11-09T23:00:00Z', opened: 4 }
  ]
  const points = openedByDay(items, { from, to }, 'Europe/Berlin')
  t.equal(points.length, 31, 'also over a change of clocks')
  t.same(points[0], { at: from, value: 5 })
  t.same(points[1], { at: Date.parse('2026-10-11T22:00:00Z'), value: 0 })
  t.same(
    points.flatMap(({ value }, day) => (value === 0 ? [] : [[day, value]])),
    [
      [0, 5],
      [16, 1],
      [30, 4]
    ]
  )
  t.same(points[30], { at: Date.parse('2026-11-09T23:00:00Z'), value: 4 })
  t.equal(openedByDay([], { from, to }, 'UTC').length, 31)
})

t.test('counts and moods of the wall board', async (t) => {
  const monitor = (status: string, phase: string) => ({ status, phase }) as Monitor
  const heartbeat = (status: string, phase: string) => ({ status, phase }) as Heartbeat
  const [up, down, paused] = [monitor('up', 'ok'), monitor('down', 'down'), monitor('paused', 'paused')]
  const [onTime, late, never] = [heartbeat('up', 'on_time'), heartbeat('up', 'grace'), heartbeat('up', 'waiting')]
  t.same(countsOf(1, 2, [up, down, paused], [onTime, late, never]), {
    waiting: 1,
    ongoing: 2,
    monitors: 2,
    up: 1,
    heartbeats: 2,
    onTime: 1
  })
  t.equal(moodOf(countsOf(1, 1, [up], [onTime]), false), 'bad')
  t.equal(moodOf(countsOf(0, 1, [up], [onTime]), false), 'warn', 'somebody has it')
  t.equal(moodOf(countsOf(0, 0, [down], [onTime]), false), 'warn')
  t.equal(moodOf(countsOf(0, 0, [up], [late]), false), 'warn')
  t.equal(moodOf(countsOf(0, 0, [up, paused], [onTime, never]), false), 'calm')
  t.equal(moodOf(countsOf(0, 0, [up], [onTime]), true), 'warn', 'what may be out of date is not calm')
  t.equal(moodOf(countsOf(1, 1, [up], [onTime]), true), 'bad')
})

t.test('the answer of the wall board', async (t) => {
  const table: [waiting: number, ongoing: number, isOld: boolean, answer: string][] = [
    [0, 0, false, 'Nothing is wrong'],
    [0, 0, true, 'Nothing was wrong'],
    [0, 1, true, 'All incidents are acknowledged or silenced'],
    [1, 1, true, '1 incident needs someone'],
    [2, 3, false, '2 incidents need someone']
  ]
  for (const [waiting, ongoing, isOld, answer] of table) t.equal(wallAnswer(countsOf(waiting, ongoing, [], []), isOld), answer)
  const wrong = [
    ...(['no_data', 'unconfirmed', 'degraded', 'flapping'] as const).map((phase) =>
      countsOf(0, 0, [{ status: 'up', phase } as Monitor], [])
    ),
    ...(['grace', 'unknown'] as const).map((phase) => countsOf(0, 0, [], [{ status: 'up', phase } as Heartbeat]))
  ]
  for (const counts of wrong) {
    t.equal(wallAnswer(counts, false), 'Not everything is well, and no incident is open', 'nobody was told of it')
    t.equal(moodOf(counts, false), 'warn')
    t.equal(counts.up + counts.onTime, 0)
    t.equal(wallAnswer({ ...counts, ongoing: 1 }, false), 'All incidents are acknowledged or silenced')
  }
})
