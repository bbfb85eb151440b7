/**
 * What a person ends while it fires comes back: what a command leaves suppressed, when the timer of
 * a monitor or heartbeat opens it again, and that no order of events leaves a failing target
 * silent.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { InboundAlert, Incident } from '../../../schemas/generated/events.ts'
import { aftermathOf } from '../../../streams/incident/reopening.ts'
import { type Command, type Event, reduceIncident } from '../../../streams/incident/rules.ts'
import { type SignalRow, stillFiring } from '../../../streams/incident/signals.ts'
import type { Decision } from '../../../streams/routing/outcome.ts'
import { builtInDecision } from '../../../streams/routing/rules.ts'
import {
  alertInput,
  context,
  heartbeat_id,
  heartbeatInput,
  id,
  monitor_id,
  monitorInput,
  pending,
  reopen_after_seconds,
  row,
  signal,
  T0,
  tenant_id,
  user_id,
  type World,
  world
} from './build.ts'

const MINUTE = 60_000
const WINDOW = reopen_after_seconds * 1000
const now = T0 + MINUTE
const by = `user:${user_id}`
const monitorKey = `mon:${monitor_id}`
const resolve: Command = { command: 'resolve', by, note: null, until_recovered: true }
const atOnce: Command = { ...resolve, until_recovered: false }
const close: Command = { command: 'close', by, note: null, user_id }

t.test('how long each command suppresses a key, and the reopen timer that it starts', async (t) => {
  const open = reduceIncident(null, signal('fire'), context(T0)).incident
  const fired = row({ incident_id: open?.incident_id ?? null, last_action: 'fire', last_at: T0, occurrences: 1 })
  const cleared: SignalRow = { ...fired, last_action: 'resolve' }
  const quiet = { ...fired, suppressed_until: T0 + 30 * MINUTE }
  const watched = { ...fired, dedup_key: monitorKey }
  const beat = { ...fired, dedup_key: `hb:${heartbeat_id}` }
  const events = (incident: Incident | null, command: Command): Event[] => reduceIncident(incident, command, context(now)).events
  const resolved = reduceIncident(open, resolve, context(now)).incident
  const until = now + WINDOW
  const acknowledge: Command = { command: 'acknowledge', by, comment: null }

  type Case = [name: string, before: SignalRow, command: Command, events: Event[], after: number | null, timer?: number]
  const table: Case[] = [
    ['resolved while it fires', fired, resolve, events(open, resolve), until],
    ['closed while it fires', fired, close, events(open, close), until],
    ['resolved without waiting for the recovery', fired, atOnce, events(open, resolve), null],
    ['resolved when it had recovered', cleared, resolve, events(open, resolve), null],
    ['resolved without any signal', row(), resolve, events(open, resolve), null],
    ['closed when resolved already: as it was', quiet, close, events(resolved, close), T0 + 30 * MINUTE],
    ['closed when recovered: as it was', cleared, close, events(resolved, close), null],
    ['nothing happened: as it was', quiet, resolve, [], T0 + 30 * MINUTE],
    ['acknowledged: as it was', fired, acknowledge, events(open, acknowledge), null],
    ['a monitor, resolved while it fails', watched, resolve, events(open, resolve), until, until],
    ['a monitor, closed while it fails', watched, close, events(open, close), until, until],
    ['a heartbeat, resolved while it is missed', beat, resolve, events(open, resolve), until, until],
    ['a monitor that fails and is not waited for', watched, atOnce, events(open, resolve), now, now],
    ['a monitor that had recovered', { ...watched, last_action: 'resolve' }, resolve, events(open, resolve), null],
    ['a monitor that is paused or deleted', watched, { ...atOnce, unwatched: true }, events(open, resolve), null]
  ]
  for (const [name, before, command, happened, after, timer] of table) {
    const { suppressed_until, jobs } = aftermathOf(before, command, happened, reopen_after_seconds)
    t.equal(suppressed_until, after, name)
    const { dedup_key } = before
    const idem_key = `incident_reopen:${open?.incident_id}`
    const started = { start: 'incident_reopen', idem_key, tenant_id, run_at: timer, payload: { dedup_key, until: timer } }
    t.same(jobs, timer === undefined ? [] : [started], name)
  }
})

t.test('a resolved monitor that still fails opens again when the window ends', async (t) => {
  const acme = world()
  acme.take([monitorInput({ status: 'down', previous_status: 'up', ver: 7, at: T0, event_id: id('down') })])
  const first = acme.of(monitorKey)[0]
  acme.obey(resolve, now, first?.incident_id)
  acme.reopenDue(now + WINDOW - 1)
  t.equal(acme.of(monitorKey).length, 1, 'not before')
  acme.reopenDue(now + WINDOW)
  const again = acme.of(monitorKey)[1]
  const { title, summary, severity, labels, visibility } = first ?? {}
  t.match(again, {
    status: 'ongoing',
    number: 2,
    reopened_from: first?.incident_id,
    monitor_id,
    title,
    summary,
    severity,
    labels,
    visibility
  })
  t.match(again, { started_at: now + WINDOW, opened_at: now + WINDOW, acknowledged_at: null })
  const event = acme.events.at(-1)
  t.match(event, { change: 'created', incident_id: again?.incident_id, cause: { input: /"command":"reopen"/ } })
  t.same(pending(acme.jobs), [])

  const command = JSON.parse(event?.cause.input ?? '') as Command
  const replayed = reduceIncident(acme.of(monitorKey)[0] ?? null, command, context(now + WINDOW, { number: 2 })).incident
  t.same(replayed, again, 'a replay of what is stored gives the same incident')

  acme.take([monitorInput({ status: 'up', previous_status: 'down', ver: 8, at: now + WINDOW + 1, event_id: id('up') })])
  t.match(acme.of(monitorKey)[1], { status: 'resolved', resolution_reason: 'recovered' })
})

t.test('a reopened incident keeps the routing of the first one', async (t) => {
  const fired = signal('fire', { monitor_id, source_kind: 'monitor', priority: 'P2' })
  const decision = {
    ...builtInDecision(fired),
    routing_version: 7,
    matched_rule_ids: [id('rule')],
    severity_by_rule: true,
    is_major: true,
    suppressed_by: id('rule'),
    notify_resolved: false,
    auto_resolve_minutes: 30
  }
  for (const [name, channels] of [
    ['channels that a rule names', { channel_ids: [id('one'), id('other')] }],
    ['no channel at all', { channel_ids: [] }],
    ['the default channels', {}]
  ] as const) {
    const first = reduceIncident(null, { ...fired, decision: { ...decision, ...channels } as Decision }, context(T0)).incident
    t.match(first, { routing: { matched_rule_ids: [id('rule')] } })
    if (!first) continue
    const again = reduceIncident(null, stillFiring(first, now), context(now, { number: 2 })).incident
    const { routing, routing_version, is_major } = first
    t.match(again, { routing_version, is_major, reopened_from: first.incident_id })
    t.same(again?.routing, routing, name)
  }
})

t.test('a recovery or a later failure cancels the reopen timer', async (t) => {
  for (const status of ['up', 'down'] as const) {
    const acme = world()
    acme.take([monitorInput({ status: 'down', previous_status: 'up', ver: 7, at: T0, event_id: id('down') })])
    acme.obey(resolve, now, acme.of(monitorKey)[0]?.incident_id)
    t.equal(pending(acme.jobs).length, 1)
    acme.take([monitorInput({ status, previous_status: status === 'up' ? 'down' : 'paused', ver: 9, at: now + 1, event_id: id('next') })])
    t.same(pending(acme.jobs), [], status)
    acme.reopenDue(now + WINDOW)
    t.equal(acme.of(monitorKey).filter(({ status }) => status === 'ongoing').length, status === 'up' ? 0 : 1)
  }
})

t.test('an ended inbound alert reopens only by a new alert received after the window', async (t) => {
  const alertAt = (received_at: number, over: Partial<InboundAlert> = {}, offset = 0) =>
    alertInput({ occurred_at: received_at, time_source: 'door', received_at, event_id: id(`alert ${offset}`), ...over }, { offset })
  const deadline = now + WINDOW
  const ongoing = (acme: World) => acme.of().filter(({ status }) => status === 'ongoing').length
  for (const command of [resolve, close]) {
    const acme = world()
    acme.take([alertAt(T0)])
    acme.obey(command, now)
    t.same(pending(acme.jobs), [], 'no timer: a one-shot alert stays closed')
    acme.reopenDue(deadline + 10 * WINDOW)
    acme.take([alertAt(deadline - 1, {}, 1)])
    t.equal(ongoing(acme), 0, 'received before the time is over')
    acme.take([alertAt(deadline, {}, 2)])
    t.equal(ongoing(acme), 1)
    t.match(acme.of()[1], { reopened_from: acme.of()[0]?.incident_id })
  }
  for (const sequence_kind of ['occurrence', 'position'] as const) {
    const acme = world()
    acme.take([alertAt(T0, { sequence: 5, sequence_kind })])
    acme.obey(close, now)
    for (let nth = 0; nth < 5; nth++) acme.take([alertAt(deadline + nth * WINDOW, { sequence: 5, sequence_kind }, nth + 1)])
    t.equal(ongoing(acme), 0, `${sequence_kind}: the same sequence never comes back`)
    acme.take([alertAt(deadline + 10 * WINDOW, { sequence: 6, sequence_kind }, 9)])
    t.equal(ongoing(acme), 1, `${sequence_kind}: the next one does`)
  }
})

type Happening = 'down' | 'up' | 'resolve' | 'resolve at once' | 'close' | 'silence' | 'wait' | 'wait long'
const happenings = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Happening>('down') },
    { weight: 3, arbitrary: fc.constantFrom<Happening>('resolve', 'close') },
    { weight: 4, arbitrary: fc.constantFrom<Happening>('up', 'resolve at once', 'silence', 'wait', 'wait long') }
  ),
  { maxLength: 30 }
)

t.test('every failing target has an ongoing incident or a timer that reopens it', async (t) => {
  let quiet = 0
  const targets = [
    [
      monitorKey,
      (down: boolean, ver: number, at: number) =>
        monitorInput({ status: down ? 'down' : 'up', previous_status: down ? 'up' : 'down', ver, at, event_id: id(`${ver}`) })
    ],
    [
      `hb:${heartbeat_id}`,
      (down: boolean, ver: number, at: number) =>
        heartbeatInput({ status: down ? 'missed' : 'up', previous_status: down ? 'up' : 'missed', ver, at, event_id: id(`${ver}`) })
    ]
  ] as const
  for (const [key, transition] of targets) {
    const property = fc.property(happenings, (story) => {
      const acme = world()
      let [at, ver, failing] = [T0, 1, false]
      for (const what of story) {
        at += what === 'wait long' ? WINDOW : 1000
        const newest = acme.of(key).at(-1)?.incident_id
        if (what === 'down' || what === 'up') {
          failing = what === 'down'
          acme.take([transition(failing, ver++, at)])
        } else if (what === 'resolve') acme.obey(resolve, at, newest)
        else if (what === 'resolve at once') acme.obey(atOnce, at, newest)
        else if (what === 'close') acme.obey(close, at, newest)
        else if (what === 'silence') acme.obey({ command: 'silence', by, until: at + MINUTE, reason: null }, at, newest)
        acme.reopenDue(at)
        const open = acme.of(key).filter(({ status }) => status === 'ongoing').length
        const until = [...acme.signals.values()][0]?.suppressed_until ?? null
        const timers = pending(acme.jobs).filter(({ start }) => start === 'incident_reopen')
        if (!failing) assert.deepEqual([open, timers.length], [0, 0])
        else if (open === 0) {
          quiet += 1
          assert.ok(until !== null && until > at, 'the quiet has an end')
          assert.deepEqual(
            timers.map(({ run_at }) => run_at),
            [until],
            'and a timer at it'
          )
        } else assert.deepEqual([open, timers.length], [1, 0])
      }
    })
    fc.assert(property, { numRuns: 500 })
  }
  t.ok(quiet > 500, 'some were quiet for a while')
})
