/**
 * Tests of every source's alert and recovery, from the fixtures through the door's normalising to
 * how the incidents accept them. The recovery must end what the alert opened. An alert that comes
 * late must not open anything again if the sender gave a time or a number.
 * Source: docs/design/inbound-sources.md#s1-3, #s30.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import { decode } from '../../../services/intake/body.ts'
import { toInboundAlert } from '../../../services/intake/normalise.ts'
import type { Json, SequencedEvent, Source } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { judge, readSignal, rowAfter, type SignalRow } from '../../../streams/incident/signals.ts'
import { row as signalRow } from '../../streams/incident/build.ts'
import { integration } from './credential.ts'

interface Expected {
  received_at: string
  headers?: Record<string, string>
  options?: Json
  settings?: Json
  events?: { action: string }[]
}

interface Known {
  event: SequencedEvent
  alert: InboundAlert
}

const folder = join(projectRoot, 'test/fixtures/sources')
const receipt = (source: Source, received_at: number): Parameters<typeof toInboundAlert>[1] => ({
  integration: integration({ source_type: source.kind }),
  source,
  received_at,
  escaped: true
})

/** Returns the alerts that the fixtures of a source fire and resolve. */
function knownOf(source: Source): Known[] {
  const files = readdirSync(join(folder, source.kind))
  return files
    .filter((file) => file.endsWith('.expected.json'))
    .flatMap((file) => {
      const expected: Expected = JSON.parse(readFileSync(join(folder, source.kind, file), 'utf8'))
      if (!expected.events?.some(({ action }) => action !== 'ignore')) return []
      const name = file.slice(0, -'.expected.json'.length)
      const body = decode(readFileSync(join(folder, source.kind, files.includes(`${name}.json`) ? `${name}.json` : `${name}.txt`))).body
      const received_at = Date.parse(expected.received_at)
      const given = { body, headers: expected.headers ?? {}, received_at, options: expected.options ?? {}, warn: () => undefined }
      return (
        source
          .parse(given)
          .filter(({ action }) => action !== 'ignore')
          // The ids of real deliveries are never equal.
          .map((event) => ({ ...event, delivery_id: event.delivery_id && `${event.delivery_id} ${name}` }))
          .map((event) => ({ event, alert: toInboundAlert(event, receipt(source, received_at)) }))
      )
    })
}

const empty = ({ tenant_id, dedup_key }: InboundAlert): SignalRow => signalRow({ tenant_id, dedup_key })

/**
 * Returns how each of the alerts is accepted, one after the other. `then`: what happens to the row
 * after the first.
 */
function told(alerts: InboundAlert[], then: Partial<SignalRow> = {}): string[] {
  let row: SignalRow | null = null
  return alerts.map((value) => {
    const reading = readSignal({
      record: 'InboundAlert',
      value,
      topic: 'alerts.inbound.v1',
      partition: 0,
      offset: 0n,
      timestamp: value.received_at,
      key: value.dedup_key
    })
    if (!('signal' in reading)) return JSON.stringify(reading)
    const before: SignalRow = row ?? empty(value)
    const signal = judge(before, reading.signal, null)
    row = { ...rowAfter(before, signal, null), ...(row === null && then) }
    return `${value.action} ${signal.accepted_as}`
  })
}

const HOUR_MS = 3_600_000
const late = /^fire (?:older|repeat)$/

/**
 * Sends an alert, its recovery, the recovery again, and the first request again an hour later.
 * Returns how each is accepted.
 */
function story(source: Source, { fire, recovery }: { fire: Known; recovery: Known }): string[] {
  const end = { ...recovery.alert, received_at: Math.max(recovery.alert.received_at, fire.alert.received_at) }
  return told([fire.alert, end, end, toInboundAlert(fire.event, receipt(source, end.received_at + HOUR_MS))])
}

/**
 * Tells whether anything identifies the delivery. A delivery without that is accepted as it comes.
 */
const isTold = ({ time_source, sequence, delivery_id }: InboundAlert): boolean =>
  time_source === 'sender' || sequence !== null || delivery_id !== null

for (const kind of sourceTypes) {
  t.test(kind, async (t) => {
    const source: Source = sources[kind]
    const known = knownOf(source)
    const pairs = known
      .filter(({ alert }) => alert.action === 'resolve')
      .flatMap((recovery) =>
        known
          .filter(({ alert }) => alert.action === 'fire' && alert.dedup_key === recovery.alert.dedup_key)
          .map((fire) => ({
            isPlaced: fire.event.sequence !== null || fire.event.occurred_at !== null,
            again: isTold(recovery.alert) ? 'resolve repeat' : 'resolve applied',
            told: story(source, { fire, recovery })
          }))
      )
    t.ok(pairs.length > 0, 'an alert and its recovery have one key')
    const inOrder = pairs.filter(({ told, again }) => told[0] === 'fire applied' && told[1] === 'resolve applied' && told[2] === again)
    t.ok(inOrder.length > 0, 'the recovery ends what the alert opened, once')
    // A sender without a time and a number: the order of the log counts, and a late request looks
    // like a new one.
    const placed = inOrder.filter(({ isPlaced }) => isPlaced)
    if (placed.length > 0)
      t.ok(
        placed.some(({ told }) => late.test(told[3] ?? '')),
        'an alert that comes late opens nothing'
      )
  })
}

t.test('an Alertmanager alert first delivered after seven days is resolved and stays resolved', async (t) => {
  const source = sources.alertmanager
  const received_at = Date.parse('2026-10-20T12:00:00Z')
  const deliver = (status: 'firing' | 'resolved', after: number, endsAt: string) => {
    const alerts = [{ status, labels: { alertname: 'Old' }, fingerprint: 'f', startsAt: '2026-10-12T12:00:00Z', endsAt }]
    const given = { body: { alerts }, headers: {}, received_at: received_at + after, options: {}, warn: () => undefined }
    return source.parse(given).map((event) => toInboundAlert(event, receipt(source, given.received_at)))
  }
  // It ended an hour before it arrived here; Alertmanager repeats the alert from another instance.
  const ended = '2026-10-20T11:00:00Z'
  t.same(
    told([
      ...deliver('firing', 0, '0001-01-01T00:00:00Z'),
      ...deliver('resolved', 1000, ended),
      ...deliver('resolved', 2000, ended),
      ...deliver('firing', 3000, '0001-01-01T00:00:00Z')
    ]),
    ['fire applied', 'resolve applied', 'resolve repeat', 'fire older']
  )
})

t.test('a reminder of Checkly is no later occurrence', async (t) => {
  const source = sources.checkly
  const began = Date.parse('2026-10-20T12:00:00Z')
  /** `sent` in seconds; its run began 5 s before. */
  const deliver = (alert_type: string, sent: number, after = sent): InboundAlert => {
    const at = (seconds: number): string => new Date(began + seconds * 1000).toISOString()
    const body = { alert_type, check_id: 'c', started_at: at(sent - 5) }
    const received_at = began + after * 1000
    const given = { body, headers: { 'x-checkly-timestamp': at(sent) }, received_at, options: {}, warn: () => undefined }
    const [event] = source.parse(given)
    if (!event) throw new Error('no alert')
    return toInboundAlert(event, receipt(source, received_at))
  }
  const failure = deliver('ALERT_FAILURE', 0)
  const quiet = { suppressed_until: began + 1_800_000 }
  for (const type of ['ALERT_FAILURE_REMAIN', 'ALERT_DEGRADED_REMAIN']) {
    t.same(told([failure, deliver(type, 300)], quiet), ['fire applied', 'fire suppressed'], 'a person resolved it')
    t.same(told([failure, deliver(type, 1900)], quiet), ['fire applied', 'fire applied'], 'and the wait is over')
    t.same(told([failure, deliver(type, 300)]), ['fire applied', 'fire applied'], 'it repeats the alert')
    // The run that recovers begins before the reminder is sent, and a retry brings that late.
    t.same(
      told([failure, deliver('ALERT_RECOVERY', 302), deliver(type, 300, 340)]),
      ['fire applied', 'resolve applied', 'fire older'],
      'a late one opens nothing'
    )
  }
  t.same(told([failure, deliver('ALERT_FAILURE', 300)], quiet), ['fire applied', 'fire applied'], 'another failure is one')
})

t.test('a notification of New Relic about an issue that goes on reopens nothing at once', async (t) => {
  const source = sources.newrelic
  const began = Date.parse('2026-10-20T12:00:00Z')
  const deliver = (trigger: string, seconds: number, state = 'ACTIVATED', after = seconds, priority = 'HIGH'): InboundAlert[] => {
    const received_at = began + after * 1000
    const body = { id: 'i', state, trigger, priority, updatedAt: began + seconds * 1000 }
    const events = source.parse({ body, headers: {}, received_at, options: {}, warn: () => undefined })
    return events.filter(({ action }) => action !== 'ignore').map((event) => toInboundAlert(event, receipt(source, received_at)))
  }
  const opened = deliver('STATE_CHANGE', 0)
  const quiet = { suppressed_until: began + 1_800_000 }
  for (const trigger of ['INCIDENT_ADDED', 'PRIORITY_CHANGED', 'MERGE_REQUEST']) {
    t.same(told([...opened, ...deliver(trigger, 300)], quiet), ['fire applied', 'fire suppressed'], `${trigger}: a person resolved it`)
    t.same(told([...opened, ...deliver(trigger, 1900)], quiet), ['fire applied', 'fire applied'], `${trigger}: the wait is over`)
    t.same(told([...opened, ...deliver(trigger, 300)]), ['fire applied', 'fire applied'], `${trigger}: it may raise the severity`)
  }
  const changed = (priority: string) => deliver('PRIORITY_CHANGED', 300, 'ACTIVATED', 300, priority)
  t.same(told([...opened, ...changed('CRITICAL')], quiet), ['fire applied', 'fire applied'], 'a higher priority does not wait')
  t.same(told([...opened, ...changed('LOW')], quiet), ['fire applied', 'fire suppressed'], 'a lower one does')
  for (const trigger of ['USER_ACTION', 'INCIDENT_CLOSED']) t.same(deliver(trigger, 1900), [], `${trigger} is no alert`)
  t.same(
    told([...opened, ...deliver('USER_ACTION', 600, 'CLOSED'), ...deliver('INCIDENT_ADDED', 300, 'ACTIVATED', 700)]),
    ['fire applied', 'resolve applied', 'fire older'],
    'a late one opens nothing'
  )
  t.same(told([...opened, ...opened]), ['fire applied', 'fire repeat'], 'the same again')
  t.same(
    told([...opened, ...deliver('STATE_CHANGE', 600, 'CLOSED')], { last_sequence: began }),
    ['fire applied', 'resolve applied'],
    'the row has the sequence of an older version'
  )
})

t.test('a metric alert of Sentry that changes reopens nothing at once', async (t) => {
  const source = sources.sentry
  const began = Date.parse('2026-10-20T12:00:00Z')
  const deliver = (action: string, seconds: number, after = seconds): InboundAlert => {
    const received_at = began + after * 1000
    const metric_alert = {
      id: 31,
      date_started: new Date(began - 60_000).toISOString(),
      date_closed: new Date(began + 550_000).toISOString()
    }
    const headers = { 'sentry-hook-timestamp': String(began / 1000 + seconds), 'request-id': `${action} ${seconds}` }
    const given = { body: { action, data: { metric_alert } }, headers, received_at, options: {}, warn: () => undefined }
    const [event] = source.parse(given)
    if (!event) throw new Error('no alert')
    return toInboundAlert(event, receipt(source, received_at))
  }
  const quiet = { suppressed_until: began + 1_800_000 }
  const [critical, warning] = [deliver('critical', 0), deliver('warning', 0)]
  t.same(told([critical, deliver('warning', 300)], quiet), ['fire applied', 'fire suppressed'], 'a person resolved it')
  t.same(told([critical, deliver('warning', 1900)], quiet), ['fire applied', 'fire applied'], 'and the wait is over')
  t.same(told([warning, deliver('critical', 300)]), ['fire applied', 'fire applied'], 'it raises the severity of what is open')
  t.same(told([critical, deliver('warning', 300), deliver('resolved', 600)]), ['fire applied', 'fire applied', 'resolve applied'])
  t.same(
    told([critical, deliver('resolved', 600), deliver('warning', 590, 700), deliver('critical', 595, 700)]),
    ['fire applied', 'resolve applied', 'fire older', 'fire older'],
    'late ones open nothing'
  )
  t.same(
    told([warning, deliver('resolved', 600), deliver('warning', 900)]),
    ['fire applied', 'resolve applied', 'fire applied'],
    'it fires again'
  )
})

t.test('builds of Jenkins are ordered by their begin, also in a job that was created again', async (t) => {
  const source = sources.jenkins
  const noon = Date.parse('2026-10-20T12:00:00Z')
  const minute = 60_000
  const build = (status: string, number: number, began: number, ended: number, phase = 'FINALIZED'): InboundAlert => {
    const received_at = noon + ended * minute
    const duration = phase === 'NONE' ? 0 : (ended - began) * minute
    const body = { url: 'job/shop/', build: { number, phase, status, timestamp: received_at, duration } }
    const [event] = source.parse({ body, headers: {}, received_at, options: {}, warn: () => undefined })
    if (!event) throw new Error('no alert')
    return toInboundAlert(event, receipt(source, received_at))
  }
  const failed = build('FAILURE', 318, 0, 5)
  t.same(told([failed, build('SUCCESS', 319, 6, 9)]), ['fire applied', 'resolve applied'])
  t.same(told([failed, build('SUCCESS', 1, 60, 65)]), ['fire applied', 'resolve applied'], 'created again')
  t.same(
    told([failed, build('FAILURE', 1, 60, 65)], { suppressed_until: noon + 120 * minute }),
    ['fire applied', 'fire applied'],
    'one is later'
  )
  t.same(told([build('SUCCESS', 319, 6, 9), build('FAILURE', 318, 0, 20)]), ['resolve applied', 'fire older'], 'an old one ends late')
  t.same(told([failed, failed]), ['fire applied', 'fire repeat'], 'the plugin sends it again')
  t.same(told([failed, build('SUCCESS', 319, 6, 9)], { last_sequence: 318 }), ['fire applied', 'resolve applied'], 'a number from before')
  t.same(
    told([failed, build('SUCCESS', 319, 6, 8, 'NONE'), build('FAILURE', 319, 6, 9)]),
    ['fire applied', 'resolve applied', 'fire applied'],
    'a step by hand, then the end of the same build'
  )
})

t.test('a Rollbar item may fire again with the sequence number that was resolved', async (t) => {
  const source = sources.rollbar
  const received_at = Date.parse('2026-10-20T12:00:00Z')
  const item = { id: 7, title: 'x', last_occurrence_id: 99, last_occurrence_timestamp: received_at / 1000 - 60 }
  const deliver = (event_name: string, status: number, after: number) => {
    const body = { event_name, data: { item: { ...item, status } } }
    const given = { body, headers: {}, received_at: received_at + after, options: {}, warn: () => undefined }
    return source.parse(given).map((event) => toInboundAlert(event, receipt(source, given.received_at)))
  }
  // The doors' clocks go back, and the first delivery is repeated in between.
  t.same(
    told([
      ...deliver('new_item', 1, 0),
      ...deliver('resolved_item', 2, -5000),
      ...deliver('new_item', 1, 1000),
      ...deliver('reopened_item', 1, -9000),
      ...deliver('resolved_item', 2, -20_000)
    ]),
    ['fire applied', 'resolve applied', 'fire older', 'fire applied', 'resolve applied']
  )
})
