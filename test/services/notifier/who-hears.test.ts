/** Table of who is notified of what about an incident. */
import t from 'tap'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { type Hearing, reminderIntents, remindersAfter, whoHears } from '../../../services/notifier/who-hears.ts'
import type { Heard, MergedSource, TellingChannel } from '../../../services/store/tellings.ts'
import { NIL, record } from '../../harness/records.ts'

const NOW = 1_000_000_000_000
const C1 = 'c1000000-0000-4000-8000-000000000000'
const C2 = 'c2000000-0000-4000-8000-000000000000'
const TEAM = 'a1000000-0000-4000-8000-000000000000'

const channel = (over: Partial<TellingChannel> = {}): TellingChannel => ({
  channel_id: C1,
  kind: 'webhook',
  is_default: true,
  events: ['down', 'up', 'acknowledged'],
  min_severity: 'info',
  team_id: null,
  allowed_team_ids: [],
  works: true,
  ...over
})
const heard = (over: Partial<Heard> = {}): Heard => ({
  target_id: C1,
  channel_id: C1,
  user_id: null,
  method_id: null,
  kind: 'webhook',
  event: 'down',
  counts: true,
  ...over
})
const ongoing = { incident_id: NIL, ver: 1, status: 'ongoing', severity: 'critical', source_kind: 'inbound', title: 'disk' } as const
const over = { ...ongoing, status: 'resolved', ver: 2, resolved_at: NOW, resolution_reason: 'recovered' } as const
type Over = Partial<Omit<Hearing, 'incident'>> & { incident?: object }
const hear = ({ incident = ongoing, ...more }: Over) =>
  whoHears({
    incident: record('Incident', incident),
    isPrivate: false,
    changes: [{ ver: 1, change: 'created' }],
    channels: [channel()],
    heard: [],
    remind_seconds: null,
    telling: { told_ver: 0, failing: null, held: false, severity: null },
    ruleChannels: null,
    holds: [],
    merged: [],
    keepers: new Set(['pagerduty']),
    now: NOW,
    uuidv5,
    ...more
  })
const brief = (given: Over) =>
  hear(given).intents.map(({ event, target, suppressed_by }) => [
    event,
    'channel_id' in target ? target.channel_id : target.user_id,
    suppressed_by
  ])
const told = { told_ver: 1, failing: 'down', held: false, severity: 'critical' } as const
const resolved = { incident: over, changes: [{ ver: 2, change: 'resolved' as const }], telling: told }
const silence = { kind: 'silence' as const, id: 'x', until: null }
const acknowledged = {
  incident: { ...ongoing, acknowledged_at: NOW },
  changes: [{ ver: 2, change: 'acknowledged' as const }],
  telling: told,
  heard: [heard()],
  channels: [channel({ kind: 'pagerduty' })]
}

t.test('recipients of each change of an incident', async (t) => {
  const cases: [string, Over, unknown[]][] = [
    ['a default channel', {}, [['down', C1, null]]],
    ['not one that is for rules only', { channels: [channel({ is_default: false })] }, []],
    [
      'the channels of the rules instead',
      { channels: [channel(), channel({ channel_id: C2, is_default: false })], ruleChannels: [C2] },
      [['down', C2, null]]
    ],
    ['no channel where the rules name none', { ruleChannels: [] }, []],
    ['not below its severity', { incident: { ...ongoing, severity: 'warning' }, channels: [channel({ min_severity: 'critical' })] }, []],
    ['not what it does not want', { channels: [channel({ events: ['up'] })] }, []],
    ['not twice: a step of its policy was faster', { heard: [heard()] }, []],
    ['a channel that is off', { channels: [channel({ works: false })] }, [['down', C1, 'disabled']]],
    [
      'another channel of a private incident',
      { incident: { ...ongoing, team_id: TEAM, visibility: 'private' }, isPrivate: true },
      [['down', C1, 'not_visible']]
    ],
    [
      'the team’s own',
      { incident: { ...ongoing, team_id: TEAM, visibility: 'private' }, isPrivate: true, channels: [channel({ team_id: TEAM })] },
      [['down', C1, null]]
    ],
    [
      'one that its lead allowed',
      {
        incident: { ...ongoing, team_id: TEAM, visibility: 'private' },
        isPrivate: true,
        channels: [channel({ allowed_team_ids: [TEAM] })]
      },
      [['down', C1, null]]
    ],
    ['held', { holds: [silence] }, [['down', C1, 'silence']]],
    ['held, and nothing new', { holds: [silence], changes: [], telling: { ...told, held: true } }, []],
    ['the last hold has ended', { changes: [], telling: { ...told, held: true } }, [['down', C1, null]]],
    ['told already', { changes: [], telling: told }, []],
    [
      'degraded',
      { incident: { ...ongoing, source_kind: 'monitor', title: 'x is degraded' }, channels: [channel({ events: ['degraded'] })] },
      [['degraded', C1, null]]
    ],
    [
      'degraded before, down now',
      {
        incident: { ...ongoing, source_kind: 'monitor', title: 'x is down' },
        changes: [{ ver: 2, change: 'updated' }],
        telling: { ...told, failing: 'degraded' },
        heard: [heard({ event: 'degraded' })]
      },
      [['down', C1, null]]
    ],
    [
      'acknowledged: who heard of it',
      { incident: { ...ongoing, acknowledged_at: NOW }, changes: [{ ver: 2, change: 'acknowledged' }], telling: told, heard: [heard()] },
      [['acknowledged', C1, null]]
    ],
    [
      'acknowledged: not who did not',
      { incident: { ...ongoing, acknowledged_at: NOW }, changes: [{ ver: 2, change: 'acknowledged' }], telling: told },
      []
    ],
    [
      'acknowledged before it was told',
      { incident: { ...ongoing, acknowledged_at: NOW } },
      [
        ['down', C1, null],
        ['acknowledged', C1, null]
      ]
    ],
    [
      'acknowledged while it was held, and held no more',
      { incident: { ...ongoing, acknowledged_at: NOW }, changes: [], telling: { ...told, held: true } },
      [
        ['down', C1, null],
        ['acknowledged', C1, null]
      ]
    ],
    ['acknowledged and held', { incident: { ...ongoing, acknowledged_at: NOW }, holds: [silence] }, [['down', C1, 'silence']]],
    [
      'acknowledged and held: a chat that heard of it before',
      { ...acknowledged, channels: [channel({ kind: 'slack' })], holds: [silence] },
      [['acknowledged', C1, 'silence']]
    ],
    ['acknowledged and silenced: a pager that heard of it before', { ...acknowledged, holds: [silence] }, [['acknowledged', C1, null]]],
    ['acknowledged while it flaps', { ...acknowledged, holds: [{ kind: 'flap', id: NIL, until: null }] }, [['acknowledged', C1, null]]],
    [
      'acknowledged after its severity fell: a pager for critical incidents',
      {
        ...acknowledged,
        incident: { ...ongoing, acknowledged_at: NOW, severity: 'warning' },
        channels: [channel({ kind: 'pagerduty', min_severity: 'critical' }), channel({ channel_id: C2, min_severity: 'critical' })],
        heard: [heard(), heard({ target_id: C2, channel_id: C2 })]
      },
      [['acknowledged', C1, null]]
    ],
    [
      'acknowledged and held: not a pager that heard nothing, that is off or that wants no acknowledgements',
      {
        ...acknowledged,
        channels: [
          channel({ kind: 'pagerduty', works: false }),
          channel({ kind: 'pagerduty', channel_id: C2 }),
          channel({ kind: 'pagerduty', channel_id: TEAM, events: ['down', 'up'] })
        ],
        heard: [heard(), heard({ target_id: TEAM, channel_id: TEAM })],
        holds: [silence]
      },
      [['acknowledged', C1, 'disabled']]
    ],
    ['over: who heard of it, whatever holds', { ...resolved, heard: [heard()], holds: [silence], channels: [] }, [['up', C1, null]]],
    ['over: not who did not', resolved, []],
    ['over: not whose failure was suppressed', { ...resolved, heard: [heard({ counts: false })] }, []],
    [
      'over before it was told: both are made',
      { ...resolved, telling: { told_ver: 0, failing: null, held: false, severity: null } },
      [
        ['down', C1, null],
        ['up', C1, null]
      ]
    ],
    ['over while it was held: neither', { ...resolved, telling: { ...told, held: true } }, []],
    [
      'over before it was told, held',
      { ...resolved, telling: { told_ver: 0, failing: null, held: false, severity: null }, holds: [silence] },
      [['down', C1, 'silence']]
    ],
    ['merged into another: no end', { ...resolved, incident: { ...over, resolution_reason: 'merged' }, heard: [heard()] }, []],
    [
      'a person by their method',
      { ...resolved, heard: [heard({ target_id: C2, channel_id: null, user_id: NIL, method_id: C2, kind: 'sms' })] },
      [['up', NIL, null]]
    ],
    [
      'who was called gets a text message of the end',
      { ...resolved, heard: [heard({ target_id: C2, channel_id: null, user_id: NIL, method_id: C2, kind: 'voice', number: '+1' })] },
      [['up', NIL, null]]
    ],
    [
      'and but one, where the number was called and texted',
      {
        ...resolved,
        heard: [
          heard({ target_id: C1, channel_id: null, user_id: NIL, method_id: C1, kind: 'sms', number: '+1' }),
          heard({ target_id: C2, channel_id: null, user_id: NIL, method_id: C2, kind: 'voice', number: '+1' })
        ]
      },
      [['up', NIL, null]]
    ]
  ]
  for (const [name, given, expected] of cases) t.same(brief(given), expected, name)
})

t.test('a repeated decision makes the same intents', async (t) => {
  t.same(hear({}).intents, hear({}).intents)
  t.not(hear({}).intents[0]?.intent_id, hear({ holds: [silence] }).intents[0]?.intent_id, 'held and told are two')
})

t.test('a decision records how far people have been notified', async (t) => {
  t.same(hear({}).telling, { told_ver: 1, failing: 'down', held: false, severity: 'critical' })
  t.same(hear({ holds: [silence] }).telling, { told_ver: 1, failing: 'down', held: true, severity: 'critical' })
  t.same(hear({ changes: [], telling: { ...told, held: true } }).telling, told)
})

const sourceHeardBy = (...heard: Heard[]): MergedSource => ({
  ...{ incident_id: '5e000000-0000-4000-8000-000000000001', ver: 4, team_id: null, visibility: 'org', notify_resolved: true },
  heard
})

t.test('an incident that gets worse is told to the channels that its severity was too low for', async (t) => {
  const channels = [channel(), channel({ channel_id: C2, min_severity: 'critical' })]
  const warned = { ...told, severity: 'warning' } as const
  const worse = { channels, telling: warned, heard: [heard()], changes: [{ ver: 2, change: 'updated' as const }] }
  t.same(brief(worse), [['down', C2, null]], 'not to whoever heard of it')
  t.match(hear(worse), { telling: { severity: 'critical', failing: 'down', held: false }, feed: [] })
  t.same(brief({ ...worse, changes: [] }), [['down', C2, null]], 'also when a hold or an acknowledgement has ended')
  const silent: [string, Over][] = [
    ['told once', { ...worse, telling: told }],
    ['an escalation step has told it', { ...worse, heard: [heard(), heard({ target_id: C2, channel_id: C2 })] }],
    ['not what an older version told', { ...worse, telling: { ...told, severity: null } }],
    ['not a channel that is new', { ...worse, channels: [channel(), channel({ channel_id: C2 })] }],
    ['not while it is held', { ...worse, holds: [silence] }],
    ['not while it is acknowledged', { ...worse, incident: { ...ongoing, acknowledged_at: NOW } }],
    ['not what is over', { ...worse, incident: over, heard: [] }],
    ['not who was told of what was merged into it', { ...worse, merged: [sourceHeardBy(heard({ target_id: C2, channel_id: C2 }))] }]
  ]
  for (const [name, given] of silent) t.same(brief(given), [], name)
  for (const change of ['merged', 'updated'] as const)
    t.same(
      brief({ ...worse, changes: [{ ver: 2, change }], merged: [sourceHeardBy(heard({ target_id: C2, channel_id: C2, counts: false }))] }),
      [['down', C2, null]],
      `by a merge or after one, who did not hear of the other: ${change}`
    )
  for (const given of [{ holds: [silence] }, { incident: { ...ongoing, acknowledged_at: NOW } }])
    t.match(hear({ ...worse, ...given }).telling, { severity: 'warning' }, 'it is told later')
})

t.test('recipients of reminders', async (t) => {
  const said = { title: 'Still so: disk', body: '', path: '/', workspace: { name: 'Acme', slug: 'acme' } }
  const remind = (given: Partial<Hearing>) =>
    reminderIntents(
      {
        incident: record('Incident', ongoing),
        isPrivate: false,
        channels: [channel({ kind: 'ntfy' })],
        heard: [heard()],
        remind_seconds: 300,
        now: NOW,
        uuidv5,
        ...given
      },
      said,
      { nth: 2, expires_at: NOW + 300_000 }
    )
  const [told, ...others] = remind({})
  t.same(others, [])
  t.match(told, { event: 'reminder', suppressed_by: null, expires_at: NOW + 300_000, said, why: { by: 'told_before', nth: 2 } })
  t.same(remind({ heard: [] }), [], 'not who was not told of the failure')
  t.same(remind({ heard: [heard({ counts: false })] }), [], 'nor from whom it was held back')
  t.same(remind({ channels: [channel({ events: ['up'] })] }), [], 'nor who wants no failures any more')
  t.match(remind({ channels: [channel({ works: false })] }), [{ suppressed_by: 'disabled' }])
  t.match(remind({ isPrivate: true }), [{ suppressed_by: 'not_visible' }])
})

t.test('reminders start with a notified failure, not with a held or ended one', async (t) => {
  const facts = { incident: record('Incident', ongoing), remind_seconds: 300, now: NOW }
  t.match(remindersAfter(facts, told), [
    { start: 'incident_remind', run_at: NOW + 300_000, payload: { incident_id: NIL, every_seconds: 300, nth: 1 } }
  ])
  t.same(remindersAfter({ ...facts, remind_seconds: null }, told), [], 'where the monitor reminds')
  t.same(remindersAfter(facts, { ...told, held: true }), [], 'not of what is held')
  t.same(remindersAfter({ ...facts, incident: record('Incident', over) }, told), [], 'nor of what is over')
})

t.test('the end of an incident goes to those who heard of what was merged into it', async (t) => {
  const SOURCE = '5e000000-0000-4000-8000-000000000000'
  const source = (over: Partial<MergedSource> = {}): MergedSource => ({
    ...{ incident_id: SOURCE, ver: 4, team_id: TEAM, visibility: 'org', notify_resolved: true },
    heard: [heard({ target_id: C2, channel_id: C2, kind: 'ntfy' })],
    ...over
  })
  const ends = (merged: MergedSource[], more: Over = {}) =>
    hear({ ...resolved, merged, ...more }).intents.map(({ incident_id, target, suppressed_by }) => [
      incident_id === SOURCE ? 'the source' : 'itself',
      'channel_id' in target ? target.channel_id : target.user_id,
      suppressed_by
    ])
  t.same(ends([source()]), [['itself', C2, null]], 'a message is about the incident that goes on')
  t.same(ends([source(), source()], { heard: [heard({ target_id: C2, channel_id: C2 })] }), [['itself', C2, null]], 'one for each target')
  const pager = [heard({ kind: 'pagerduty' }), heard({ kind: 'pagerduty', event: 'degraded' })]
  t.same(ends([source({ heard: pager })], { heard: [heard({ kind: 'pagerduty' })] }), [
    ['itself', C1, null],
    ['the source', C1, null]
  ])
  t.same(
    ends([source({ heard: pager, notify_resolved: false })]),
    [['the source', C1, 'rule']],
    'the rule of the source decides about its own'
  )
  t.same(ends([source({ heard: [heard({ counts: false })] })]), [], 'not to whom it was held back from')
  const away = { ...over, resolution_reason: 'merged' }
  const merged = { incident: away, changes: [{ ver: 2, change: 'merged' as const }] }
  t.same(ends([source()], merged), [], 'not while it goes on in another')
  t.same(hear({ ...resolved, ...merged }).feed, [], 'and the feed does not say that it is over')
  t.match(hear(resolved).feed, [{ type: 'recovered' }])
})
