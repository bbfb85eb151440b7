/**
 * Checks what must hold after a fault run, whatever was killed, from the ledger, the log read back
 * from its beginning, and the rows of Postgres.
 *
 * The state is derived three times by different means and compared with the rows: from the ledger
 * alone (how each condition must end, how often it began), from alerts.inbound.v1 by the rules on
 * an empty state, and from each event's stored cause in the order of `ver`.
 * Source: issue's acceptance 3 and 4, docs/design/performance.md#s5-2,
 * docs/design/streaming.md#s7-4.
 */
import { createHash } from 'node:crypto'
import type { AlertEvent, InboundAlert, Incident, IncidentEvent, RecordName } from '../../schemas/generated/events.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { loadInForce } from '../../services/store/routing.ts'
import type { RuleSet } from '../../streams/routing/rules.ts'
import type { InRecord } from '../../streams/runtime/stream.ts'
import type { Product } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { checkAlerts } from './check-alerts.ts'
import { checkLog } from './check-log.ts'
import { checkReplay } from './check-replay.ts'
import { type Entry, mark, markOf, readLedger, type SentAlert } from './ledger.ts'
import { type ReadBack, readBack } from './readback.ts'
import { loadRows, type Rows } from './rows.ts'
import { type Recording, wasOpen } from './sockets.ts'

export interface Verdicts {
  /** Counts for the report. */
  counts: Record<string, number | string>
  /** The checks that failed; empty when all held. */
  violations: string[]
}

/** Everything that is judged, for the workspaces of a run. */
export interface Found {
  entries: readonly Entry[]
  rows: Rows
  inbound: { record: InRecord; alert: InboundAlert }[]
  events: { record: InRecord; event: IncidentEvent }[]
  states: { record: InRecord; incident: Incident }[]
  alertEvents: { record: InRecord; event: AlertEvent }[]
  /** The rules that were in force during the whole run, by workspace. */
  rules: ReadonlyMap<string, RuleSet>
  /** Payloads on alerts.raw.v1. */
  raw: string[]
  /** By workspace. */
  recordings: ReadonlyMap<string, Recording>
}

/** What all checks get. */
export interface Evidence extends Found {
  count(name: string, value: number | string): void
  /** Notes a violation unless `holds`. */
  must(holds: boolean, sentence: () => string): void
}

function bytesOf(record: InRecord): Buffer {
  if (record.value === null) throw new Error(`${record.topic} ${record.partition}:${record.offset} has no value`)
  return record.value
}

export interface CheckOptions {
  ledgerFile: string
  /** Workspaces of the run. Other workspaces of the same service are not checked. */
  tenants: readonly string[]
  recordings: ReadonlyMap<string, Recording>
}

const QUIET_MS = 120_000

/**
 * Waits until every alert on the log is processed and every outgoing record sent: 120 s at most.
 * Returns the alerts of the log.
 */
async function quiesce(product: Product, log: ReadBack): Promise<InRecord[]> {
  const pool = product.pool()
  const deadline = Date.now() + QUIET_MS
  const left = () => Math.max(deadline - Date.now(), 1)
  try {
    for (;;) {
      const before = await log.read('alerts.inbound.v1')
      const ends = new Map<number, number>()
      for (const { partition, offset } of before) ends.set(partition, Number(offset) + 1)
      await until(
        'every record of alerts.inbound.v1 to be processed',
        async () => {
          const { rows } = await pool.query<{ partition: number; next_offset: number }>(
            "SELECT partition, next_offset FROM stream_offsets WHERE processor = 'incident' AND topic = 'alerts.inbound.v1'"
          )
          const next = new Map(rows.map((row) => [row.partition, row.next_offset]))
          return [...ends].every(([partition, end]) => (next.get(partition) ?? 0) >= end)
        },
        left()
      )
      await until(
        'the outbox to be empty',
        async () => (await pool.query<{ waiting: boolean }>('SELECT EXISTS (SELECT FROM outbox) AS waiting')).rows[0]?.waiting === false,
        left()
      )
      const after = await log.read('alerts.inbound.v1')
      if (after.length === before.length) return after
    }
  } finally {
    await pool.end()
  }
}

/**
 * The signal key for a source's key, as the specification of the topic defines it. It deliberately
 * does not use the door's own function.
 */
export const signalKey = (integration_id: string, source: string, key: string): string =>
  `int:${integration_id}:${createHash('sha256').update(`${source}\n${key}`).digest('hex')}`

/**
 * Waits until the service is quiet, reads everything and judges it. Throws when the service does
 * not come to rest, or cannot be read.
 */
export async function check(product: Product, { ledgerFile, tenants, recordings }: CheckOptions): Promise<Verdicts> {
  const { entries, digest } = readLedger(ledgerFile)
  const ours = new Set(tenants)
  const log = await readBack(product)
  try {
    const started = Date.now()
    const alerts = await quiesce(product, log)
    const quiet_after_ms = Date.now() - started
    const pool = product.pool()
    const [rows, { rules }] = await Promise.all([loadRows(pool, tenants), loadInForce(pool, tenants)]).finally(() => pool.end())
    const decode = async <N extends RecordName>(topic: TopicName, name: N) =>
      (await log.read(topic)).map((record) => ({ record, value: log.codec.decode(name, bytesOf(record)) }))
    const events = (await decode('incident.events.v1', 'IncidentEvent')).map(({ record, value }) => ({ record, event: value }))
    const alertEvents = (await decode('alert.events.v1', 'AlertEvent')).map(({ record, value }) => ({ record, event: value }))
    const states = (await decode('incident.state.v1', 'Incident')).map(({ record, value }) => ({ record, incident: value }))
    const inbound = alerts.map((record) => ({ record, alert: log.codec.decode('InboundAlert', bytesOf(record)) }))
    const { counts, violations } = await judge({
      entries,
      rows,
      inbound: inbound.filter(({ alert }) => ours.has(alert.tenant_id)),
      events: events.filter(({ event }) => ours.has(event.tenant_id)),
      states: states.filter(({ incident }) => ours.has(incident.tenant_id)),
      alertEvents: alertEvents.filter(({ event }) => ours.has(event.tenant_id)),
      rules,
      raw: (await decode('alerts.raw.v1', 'RawAlert')).map(({ value }) => value.payload.toString()),
      recordings
    })
    return { counts: { ledger_digest: digest, quiet_after_ms, ...counts }, violations }
  } finally {
    await log.close()
  }
}

/**
 * Judges what was found. Waits `framesMs` for frames that a socket may still get: they leave with
 * their events, but another process passes them on.
 */
export async function judge(found: Found, framesMs = 60_000): Promise<Verdicts> {
  const counts: Verdicts['counts'] = {}
  const violations: string[] = []
  const evidence: Evidence = {
    ...found,
    count: (name, value) => {
      counts[name] = value
    },
    must(holds, sentence) {
      if (!holds) violations.push(sentence())
    }
  }
  checkStored(evidence)
  checkEnds(evidence)
  checkReplay(evidence)
  checkAlerts(evidence)
  checkLog(evidence)
  await checkFrames(evidence, framesMs)
  return { counts, violations }
}

/**
 * accepted ⊆ stored; refused ∩ stored = ∅; nothing is stored that was not sent, or more often than
 * it was sent.
 */
function checkStored({ entries, inbound, raw, count, must }: Evidence): void {
  const sent = new Map<string, { attempt: Entry; alert: SentAlert; accepted: number; unknown: number }>()
  const posts = { accepted: 0, refused: 0, unknown: 0 }
  for (const attempt of entries) {
    posts[attempt.verdict] += 1
    for (const alert of attempt.alerts) {
      const known = sent.get(alert.id) ?? { attempt, alert, accepted: 0, unknown: 0 }
      if (attempt.verdict !== 'refused') known[attempt.verdict] += 1
      sent.set(alert.id, known)
    }
  }
  const stored = new Map<string, number>()
  for (const { record, alert } of inbound) {
    const id = markOf(alert.description)
    const known = id === null ? undefined : sent.get(id)
    must(known !== undefined, () => `alerts.inbound.v1 ${record.partition}:${record.offset} holds an alert that nobody sent`)
    if (id === null || !known) continue
    stored.set(id, (stored.get(id) ?? 0) + 1)
    const { attempt, alert: was } = known
    must(
      alert.tenant_id === attempt.tenant_id &&
        alert.action === was.action &&
        alert.dedup_key === signalKey(attempt.integration_id, attempt.source, was.key),
      () => `alert ${id} is on the log as another workspace's, another key's or another action`
    )
    must(record.key === `${alert.tenant_id}|${alert.dedup_key}`, () => `alert ${id} has record key ${record.key}`)
  }
  let accepted = 0
  let refused = 0
  let unknownStored = 0
  for (const [id, { accepted: times, unknown }] of sent) {
    const found = stored.get(id) ?? 0
    if (times > 0) accepted += 1
    else if (unknown === 0) refused += 1
    else if (found > 0) unknownStored += 1
    must(found >= times, () => `alert ${id} was accepted ${times} times and is ${found} times on the log`)
    must(
      found <= times + unknown,
      () => `alert ${id} is ${found} times on the log, but was accepted ${times} times and is unknown ${unknown} times`
    )
  }
  const kept = raw.join('\n')
  for (const { status, alerts } of entries) {
    if (status !== 429) continue
    for (const { id } of alerts) must(!kept.includes(`${mark(id)}"`), () => `alert ${id} was over the budget and stands on alerts.raw.v1`)
  }
  count('posts', entries.length)
  count('posts_accepted', posts.accepted)
  count('posts_refused', posts.refused)
  count('posts_unknown', posts.unknown)
  count('alerts_sent', sent.size)
  count('alerts_accepted', accepted)
  count('alerts_refused', refused)
  count('alerts_unknown_but_stored', unknownStored)
  count('alerts_on_the_log', inbound.length)
}

/** The episodes of a key: incidents that are their own alerts, and alerts with rows. */
export const episodesOf = (rows: Rows, key: string): { incident_id: string | null; status: string }[] => [
  ...(rows.byKey.get(key) ?? []),
  ...(rows.alertsByKey.get(key) ?? [])
]

/**
 * Checks what the ledger alone says of each condition: how it ends and, for a source with
 * sequences, how many incidents it had.
 */
function checkEnds({ entries, rows, count, must }: Evidence): void {
  const conditions = new Map<string, { tenant_id: string; source: string; alerts: Map<string, { alert: SentAlert; accepted: boolean }> }>()
  for (const { tenant_id, integration_id, source, alerts, verdict } of entries) {
    if (verdict === 'refused') continue
    for (const alert of alerts) {
      const name = signalKey(integration_id, source, alert.key)
      const condition = conditions.get(name) ?? { tenant_id, source, alerts: new Map() }
      conditions.set(name, condition)
      condition.alerts.set(alert.id, { alert, accepted: verdict === 'accepted' || condition.alerts.get(alert.id)?.accepted === true })
    }
  }
  let judged = 0
  let counted = 0
  for (const [name, { tenant_id, source, alerts }] of conditions) {
    const episodes = episodesOf(rows, name)
    // Commands changed these incidents, so the ledger alone does not explain them.
    if (episodes.some(({ incident_id }) => incident_id !== null && rows.commanded.has(incident_id))) continue
    const all = [...alerts.values()]
    const last = all.reduce((newest, one) => (one.alert.at > newest.alert.at ? one : newest))
    if (last.accepted) {
      judged += 1
      const ongoing = episodes.filter(({ status }) => status === 'ongoing').length
      const wanted = last.alert.action === 'fire' ? 1 : 0
      must(
        ongoing === wanted,
        () => `workspace ${tenant_id}, ${name}: its last alert says ${last.alert.action}, and it has ${ongoing} ongoing incidents`
      )
    }
    if (source !== 'alertmanager' || all.some(({ accepted }) => !accepted)) continue
    counted += 1
    const began = new Set(all.filter(({ alert }) => alert.action === 'fire').map(({ alert }) => alert.sequence)).size
    must(began === episodes.length, () => `workspace ${tenant_id}, ${name}: began ${began} times, and had ${episodes.length} incidents`)
  }
  count('conditions', conditions.size)
  count('conditions_whose_end_the_ledger_knows', judged)
  count('conditions_whose_incidents_the_ledger_knows', counted)
}

/** For a frame this close to a cut it is unknown whether it came before or after it. */
const FRAME_MARGIN_MS = 5000

/**
 * Frames that were due to a workspace: name → when the relay put its event on the log, epoch ms.
 */
function framesDue(events: Evidence['events'], tenant_id: string): Map<string, number> {
  const due = new Map<string, number>()
  for (const { record, event } of events) {
    if (event.tenant_id !== tenant_id) continue
    const ends = event.change === 'closed' && event.incident.resolution_reason === 'closed'
    const own = ['created', 'acknowledged', 'assigned', 'resolved'].includes(event.change)
    const type = ends ? 'resolved' : own ? event.change : 'updated'
    due.set(`incident.${type} ${event.incident_id} ${event.ver}`, record.timestamp)
  }
  return due
}

const framesSeen = ({ frames }: Recording): Map<string, number> => {
  const seen = new Map<string, number>()
  for (const { frame } of frames) {
    if (typeof frame.data.incident_id !== 'string') continue
    const name = `${frame.type} ${frame.data.incident_id} ${frame.ver}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  return seen
}

const neverCut = ({ open }: Recording): boolean => open.length === 1 && open[0]?.to === null

/**
 * A socket that was never cut got every frame of its workspace; no socket got another workspace's.
 */
async function checkFrames({ rows, events, recordings, count, must }: Evidence, framesMs: number): Promise<void> {
  const limit = Date.now() + framesMs
  const missing = () =>
    [...recordings].some(([tenant_id, recording]) => {
      const seen = framesSeen(recording)
      return neverCut(recording) && [...framesDue(events, tenant_id).keys()].some((name) => !seen.has(name))
    })
  while (missing() && Date.now() < limit) await new Promise((resolve) => setTimeout(resolve, 50))

  const frames = { expected: 0, received: 0, repeated: 0, missed_around_a_cut: 0, missed_while_open: 0 }
  for (const [tenant_id, recording] of recordings) {
    for (const { frame } of recording.frames) {
      const { incident_id } = frame.data
      if (typeof incident_id !== 'string') continue
      must(
        rows.incidents.get(incident_id)?.tenant_id === tenant_id,
        () => `a socket of workspace ${tenant_id} got a frame of ${incident_id}, which is not its own`
      )
    }
    const seen = framesSeen(recording)
    const received = [...seen.values()].reduce((sum, times) => sum + times, 0)
    frames.received += received
    frames.repeated += received - seen.size
    const due = framesDue(events, tenant_id)
    frames.expected += due.size
    for (const [name, sentAt] of due) {
      if (seen.has(name)) continue
      must(!neverCut(recording), () => `workspace ${tenant_id}: its socket was open all the time and did not get ${name}`)
      if (wasOpen(recording, sentAt, FRAME_MARGIN_MS)) frames.missed_while_open += 1
      else frames.missed_around_a_cut += 1
    }
  }
  for (const [name, value] of Object.entries(frames)) count(`frames_${name}`, value)
  count(
    'socket_cuts',
    [...recordings.values()].reduce((sum, { closes }) => sum + closes.length, 0)
  )
}

const SHOWN = 20

/** Prints counts and violations; returns whether all holds. */
export function report({ counts, violations }: Verdicts): boolean {
  const width = Math.max(...Object.keys(counts).map((name) => name.length))
  for (const [name, value] of Object.entries(counts)) console.log(`  ${name.padEnd(width)}  ${value}`)
  for (const violation of violations.slice(0, SHOWN)) console.log(`VIOLATED: ${violation}`)
  if (violations.length > SHOWN) console.log(`... and ${violations.length - SHOWN} more`)
  return violations.length === 0
}
