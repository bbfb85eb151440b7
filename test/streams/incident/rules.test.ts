/**
 * Tests the life of an incident, one sentence a row. The first table walks through
 * docs/design/specification.md#s3-1 and the rules around it; the tables below test what an incident
 * carries and what a command may say.
 */
import t from 'tap'
import type { Incident } from '../../../schemas/generated/events.ts'
import { type Command, dashboardState, endsIncident, reduceIncident, type Signal, type Step } from '../../../streams/incident/rules.ts'
import { context, declaration, frozen, id, manual_key, signal, T0, tenant_id, user_id } from './build.ts'

const MINUTE = 60_000
const by = `user:${user_id}`
const token = `token:${id('token')}`
const now = T0 + 10 * MINUTE

const acknowledge = (comment: string | null = null): Command => ({ command: 'acknowledge', by, comment })
const resolve = (over: Partial<Extract<Command, { command: 'resolve' }>> = {}): Command => ({
  command: 'resolve',
  by,
  note: null,
  until_recovered: true,
  ...over
})
const close = (note: string | null = null): Command => ({ command: 'close', by, note, user_id })
const silence = (minutes: number, reason: string | null = null): Command => ({
  command: 'silence',
  by,
  until: now + minutes * MINUTE,
  reason
})
const unsilence: Command = { command: 'unsilence', by }
const comment: Command = { command: 'comment', by, comment_id: id('comment') }
const deleteComment: Command = { command: 'delete_comment', by, comment_id: id('comment') }
const assign = (user_id: string | null): Command => ({ command: 'assign', by, user_id })
const unacknowledge = (reason: string | null = null): Command => ({ command: 'unacknowledge', by, reason })
const edit = (edits: Extract<Command, { command: 'edit' }>['edits']): Command => ({ command: 'edit', by, edits })
const silenceEnd = (until: number): Command => ({ command: 'silence_end', by: 'system:silence', until })

function after(incident: Incident | null, input: Signal | Command, at: number): Incident {
  const step = reduceIncident(incident, input, context(at))
  if (!step.incident || step.refused) throw new Error('the incident to start from could not be made')
  return frozen(step.incident)
}
const ongoing = after(null, signal('fire'), T0 + 200)
const acknowledged = after(ongoing, acknowledge(), T0 + MINUTE)
const silenced = after(ongoing, { command: 'silence', by, until: now + 5 * MINUTE, reason: null }, T0 + MINUTE)
const recovered = after(ongoing, signal('resolve', { occurred_at: T0 + MINUTE }), T0 + MINUTE)
const resolved = after(ongoing, resolve(), T0 + MINUTE)
const closed = after(ongoing, close(), T0 + MINUTE)
const assigned = after(ongoing, assign(user_id), T0 + MINUTE)
const declared = after(null, declaration(T0), T0)
const renamed = after(ongoing, edit({ title: 'Mine' }), T0 + MINUTE)
const closedLater = after(resolved, close(), T0 + 2 * MINUTE)

// Patterns that name what matters.
const isNew = { status: 'ongoing', acknowledged_at: null, ver: 1, opened_at: now, resolved_at: null }
const isAcknowledged = { status: 'ongoing', acknowledged_at: now, acknowledged_by: by }
const isSilenced = { status: 'ongoing', silenced_until: now + 30 * MINUTE, silenced_by: by }
const isUnsilenced = { status: 'ongoing', silenced_until: null, silenced_by: null }
const isResolved = {
  status: 'resolved',
  resolved_at: now,
  manually_closed_at: null,
  manually_closed_by: null,
  silenced_until: null,
  silenced_by: null
}
const isClosed = { status: 'resolved', manually_closed_at: now, manually_closed_by: user_id }
const bySignal = { ...isResolved, resolved_by: null, resolution_reason: 'recovered' }
const byPerson = { ...isResolved, resolved_by: by, resolution_reason: 'user' }

const told = (step: Step): string[] => step.events.map((event) => event.change)
const timers = (step: Step): string[] => step.jobs.map((job) => ('start' in job ? job.start : `-${job.cancel.split(':')[0]}`))

type Row = [name: string, before: Incident | null, input: Signal | Command, after: object | null, events: string[], jobs: string[]]
//  a case                                                     before        input                                       after               events            jobs
const cases: Row[] = [
  ['a first alert opens an incident, not acknowledged', null, signal('fire'), isNew, ['created'], []],
  ['a repeated alert is not news', ongoing, signal('fire'), ongoing, [], []],
  [
    'a worse repeat raises the severity',
    ongoing,
    signal('fire', { severity: 'critical' }),
    { severity: 'critical', ver: 2 },
    ['updated'],
    ['hold_end']
  ],
  [
    'what falls into a storm is held until its end',
    null,
    signal('fire', { storm: { until: now + 60_000, count: 31, threshold: 30 } }),
    { status: 'ongoing', storm_until: now + 60_000 },
    ['created'],
    ['storm_end']
  ],
  [
    'the end of its storm',
    { ...ongoing, storm_until: now },
    { command: 'storm_end', by: 'system:storm_end', until: now },
    { storm_until: null, ver: 2 },
    ['storm_ended'],
    []
  ],
  [
    'the end of another storm',
    { ...ongoing, storm_until: now + 1 },
    { command: 'storm_end', by: 'system:storm_end', until: now },
    { storm_until: now + 1, ver: 1 },
    [],
    []
  ],
  [
    'what ended in a storm keeps its mark',
    { ...resolved, storm_until: now },
    { command: 'storm_end', by: 'system:storm_end', until: now },
    { storm_until: now },
    [],
    []
  ],
  ['flapping begins', ongoing, signal('update', { title: '', flapping: true }), { flapping: true, ver: 2 }, ['flapping_on'], []],
  ['flapping goes on', { ...ongoing, flapping: true }, signal('fire', { flapping: true }), { flapping: true, ver: 1 }, [], []],
  ['flapping ends', { ...ongoing, flapping: true }, signal('fire'), { flapping: false, ver: 2 }, ['flapping_off'], ['hold_end']],
  [
    'flapping ends with the incident',
    { ...ongoing, flapping: true },
    signal('resolve'),
    { flapping: false, status: 'resolved' },
    ['resolved'],
    []
  ],
  ['it opens flapping', null, signal('fire', { flapping: true }), { flapping: true }, ['created'], []],
  ['a milder repeat never lowers it', ongoing, signal('fire', { severity: 'info' }), ongoing, [], []],
  [
    'a worse repeat leaves the acknowledgement',
    acknowledged,
    signal('fire', { severity: 'critical' }),
    { acknowledged_by: by },
    ['updated'],
    ['hold_end']
  ],
  [
    'an acknowledgement is taken back',
    acknowledged,
    unacknowledge(),
    { acknowledged_at: null, acknowledged_by: null },
    ['unacknowledged'],
    []
  ],
  ['what nobody has acknowledged stays so', ongoing, unacknowledge(), ongoing, [], []],
  [
    'an edit changes what it names',
    ongoing,
    edit({ is_major: true, priority: 'P1' }),
    { ver: 2, is_major: true, priority: 'P1' },
    ['updated'],
    []
  ],
  ['an edit of nothing is none', ongoing, edit({ title: ongoing.title, severity: ongoing.severity }), ongoing, [], []],
  ['a new title keeps the first', ongoing, edit({ title: 'Mine' }), { title: 'Mine', original_title: ongoing.title }, ['updated'], []],
  [
    'and the next one does, too',
    after(ongoing, edit({ title: 'Mine' }), T0),
    edit({ title: 'Ours' }),
    { original_title: ongoing.title },
    ['updated'],
    []
  ],
  ['a person may lower the severity', declared, edit({ severity: 'info' }), { severity: 'info' }, ['updated'], []],
  [
    'labels in another order are the same',
    after(ongoing, edit({ labels: { a: '1', b: '2' } }), T0),
    edit({ labels: { b: '2', a: '1' } }),
    { ver: 2 },
    [],
    []
  ],
  [
    'a resolved one can be edited',
    resolved,
    edit({ summary: 'It was the disk' }),
    { status: 'resolved', summary: 'It was the disk' },
    ['updated'],
    []
  ],
  ['a recovery resolves it', ongoing, signal('resolve'), bySignal, ['resolved'], []],
  ['a recovery resolves an acknowledged one', acknowledged, signal('resolve'), bySignal, ['resolved'], []],
  ['a recovery ends a silence with it', silenced, signal('resolve'), bySignal, ['resolved'], ['-silence_end']],
  ['a recovery creates nothing', null, signal('resolve'), null, [], []],
  ['a recovery leaves a resolved incident as it is', resolved, signal('resolve'), resolved, [], []],
  ['an alert after a recovery opens a new incident', recovered, signal('fire'), { ...isNew, reopened_from: null }, ['created'], []],
  ['a late recovery is recorded, not applied', ongoing, signal('resolve', { accepted_as: 'older' }), ongoing, [], []],
  ['a late alert opens nothing', null, signal('fire', { accepted_as: 'older' }), null, [], []],
  ['a late alert opens nothing after a recovery', recovered, signal('fire', { accepted_as: 'older' }), recovered, [], []],
  ['an exact repeat opens nothing', resolved, signal('fire', { accepted_as: 'repeat' }), resolved, [], []],
  [
    'an exact repeat does not raise the severity',
    ongoing,
    signal('fire', { accepted_as: 'repeat', severity: 'critical' }),
    ongoing,
    [],
    []
  ],
  ['a suppressed alert opens nothing', closed, signal('fire', { accepted_as: 'suppressed' }), closed, [], []],

  ['a note is kept with the incident', ongoing, signal('note', { summary: 'seen' }), { ver: 2, acknowledged_at: null }, ['comment'], []],
  ['one that says nothing is not', ongoing, signal('note', { summary: null }), ongoing, [], []],
  ['a note opens nothing', null, signal('note', { summary: 'seen' }), null, [], []],
  ['a note on a resolved incident goes nowhere', resolved, signal('note', { summary: 'seen' }), resolved, [], []],
  [
    'an update gives another title',
    ongoing,
    signal('update', { title: 'B', summary: null }),
    { ver: 2, title: 'B' },
    ['updated'],
    ['hold_end']
  ],
  [
    'or another summary',
    ongoing,
    signal('update', { title: '', summary: 'C' }),
    { title: ongoing.title, summary: 'C' },
    ['updated'],
    ['hold_end']
  ],
  ['never a severity', ongoing, signal('update', { title: 'B', severity: 'critical' }), { severity: 'warning' }, ['updated'], ['hold_end']],
  ['an update to what it is already is not news', ongoing, signal('update', { title: ongoing.title, summary: null }), ongoing, [], []],
  [
    'an update leaves the title that a person gave',
    renamed,
    signal('update', { title: 'B', summary: 'C', keeps_edited_title: true }),
    { ver: 3, title: 'Mine', original_title: 'B', summary: 'C' },
    ['updated'],
    ['hold_end']
  ],
  [
    'an update to the title that the source gave before is not news',
    renamed,
    signal('update', { title: ongoing.title, summary: null, keeps_edited_title: true }),
    renamed,
    [],
    []
  ],
  [
    'an update of regions leaves both titles',
    renamed,
    signal('update', { title: '', summary: null, affected_regions: ['eu'], keeps_edited_title: true }),
    { title: 'Mine', original_title: ongoing.title, affected_regions: ['eu'] },
    ['updated'],
    ['hold_end']
  ],
  [
    'without an edit, an update that would leave it gives another title',
    ongoing,
    signal('update', { title: 'B', summary: null, keeps_edited_title: true }),
    { title: 'B', original_title: null },
    ['updated'],
    ['hold_end']
  ],
  [
    'an update that an older version stored replaces it, as it did then',
    renamed,
    signal('update', { title: 'B', summary: null }),
    { title: 'B', original_title: ongoing.title },
    ['updated'],
    ['hold_end']
  ],
  ['an update opens nothing', null, signal('update', { title: 'B' }), null, [], []],
  ['an update leaves a resolved incident as it is', resolved, signal('update', { title: 'B' }), resolved, [], []],

  ['an acknowledgement is a time, not a status', ongoing, acknowledge(), isAcknowledged, ['acknowledged'], []],
  ['a second acknowledgement keeps the first time', acknowledged, acknowledge(), acknowledged, [], []],
  ['its comment is appended', acknowledged, acknowledge('on it'), { acknowledged_at: T0 + MINUTE, ver: 3 }, ['comment'], []],
  ['an empty comment is none', acknowledged, acknowledge(''), acknowledged, [], []],
  ['a silenced incident can be acknowledged', silenced, acknowledge(), { ...isAcknowledged, silenced_by: by }, ['acknowledged'], []],

  ['a person resolves it', ongoing, resolve(), byPerson, ['resolved'], []],
  [
    'deleting what it is about resolves it',
    ongoing,
    resolve({ reason: 'monitor_deleted', until_recovered: false }),
    { ...byPerson, resolution_reason: 'monitor_deleted' },
    ['resolved'],
    []
  ],
  [
    'a token resolves it',
    ongoing,
    resolve({ by: token }),
    { ...isResolved, resolved_by: token, resolution_reason: 'api' },
    ['resolved'],
    []
  ],
  ['resolving ends a silence with it', silenced, resolve(), byPerson, ['resolved'], ['-silence_end']],
  ['resolving what is resolved changes nothing', resolved, resolve(), resolved, [], []],
  ['resolving what has recovered changes nothing', recovered, resolve(), recovered, [], []],

  [
    'closing resolves and adds two fields',
    ongoing,
    close(),
    { ...isClosed, resolved_at: now, resolved_by: by, resolution_reason: 'closed' },
    ['closed'],
    []
  ],
  ['closing an acknowledged one keeps the acknowledgement', acknowledged, close(), { ...isClosed, acknowledged_by: by }, ['closed'], []],
  ['closing ends a silence with it', silenced, close(), { ...isClosed, silenced_until: null }, ['closed'], ['-silence_end']],
  [
    'closing a resolved one adds the two fields only',
    resolved,
    close(),
    { ...resolved, ...isClosed, ver: 3, updated_at: now },
    ['closed'],
    []
  ],
  [
    'closing a recovered one keeps why it ended',
    recovered,
    close(),
    { ...isClosed, resolution_reason: 'recovered', resolved_by: null },
    ['closed'],
    []
  ],
  ['closing what was closed while ongoing changes nothing', closed, close(), closed, [], []],
  ['closing what was closed when resolved changes nothing', closedLater, close(), closedLater, [], []],

  ['a silence starts its timer', ongoing, silence(30), isSilenced, ['silenced'], ['silence_end']],
  ['a second silence replaces the first and its timer', silenced, silence(30), isSilenced, ['silenced'], ['-silence_end', 'silence_end']],
  ['the same silence again changes nothing', silenced, silence(5), silenced, [], []],
  ['a silence can be ended early', silenced, unsilence, isUnsilenced, ['unsilenced'], ['-silence_end']],
  ['ending no silence changes nothing', ongoing, unsilence, ongoing, [], []],
  ['ending the silence of a resolved one changes nothing', resolved, unsilence, resolved, [], []],
  ['the timer ends the silence', silenced, silenceEnd(now + 5 * MINUTE), isUnsilenced, ['unsilenced'], []],
  ['the timer of a silence since replaced does nothing', silenced, silenceEnd(now + 4 * MINUTE), silenced, [], []],
  ['the timer of a silence since ended does nothing', ongoing, silenceEnd(now), ongoing, [], []],
  ['the timer on a resolved incident does nothing', resolved, silenceEnd(now), resolved, [], []],

  [
    'a comment is a change that leaves everything else as it was',
    ongoing,
    comment,
    { ...ongoing, ver: 2, updated_at: now },
    ['comment'],
    []
  ],
  ['it is no acknowledgement', ongoing, comment, { acknowledged_at: null }, ['comment'], []],
  [
    'a resolved incident can be commented on',
    resolved,
    comment,
    { status: 'resolved', resolution_reason: 'user', ver: 3 },
    ['comment'],
    []
  ],
  ['a closed one, too', closed, comment, { manually_closed_at: T0 + MINUTE }, ['comment'], []],
  [
    'a declaration opens an incident that no source reports',
    null,
    declaration(now, { is_major: true, assignee_id: user_id }),
    {
      ...isNew,
      incident_id: id(`declared ${now}`),
      dedup_key: manual_key,
      source_kind: 'manual',
      source_type: null,
      integration_id: null,
      title: 'Checkout is slow',
      severity: 'critical',
      labels: { service: 'shop' },
      is_major: true,
      assignee_id: user_id,
      started_at: now,
      detected_at: now
    },
    ['created'],
    []
  ],
  ['declared again while it is ongoing, it is the same', declared, declaration(now), declared, [], []],
  ['whatever is said of it', declared, declaration(now, { is_major: true, assignee_id: user_id }), declared, [], []],
  [
    'declared again after it ended, it is another',
    after(declared, resolve(), T0 + MINUTE),
    declaration(now),
    { ...isNew, incident_id: id(`declared ${now}`), reopened_from: null },
    ['created'],
    []
  ],
  ['a declared incident is acknowledged as any other', declared, acknowledge(), isAcknowledged, ['acknowledged'], []],

  ['somebody has it', ongoing, assign(user_id), { ...ongoing, ver: 2, assignee_id: user_id, updated_at: now }, ['assigned'], []],
  ['having it is no acknowledgement', ongoing, assign(user_id), { acknowledged_at: null }, ['assigned'], []],
  ['who has it already is not told again', assigned, assign(user_id), assigned, [], []],
  ['another takes it', assigned, assign(id('another')), { assignee_id: id('another'), ver: 3 }, ['assigned'], []],
  ['nobody has it any more', assigned, assign(null), { assignee_id: null, ver: 3 }, ['assigned'], []],
  ['taking it from nobody is nothing', ongoing, assign(null), ongoing, [], []],
  ['a resolved incident can be assigned: somebody looks into it', resolved, assign(user_id), { status: 'resolved' }, ['assigned'], []],
  ['who has it keeps it through a recovery', assigned, signal('resolve'), { ...bySignal, assignee_id: user_id }, ['resolved'], []],

  ['deleting a comment is a change as well', ongoing, deleteComment, { ...ongoing, ver: 2, updated_at: now }, ['comment_deleted'], []]
]
for (const [name, before, input, wanted, events, jobs] of cases) {
  t.test(name, async (t) => {
    const step = reduceIncident(before, frozen(input), context(now))
    t.equal(step.refused, undefined)
    if (wanted === null || wanted === before) t.equal(step.incident, wanted, 'not even a new object')
    else t.match(step.incident, wanted)
    t.same(told(step), events)
    t.same(timers(step), jobs)
    t.equal(step.incident?.ver ?? 0, events.includes('created') ? 1 : (before?.ver ?? 0) + events.length, 'one version an event')
    for (const event of step.events) t.equal(event.incident, step.incident, 'the event carries the incident after it')
  })
}

type Refused = [name: string, before: Incident | null, command: Command, code: string, path?: string]
const refusals: Refused[] = [
  ['no incident, no command', null, acknowledge(), 'NOT_FOUND'],
  ['no incident, no comment', null, comment, 'NOT_FOUND'],
  ['no incident, nobody has it', null, assign(user_id), 'NOT_FOUND'],
  ['a resolved incident cannot be acknowledged', resolved, acknowledge(), 'INCIDENT_RESOLVED'],
  ['nor commented on by acknowledging', resolved, acknowledge('seen'), 'INCIDENT_RESOLVED'],
  ['a closed incident cannot be acknowledged', closed, acknowledge(), 'INCIDENT_RESOLVED'],
  ['an acknowledgement of a resolved one is not taken back', resolved, unacknowledge(), 'INCIDENT_RESOLVED'],
  ['a resolved incident cannot be silenced', resolved, silence(30), 'INCIDENT_RESOLVED'],
  ['a silence ends in the future', ongoing, silence(0), 'VALIDATION_FAILED', 'duration_minutes'],
  ['a silence lasts a week at most', ongoing, silence(10_081), 'VALIDATION_FAILED', 'duration_minutes'],
  ['a silence ends at an instant', ongoing, silence(Number.NaN), 'VALIDATION_FAILED', 'duration_minutes'],
  ['a comment has 2,000 characters at most', ongoing, acknowledge('x'.repeat(2001)), 'VALIDATION_FAILED', 'comment'],
  ['a note on resolving, too', ongoing, resolve({ note: 'x'.repeat(2001) }), 'VALIDATION_FAILED', 'note'],
  ['a note on closing, too', ongoing, close('x'.repeat(2001)), 'VALIDATION_FAILED', 'note'],
  ['a reason for silence 500', ongoing, silence(30, 'x'.repeat(501)), 'VALIDATION_FAILED', 'reason']
]
for (const [name, before, command, code, path] of refusals) {
  t.test(name, async (t) => {
    const step = reduceIncident(before, frozen(command), context(now))
    t.match(step.refused, { code, message: String, ...(path !== undefined && { path }) })
    t.equal(step.incident, before)
    t.same([step.events, step.jobs], [[], []])
  })
}

t.test('an event keeps comments of the maximum length and replaces invalid characters', async (t) => {
  const text = 'x'.repeat(2000)
  for (const command of [acknowledge(text), resolve({ note: text }), close(text)]) {
    t.equal(reduceIncident(ongoing, command, context(now)).events[0]?.comment, text)
  }
  t.equal(reduceIncident(ongoing, silence(30, 'deploy'), context(now)).events[0]?.comment, 'deploy')
  t.equal(reduceIncident(ongoing, acknowledge('a\0b\uD83D'), context(now)).events[0]?.comment, 'a\uFFFDb\uFFFD', 'Postgres takes neither')
  t.equal(reduceIncident(ongoing, acknowledge('\uDE00 b'), context(now)).events[0]?.comment, '\uFFFD b')
  t.equal(reduceIncident(ongoing, acknowledge('\u{1F525}'), context(now)).events[0]?.comment, '\u{1F525}')
})

t.test('a new incident takes its fields from the signal and its number from the context', async (t) => {
  const fire = signal('fire', {
    severity: 'critical',
    labels: { job: 'api' },
    started_at: T0 - 5000,
    priority: 'P1',
    visibility: 'private',
    team_id: id('team'),
    reopened_from: id('earlier')
  })
  const { incident, events } = reduceIncident(null, frozen(fire), context(now, { number: 42 }))
  t.match(incident, {
    incident_id: id(`incident:${now}`),
    tenant_id,
    number: 42,
    dedup_key: fire.dedup_key,
    severity: 'critical',
    title: fire.title,
    source_kind: 'inbound',
    source_type: 'alertmanager',
    labels: { job: 'api' },
    priority: 'P1',
    is_major: false,
    team_id: id('team'),
    visibility: 'private',
    escalation_policy_id: null,
    routing_version: 1,
    promoted_at: now,
    started_at: T0 - 5000,
    detected_at: T0 + 100,
    opened_at: now,
    updated_at: now,
    reopened_from: id('earlier')
  })
  t.match(events[0], { ver: 1, at: now, team_id: id('team'), visibility: 'private', config_versions: { routing: 1 } })
})

t.test('an incident of an alert that was acknowledged in a window opens acknowledged, and asks nobody', async (t) => {
  const fire = signal('fire', { escalation_policy_id: id('policy') })
  const promote = {
    command: 'promote',
    by,
    incident_id: id('promoted'),
    signal: fire,
    window: { window_id: id('w'), ended_at: T0 }
  } as const
  const known = reduceIncident(null, frozen({ ...promote, acknowledged_by: 'user:x' }), context(now))
  t.match(known.incident, { acknowledged_at: now, acknowledged_by: 'user:x', opened_at: now })
  t.match(known.events, [{ change: 'created' }])
  t.match(
    known.jobs.filter((job) => 'start' in job),
    [{ start: 'ack_timeout', run_at: now }]
  )
  const old = reduceIncident(null, frozen(promote), context(now))
  t.match(old.incident, { acknowledged_at: null, acknowledged_by: null }, 'a stored cause of an older version gives what it gave')
  t.match(old.jobs, [{ start: 'escalation_step' }])
})

t.test('the cause of an event holds the input of the rules', async (t) => {
  const command = acknowledge('on it')
  const [event] = reduceIncident(ongoing, command, context(now)).events
  t.match(event?.cause, { kind: 'command', src: by, request_id: 'request-1' })
  t.same(JSON.parse(event?.cause.input ?? ''), command)
})

t.test('the timer of a silence is named by incident and end, and unsilencing cancels that name', async (t) => {
  const [start] = reduceIncident(ongoing, silence(30), context(now)).jobs
  const until = now + 30 * MINUTE
  const { incident_id } = ongoing
  t.same(start, {
    start: 'silence_end',
    idem_key: `silence_end:${incident_id}:${until}`,
    tenant_id,
    run_at: until,
    payload: { incident_id, until }
  })
  const [cancel] = reduceIncident(silenced, unsilence, context(now)).jobs
  t.same(cancel, { cancel: `silence_end:${incident_id}:${now + 5 * MINUTE}`, tenant_id })
})

t.test('updated_at never goes back when an older record follows a command', async (t) => {
  const step = reduceIncident(acknowledged, signal('resolve'), context(T0 + 1))
  t.match(step.incident, { resolved_at: T0 + 1, updated_at: T0 + MINUTE })
  t.equal(step.events[0]?.at, T0 + 1)
})

t.test('dashboard labels of incident states', async (t) => {
  t.equal(dashboardState(ongoing), 'Triggered')
  t.equal(dashboardState(silenced), 'Triggered')
  t.equal(dashboardState(acknowledged), 'Acknowledged')
  t.equal(dashboardState(recovered), 'Resolved')
  t.equal(dashboardState(after(acknowledged, resolve(), now)), 'Resolved')
  t.equal(dashboardState(closed), 'Closed')
  t.equal(dashboardState(closedLater), 'Closed')
})

t.test('only one event of an incident counts as its end', async (t) => {
  const ends = (incident: Incident, input: Signal | Command) => reduceIncident(incident, input, context(now)).events.map(endsIncident)
  t.same(ends(ongoing, signal('resolve')), [true])
  t.same(ends(ongoing, resolve()), [true])
  t.same(ends(ongoing, close()), [true])
  t.same(ends(resolved, close()), [false])
  t.same(ends(recovered, close()), [false])
  t.same(ends(ongoing, acknowledge()), [false])
})
