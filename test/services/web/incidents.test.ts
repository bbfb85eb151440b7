/**
 * Tests, as tables, of the words on the incidents' pages, and of the API queries that their
 * addresses stand for.
 */
import t from 'tap'
import { PostmortemBody } from '../../../schemas/http/postmortems.ts'
import type { Incident, Postmortem, TimelineItem } from '../../../services/web/api/shapes.ts'
import { silencedUntil } from '../../../services/web/api/silenced.ts'
import { judge } from '../../../services/web/forms/judge.ts'
import { answerOf } from '../../../services/web/pages/incidents/answer.ts'
import { failureInWords, regionsInWords } from '../../../services/web/pages/incidents/cause-words.ts'
import { countOf } from '../../../services/web/pages/incidents/count-words.ts'
import { nextInWords, stateInWords } from '../../../services/web/pages/incidents/escalation-words.ts'
import {
  bodyOf,
  type ItemValues,
  noItem,
  templateOf,
  valuesOf,
  withoutFaults
} from '../../../services/web/pages/incidents/postmortem-values.ts'
import { addressOfExport, lastPageInstead, toQuery } from '../../../services/web/pages/incidents/query.ts'
import { listed } from '../../../services/web/pages/incidents/repeats.ts'
import { incidentsSearch, isNarrowed } from '../../../services/web/pages/incidents/search.ts'
import { saidWith, sentenceOf, versionsInWords } from '../../../services/web/pages/incidents/timeline-words.ts'
import { type Done, undoSteps } from '../../../services/web/pages/incidents/undo-steps.ts'
import { outcomeInWords } from '../../../services/web/parts/bulk-words.ts'
import { incidentsText } from '../../../services/web/texts/incidents.ts'

t.test('headlines of the incident list', async (t) => {
  const cases: [needs_someone: number, acknowledged: number, silenced: number, answer: string][] = [
    [0, 0, 0, 'Nothing is wrong'],
    [1, 0, 0, '1 incident needs someone'],
    [2, 1, 0, '2 incidents need someone, 1 acknowledged'],
    [0, 1, 0, '1 incident acknowledged, none waits for someone'],
    [0, 3, 0, '3 incidents acknowledged, none waits for someone'],
    [0, 0, 1, '1 incident silenced, none waits for someone'],
    [0, 1, 2, '1 incident acknowledged, 2 silenced, none waits for someone'],
    [60, 0, 5, '60 incidents need someone, 5 silenced']
  ]
  for (const [needs_someone, acknowledged, silenced, answer] of cases)
    t.equal(answerOf({ ongoing: needs_someone + acknowledged + silenced, needs_someone, acknowledged, silenced }), answer)
})

t.test('a draft is saved without what is wrong in its action items', async (t) => {
  const empty = templateOf({ title: '', affected_regions: [], started_at: '', resolved_at: null } as unknown as Incident, () => '')
  const item = { ...noItem, title: 'Alert on the queue' }
  const items = [
    item,
    { ...item, link: 'example.com/x' },
    { ...item, title: '', owner_id: '0191e5a0-0000-7000-8000-000000000001' },
    { ...item, link: 'https://tickets.example/7' }
  ]
  const values = { ...empty, impact: 'Half an hour of text', action_items: items }
  const body = bodyOf(values, 'draft')
  const draft = bodyOf(withoutFaults(values, judge(PostmortemBody, body), null), 'draft')
  t.same(judge(PostmortemBody, draft), {})
  t.equal(draft.impact, 'Half an hour of text')
  t.match(draft.action_items, [
    { title: item.title, link: null },
    { title: item.title, link: null },
    { title: item.title, link: 'https://tickets.example/7' }
  ])
  t.equal(draft.action_items?.length, 3)
})

t.test('a draft keeps a stored action item as it was while it is not complete', async (t) => {
  const empty = templateOf({ title: '', affected_regions: [], started_at: '', resolved_at: null } as unknown as Incident, () => '')
  const owner_id = '0191e5a0-0000-7000-8000-000000000001'
  const first = { ...noItem, key: 0, title: 'First' }
  const stored = { ...noItem, key: 1, title: 'Stored', owner_id, due_on: '2026-12-24', link: 'https://tickets.example/7' }
  const added = { ...noItem, key: 2, owner_id }
  const cases: [name: string, now: ItemValues[], kept: ItemValues[]][] = [
    ['an emptied title', [first, { ...stored, title: '' }], [first, stored]],
    ['after another one was removed', [{ ...stored, title: ' ', done: true }], [stored]],
    ['a wrong day', [first, { ...stored, title: 'New', due_on: '24.12.' }], [first, stored]],
    ['a wrong ticket', [{ ...stored, title: 'New', link: 'tickets' }], [{ ...stored, title: 'New' }]],
    ['a new one that is not complete', [stored, added], [stored]],
    ['removed', [first], [first]]
  ]
  for (const [name, now, kept] of cases) {
    const values = { ...empty, action_items: now }
    const faults = judge(PostmortemBody, bodyOf(values, 'draft'))
    t.same(withoutFaults(values, faults, { ...empty, action_items: [first, stored] }).action_items, kept, name)
  }
})

t.test('a page behind the end of the list gives way to the last page', async (t) => {
  const cases: [page: number, total: number, instead: number | null][] = [
    [1, 0, null],
    [1, 50, null],
    [2, 51, null],
    [2, 50, 1],
    [3, 0, 1],
    [9, 101, 3]
  ]
  for (const [page, total, instead] of cases) t.equal(lastPageInstead(page, total), instead, `page ${page} of ${total}`)
})

t.test('consecutive incidents of one key are one row with a count', async (t) => {
  const incident = (number: number, dedup_key: string): Incident =>
    ({ id: `i${number}`, dedup_key, started_at: `2026-11-22T10:${number}:00.000Z` }) as Incident
  const flapping = [incident(59, 'm'), incident(57, 'm'), incident(56, 'other'), incident(55, 'm'), incident(53, 'm'), incident(51, 'm')]
  const shown = (unfolded: string[]) =>
    listed(flapping, new Set(unfolded)).map(
      ({ incident: { id }, count, since, isEarlier }) => `${isEarlier ? '- ' : ''}${id} ${count} ${since.slice(14, 16)}`
    )
  t.same(shown([]), ['i59 2 57', 'i56 1 56', 'i55 3 51'])
  t.same(shown(['m']), ['i59 2 57', '- i57 1 57', 'i56 1 56', 'i55 3 51', '- i53 1 53', '- i51 1 51'])
  t.same(listed([], new Set()), [])
})

t.test('the time until which silences hold an incident', async (t) => {
  const hold = (kind: string, until: string | null) => ({ kind, id, until })
  const held = (...held_by: object[]) => ({ held_by }) as Pick<Incident, 'held_by'>
  const now = Date.parse('2026-11-22T10:00:00.000Z')
  const [before, soon, later] = ['2026-11-22T09:59:00.000Z', '2026-11-22T10:30:00.000Z', '2026-11-23T10:00:00.000Z']
  t.equal(silencedUntil(held(), now), null)
  t.equal(silencedUntil(held(hold('rule', null), hold('storm', later)), now), null, 'another hold is no silence')
  t.equal(silencedUntil(held(hold('silence', before)), now), null, 'one that has ended')
  t.equal(silencedUntil(held(hold('silence', later), hold('matcher_silence', soon)), now), later, 'the last one counts')
})

const id = '01a20272-ee96-7aa6-8441-9de640a5629c'

t.test('addresses of the incident list and their API queries', async (t) => {
  const cases: [address: Record<string, string>, question: object][] = [
    [{}, { status: ['ongoing'] }],
    [{ status: 'triggered' }, { dashboard_state: ['Triggered'], silenced: false }],
    [{ status: 'silenced' }, { dashboard_state: ['Triggered'], silenced: true }],
    [{ status: 'acknowledged' }, { dashboard_state: ['Acknowledged'] }],
    [{ status: 'resolved' }, { status: ['resolved'] }],
    [{ status: 'all' }, {}],
    [{ status: 'melted', severity: 'loud', page: '-1', from: 'yesterday', monitor_id: 'mine' }, { status: ['ongoing'] }],
    [{ status: 'all', severity: 'info,critical' }, { severity: ['critical', 'info'] }],
    [
      { status: 'all', q: 'disk', page: '3' },
      { q: 'disk', page: 3 }
    ],
    [{ status: 'all', q: 'd' }, {}],
    [{ status: 'all', monitor_id: id.toUpperCase() }, { monitor_id: [id] }],
    [{ status: 'all', heartbeat_id: id }, { heartbeat_id: [id] }],
    [{ status: 'all', integration_id: id }, { integration_id: [id] }],
    [{ status: 'all', team_id: id.toUpperCase() }, { team_id: [id] }],
    [{ status: 'all', team_id: 'ours' }, {}],
    [{ status: 'all', mine: 'true' }, { mine: true }],
    [{ status: 'all', mine: 'no' }, {}],
    [{ status: 'all', assignee: 'nobody' }, { assigned: false }],
    [{ status: 'all', assignee: id }, { assignee_id: [id] }],
    [{ status: 'all', source_kind: 'monitor' }, { source_kind: ['monitor'] }],
    [{ status: 'all', source_kind: 'moon' }, {}],
    [{ status: 'all', label: ' team = payments, EU ' }, { 'label.team': 'payments, EU' }],
    [{ status: 'all', label: 'team' }, {}],
    [{ status: 'all', label: '=x' }, {}],
    [{ status: 'all', sort: 'worst' }, { sort: '-severity' }],
    [{ status: 'all', declare: 'yes' }, {}]
  ]
  for (const [address, question] of cases) t.same(toQuery(incidentsSearch(address)), { ...question, per_page: 50 }, JSON.stringify(address))
})

t.test('a date range covers whole days of the person, including both ends', async (t) => {
  const { from, to } = toQuery(incidentsSearch({ from: '2026-11-20', to: '2026-11-22' }))
  t.equal(from, new Date(2026, 10, 20).toISOString())
  t.equal(to, new Date(2026, 10, 23).toISOString())
})

t.test('status, page and order alone do not narrow the list', async (t) => {
  t.equal(isNarrowed(incidentsSearch({ status: 'resolved', page: '2' })), false)
  t.equal(isNarrowed(incidentsSearch({ sort: 'worst', declare: 'yes' })), false)
  t.equal(isNarrowed(incidentsSearch({ q: 'disk' })), true)
  t.equal(isNarrowed(incidentsSearch({ mine: 'true' })), true)
})

t.test('a narrowed list shows how many incidents match', async (t) => {
  const cases: [shown: Parameters<typeof countOf>[0], words: string | null][] = [
    [{ status: undefined, narrowed: false, total: 3 }, null],
    [{ status: 'triggered', narrowed: false, total: 3 }, null],
    [{ status: undefined, narrowed: true, total: 3 }, '3 incidents match'],
    [{ status: 'resolved', narrowed: true, total: 1 }, '1 incident matches'],
    [{ status: 'all', narrowed: true, total: 0 }, '0 incidents match'],
    [{ status: 'resolved', narrowed: false, total: 12 }, '12 resolved incidents'],
    [{ status: 'all', narrowed: false, total: 1 }, '1 incident in all'],
    [{ status: 'all', narrowed: false, total: 0 }, null]
  ]
  for (const [shown, words] of cases) t.equal(countOf(shown), words, JSON.stringify(shown))
})

t.test('the export has the filters of the list, whatever its page', async (t) => {
  t.equal(
    addressOfExport(incidentsSearch({ status: 'triggered', severity: 'critical,info', label: 'team=a b', page: '3' })),
    '/api/v1/incidents?format=csv&dashboard_state=Triggered&silenced=false&severity=critical%2Cinfo&label.team=a+b'
  )
})

t.test('undo steps restore the state before an action', async (t) => {
  const now = Date.parse('2026-11-22T10:00:00.000Z')
  const incident = (of: string, more: Partial<Incident> = {}): Incident =>
    ({ id: of, dashboard_state: 'Triggered', assignee_id: null, silenced_until: null, ...more }) as Incident
  const waits = incident('a')
  const taken = incident('b', { dashboard_state: 'Acknowledged', assignee_id: 'kim' })
  const quiet = incident('c', { silenced_until: '2026-11-22T10:09:30.000Z' })
  const wasQuiet = incident('d', { silenced_until: '2026-11-22T09:00:00.000Z' })
  const cases: [done: Done, steps: object[]][] = [
    [{ action: 'acknowledge', before: [waits, taken] }, [{ bulk: { ids: ['a'], action: 'unacknowledge' } }]],
    [{ action: 'acknowledge', before: [taken] }, []],
    [
      { action: 'assign', before: [waits, taken, quiet] },
      [{ bulk: { ids: ['a', 'c'], action: 'assign', user_id: null } }, { bulk: { ids: ['b'], action: 'assign', user_id: 'kim' } }]
    ],
    [
      { action: 'take', before: [waits] },
      [{ bulk: { ids: ['a'], action: 'assign', user_id: null } }, { bulk: { ids: ['a'], action: 'unacknowledge' } }]
    ],
    [
      { action: 'silence', before: [waits, quiet, wasQuiet] },
      [{ bulk: { ids: ['a', 'd'], action: 'unsilence' } }, { bulk: { ids: ['c'], action: 'silence', duration_minutes: 10 } }]
    ],
    [
      { action: 'edit', before: [incident('a', { title: 'Old', tags: ['x'] })], sent: { title: 'New', tags: [] } },
      [{ edit: { title: 'Old', tags: ['x'] }, id: 'a' }]
    ],
    [{ action: 'edit', before: [waits], sent: {} }, []]
  ]
  for (const [done, steps] of cases) t.same(undoSteps(done, now), steps, JSON.stringify(done))
})

t.test('items of the timeline in a sentence', async (t) => {
  const names: Record<string, string> = {
    'user:1': 'You',
    'user:2': 'Kim',
    'integration:1': 'Prometheus',
    'system:timer': 'The timer',
    'system:monitor': 'The monitor'
  }
  const wording = { nameOf: (actor: string) => names[actor] ?? actor, timeOf: (at: string) => at.slice(11, 16) }
  const cases: [type: string, actor: string, data: Record<string, unknown>, sentence: string, said: string | null][] = [
    ['opened', 'integration:1', { title: 'Disk full' }, 'Prometheus reported this incident', null],
    ['opened', 'user:2', { title: 'Payments fail' }, 'Kim declared this incident', null],
    [
      'reopened',
      'system:monitor',
      {},
      'The monitor reported this incident again, because the problem was still there after it had been ended',
      null
    ],
    ['acknowledged', 'user:1', { comment: 'On it' }, 'You acknowledged the incident', 'On it'],
    ['comment', 'integration:1', { comment: 'Seen by the pager' }, 'Prometheus commented', 'Seen by the pager'],
    ['comment', 'user:2', { comment_id: 'c', deleted: true }, 'Kim commented. The comment was deleted', null],
    ['comment_deleted', 'user:1', { comment_id: 'c' }, 'You deleted a comment', null],
    ['silenced', 'user:1', { until: '2026-11-22T10:45:00.000Z', reason: 'loud' }, 'You silenced the incident until 10:45', 'loud'],
    ['unsilenced', 'system:timer', {}, 'The silence ended', null],
    ['unsilenced', 'user:2', {}, 'Kim ended the silence', null],
    ['assigned', 'user:2', { assignee_id: '2' }, 'Kim took the incident', null],
    ['assigned', 'user:2', { assignee_id: '1' }, 'Kim assigned the incident to you', null],
    ['assigned', 'user:1', { assignee_id: null }, 'You unassigned the incident', null],
    ['severity_changed', 'integration:1', { severity: 'critical' }, 'Prometheus raised the severity to critical', null],
    ['updated', 'integration:1', { title: 'Disk fuller' }, 'Prometheus changed the title to “Disk fuller”', null],
    [
      'updated',
      'integration:1',
      { original_title: 'Disk fuller', summary: '1 %' },
      'Prometheus changed its own title to “Disk fuller” and the summary',
      null
    ],
    ['updated', 'integration:1', { summary: '1 %' }, 'Prometheus changed the summary', null],
    ['severity_changed', 'user:2', { severity: 'info' }, 'Kim set the severity to info', null],
    ['updated', 'user:1', { is_major: true }, 'You changed whether it is major', null],
    ['updated', 'user:1', { title: 'Slow', labels: {}, links: [] }, 'You changed the title to “Slow”, the labels and the links', null],
    ['unacknowledged', 'user:1', { reason: 'My shift ends' }, 'You took back the acknowledgement', 'My shift ends'],
    ['recovered', 'system:monitor', {}, 'The monitor reported the recovery, so the incident was resolved', null],
    ['resolved', 'user:1', { note: 'Deleted logs' }, 'You resolved the incident', 'Deleted logs'],
    ['closed', 'user:2', {}, 'Kim closed the incident manually', null],
    [
      'escalated',
      'system:timer',
      { outcome: 'fired', run: 1, cycle: 0, step: 0, user_ids: ['2'], channel_ids: [] },
      'Step 1 asked Kim',
      null
    ],
    [
      'escalated',
      'system:timer',
      { outcome: 'fired', run: 1, cycle: 1, step: 1, user_ids: ['2', '1'], channel_ids: ['c', 'd'] },
      'Step 2, round 2, asked Kim, you and 2 channels',
      null
    ],
    [
      'escalated',
      'system:timer',
      { outcome: 'empty', run: 1, cycle: 0, step: 2, user_ids: [], channel_ids: [] },
      'Step 3 reached nobody',
      null
    ],
    [
      'escalated',
      'system:timer',
      { outcome: 'exhausted', run: 1, cycle: 1, step: 0, user_ids: [], channel_ids: [] },
      'The escalation ended: everybody was asked, and nobody took it',
      null
    ],
    [
      'escalated',
      'user:1',
      { outcome: 'fired', run: null, cycle: null, step: null, user_ids: ['2'], channel_ids: ['c'], message: 'Help' },
      'You manually asked Kim and 1 channel',
      'Help'
    ],
    [
      'escalated',
      'user:2',
      { outcome: 'empty', run: null, cycle: null, step: 1, user_ids: [], channel_ids: [] },
      'Kim asked manually, and it reached nobody',
      null
    ],
    ['escalation_step', 'system:timer', {}, 'The timer: escalation step', null]
  ]
  for (const [type, actor, data, sentence, said] of cases) {
    const item: TimelineItem = {
      ...{ id, ver: 1, at: '2026-11-22T10:00:00.000Z', type, actor, actor_name: null, data, config_versions: {} },
      ...{ via: 'ui', app: null }
    }
    t.equal(sentenceOf(item, wording), sentence)
    t.equal(saidWith(item), said)
  }
  t.equal(versionsInWords({ monitor: 3, routing: 1 }), 'monitor version 3, routing version 1')
})

t.test('the outcome of a bulk action in words', async (t) => {
  const failed = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `id-${at}`, code: 'INCIDENT_RESOLVED', error: 'is resolved' }))
  const keyOf = (id: string): string => id.replace('id-', 'INC-')
  const cases: [changed: number, failed: number, words: string][] = [
    [3, 0, '3 changed'],
    [3, 1, '3 changed, 1 not: INC-0 (is resolved)'],
    [0, 2, 'None changed: INC-0 (is resolved), INC-1 (is resolved)'],
    [1, 6, `1 changed, 6 not: ${[0, 1, 2, 3, 4].map((at) => `INC-${at} (is resolved)`).join(', ')}, …`]
  ]
  for (const [changed, refused, words] of cases)
    t.equal(outcomeInWords({ changed: Array.from({ length: changed }, () => id), failed: failed(refused) }, keyOf), words)
})

t.test('the app or channel through which somebody acted, in words', async (t) => {
  const words = { nameOf: () => 'Ada', timeOf: (at: string) => at }
  const said = (via: string | null, app: string | null = null): string =>
    sentenceOf({ type: 'acknowledged', actor: 'user:ada', data: {}, via, app } as unknown as TimelineItem, words)
  const cases: [via: string | null, app: string | null, sentence: string][] = [
    ['ui', null, 'Ada acknowledged the incident'],
    [null, null, 'Ada acknowledged the incident'],
    ['chat', 'slack', 'Ada acknowledged the incident from Slack'],
    ['chat', 'discord', 'Ada acknowledged the incident from Discord'],
    ['chat', 'telegram', 'Ada acknowledged the incident from Telegram'],
    ['chat', null, 'Ada acknowledged the incident from a chat'],
    ['sms', null, 'Ada acknowledged the incident by text message'],
    ['voice', null, 'Ada acknowledged the incident by phone'],
    ['mail', null, 'Ada acknowledged the incident with a link in an e-mail'],
    ['api', null, 'Ada acknowledged the incident through the API'],
    ['mcp', null, 'Ada acknowledged the incident through the API']
  ]
  for (const [via, app, sentence] of cases) t.equal(said(via, app), sentence)
})

t.test('the merge of an incident in words', async (t) => {
  const item = (data: TimelineItem['data']): TimelineItem =>
    ({ id, ver: 2, at: '2026-03-01T12:00:00.000Z', type: 'merged', actor: 'user:ada', data, config_versions: {} }) as TimelineItem
  const words = { nameOf: () => 'Ada', timeOf: (at: string) => at }
  t.equal(sentenceOf(item({ into_id: id, key: 'INC-7' }), words), 'Ada merged this incident into INC-7')
  t.equal(sentenceOf(item({ from_id: id, key: 'INC-8', alerts: 2 }), words), 'Ada merged INC-8 into this incident')
  t.equal(
    sentenceOf(item({ into_id: null, key: null }), words),
    'Ada merged this incident into another incident',
    'one that is hidden is not named'
  )
})

t.test('a postmortem is sent as it was written', async (t) => {
  const incident = { title: 'Shop is down', started_at: 'noon', resolved_at: null, affected_regions: ['eu', 'us'] } as unknown as Incident
  const begun = templateOf(incident, (at) => `at ${at}`)
  t.match(begun.impact, /^\*\*Shop is down\*\*, from at noon until now\.\nRegions: eu, us\.\n/)
  const written = { ...begun, impact: 'None', action_items: [noItem, { ...noItem, title: ' Alert on it ', due_on: '2026-04-01' }] }
  const body = bodyOf(written, 'draft')
  t.match(body, { status: 'draft', impact: 'None', lessons: begun.lessons })
  t.same(
    body.action_items,
    [{ title: 'Alert on it', owner_id: null, due_on: '2026-04-01', done: false, link: null }],
    'an empty item is none'
  )
  const stored = { ...body, action_items: (body.action_items ?? []).map((one) => ({ ...one, owner_name: null })) } as unknown as Postmortem
  t.same(bodyOf(valuesOf(stored), 'draft'), body, 'and what was stored is sent again as it was')
})

t.test('the state and next step of an escalation in words', async (t) => {
  const now = Date.parse('2026-11-22T10:00:00.000Z')
  const none = { state: 'none', step: null, cycle: null, next_at: null, hold_reason: null } as const
  const running = { ...none, state: 'running', step: 1, cycle: 0 } as const
  const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString()
  t.equal(stateInWords(none), null)
  t.equal(stateInWords(running), 'Running: people are asked until somebody has it')
  t.equal(
    stateInWords({ ...none, state: 'held', hold_reason: 'silence' }),
    `On hold: nobody is asked until this ends: ${incidentsText('held.silence')}`
  )
  t.equal(stateInWords({ ...none, state: 'held' }), 'On hold: nobody is asked for now')
  t.equal(stateInWords({ ...none, state: 'paused' }), 'Paused: somebody has it')
  t.equal(stateInWords({ ...none, state: 'exhausted' }), 'Finished: everybody was asked, and nobody took it')
  t.equal(nextInWords({ ...running, next_at: at(151) }, now), 'Step 2 is next in 2:31')
  t.equal(nextInWords({ ...running, cycle: 1, next_at: at(3_725) }, now), 'Step 2, round 2, is next in 1:02:05')
  t.equal(nextInWords({ ...running, next_at: at(-1) }, now), 'Step 2 is due now')
  t.equal(nextInWords({ ...running, state: 'paused', next_at: at(5) }, now), null)
})

t.test('the cause of an incident names regions by their labels', async (t) => {
  const monitor = (region: string | null) => ({
    prober_region_labels: { 'loc-a8f0q2m1z7xk': 'Office Berlin' },
    last_failure: { at: '2026-11-22T10:00:00Z', region, message: null, reason: 'timeout' as const, http_status: null }
  })
  t.equal(failureInWords(monitor('loc-a8f0q2m1z7xk'), 'now'), 'Last failure now in Office Berlin: timeout')
  t.equal(failureInWords(monitor('eu-1'), 'now'), 'Last failure now in eu-1: timeout', 'one without a label')
  t.equal(failureInWords(monitor(null), 'now'), 'Last failure now: timeout')
  t.equal(failureInWords({ ...monitor(null), last_failure: null }, 'now'), '')
  t.equal(regionsInWords(['eu-1', 'loc-a8f0q2m1z7xk'], monitor(null)), 'eu-1, Office Berlin')
  t.equal(regionsInWords(['eu-1', 'loc-a8f0q2m1z7xk'], undefined), 'eu-1, loc-a8f0q2m1z7xk', 'the monitor was deleted')
})
