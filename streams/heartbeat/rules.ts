/**
 * The life of one heartbeat: which inputs make it late, missed, failed, and up again.
 *
 * State    its row; null before its first configuration
 * Inputs   configurations, pings, ticks that have reached `next_at`, gaps in the ticks, gaps of the
 *          doors
 * Returns  the row after the input, whether it must be stored at once, and what is reported of it:
 *          at most one transition
 * Source   docs/design/architecture.md#s6-heartbeats, docs/design/api/heartbeats.md#s4-1, #s4-3 and
 *          docs/design/api/decision-rules.md#s23-1, #s23-10, docs/design/streaming.md#s2-5; runs
 *          work as in Healthchecks, see deadlines.ts
 *
 *   from                 input                                             to                      status    reported
 *   none                 configuration                                     waiting, paused         up        no
 *   any                  configuration: schedule changed, not keep_phase   waiting                 up        if the status changed, or from the four below
 *   any                  configuration: paused                             paused                  kept      yes; with `resolve_open` it ends an incident of earlier decisions
 *   paused               configuration: no longer paused                   waiting                 up        yes
 *   paused by a window   configuration: no longer paused, has finished     on_time                 up        yes; slots within the window are not judged
 *   paused               any ping but a log, with unpause_on_ping          waiting                 up        yes; the ping then counts, and a job ends the pause
 *   any                  configuration: deleted                            none                              where it was missed: up
 *   waiting              start                                             running                 up        no; the first slot counts from the start
 *   on_time, grace       start                                             running                 up        no
 *   unknown              start                                             running                 up        yes
 *   up                   success, exit 0                                   on_time, or running     up        from unknown
 *   up                   fail, exit 1-255 within fail_tolerance in a row   on_time, or running     up        from unknown
 *   up                   fail, exit 1-255 beyond it                        failed                  missed    yes, reason failed
 *   any                  success of a run shorter than min_run_seconds     as a fail                         reason underrun
 *   on_time              tick at the expected time                         grace                   up        no
 *   up                   tick at deadline + 8 s                            missed                  missed    yes, reason missed
 *   up                   tick at a run's limit + 8 s                       failed                  missed    yes, reason overrun
 *   missed, failed       tick at a further deadline + 8 s                  same                    missed    no; missed_count grows
 *   missed               fail; tick at a run's limit + 8 s                 failed                  missed    yes, status unchanged
 *   missed, failed       success, the recovery_pings-th in a row           on_time, or running     up        yes
 *   missed, failed       success received by the missed deadline           on_time, or running     up        yes, late; whatever recovery_pings says
 *   on_time, grace,      gap that moves the deadline of a slot             unknown                 up        yes
 *   running              expected by the gap's end
 *
 * "on_time, or running": running when another run is still open; one whose end never came is
 * forgotten (lost-runs.ts). A log changes nothing, and while
 * paused no other ping does either. But while a maintenance window pauses, the time of the last
 * finish is kept, so that its end goes on from there. Pings before the first configuration are
 * applied right after it (early.ts). Only changes of status, and changes of phase from or to
 * failed, unknown and paused, are reported; changes that every ping makes are not. A miss that
 * exists when a gap becomes known stays; the next ping ends it.
 */
import type { HeartbeatConfig } from '../../schemas/generated/events.ts'
import { LATENESS_MS } from '../partition-time.ts'
import {
  closeSlots,
  extendAgain,
  extendFor,
  finishedAt,
  firstLimit,
  frameMayGo,
  isWithin,
  moveByDoorGap,
  moveByTickGap,
  nextInstant,
  openSlotAfter,
  PUNCTUAL_MS,
  passSlot,
  reopenSlot,
  sameDeadline,
  sameSchedule,
  slotAfterPause
} from './deadlines.ts'
import { forgetLost, forgetOver, markMissed } from './lost-runs.ts'
import { judgePutBack, keepOutages } from './put-back.ts'
import type { Gap, HeartbeatRow, PingReport, Run } from './state.ts'

export type HeartbeatInput =
  | { input: 'config'; config: HeartbeatConfig }
  /** `put_back`: of a dead letter that was put back, the last tick of the partition. */
  | { input: 'ping'; ping: PingReport; put_back?: number | undefined }
  | { input: 'tick'; t: number }
  | Gap

/** Details of a transition that the rows before and after it do not contain. */
export interface Told {
  expected_at: number | null
  deadline_at: number | null
  shifted_ms: number
  tick_at: number | null
  run_id: string | null
  exit_code: number | null
  late: boolean
  /** Why its ongoing incident ends without a recovery; null when it does not. */
  resolution_reason: string | null
}

export interface Step {
  row: HeartbeatRow | null
  /** The step changes later judgements or is reported to people, so the row is stored at once. */
  matters: boolean
  told: Told | null
  /** A frame of the row in its current state must be sent. */
  frame: boolean
  /** The row is dropped after its transition is sent. */
  gone?: true
  /**
   * The ping ended the pause that this version of the configuration began. The heartbeat itself
   * must be resumed, and the ping must be applied again, to the new row.
   */
  unpaused?: number
}

/** Limit of open runs per heartbeat. One more run drops the oldest. */
const MAX_RUNS = 20

/**
 * Applies one input to a row. `at`: epoch ms, the record's time. Never changes `row`; returns the
 * same object when nothing changes.
 */
export function reduceHeartbeat(row: HeartbeatRow | null, input: HeartbeatInput, at: number): Step {
  if (input.input === 'config') return configured(row, input.config, at)
  if (!row) return unchanged(row)
  if (input.input === 'ping' && input.put_back !== undefined) return pingedAgain(row, input.ping, at, input.put_back)
  if (row.phase === 'paused') return input.input === 'ping' ? pingedWhilePaused(row, input.ping, at) : unchanged(row)
  switch (input.input) {
    case 'ping':
      return pinged(row, input.ping, at)
    case 'tick':
      return ticked(row, input.t, at)
    default:
      return moved(row, input)
  }
}

function configured(row: HeartbeatRow | null, config: HeartbeatConfig, at: number): Step {
  if (!row) return config.deleted ? unchanged(null) : { row: created(config, at), matters: true, told: null, frame: false }
  if (config.version <= row.config.version) return unchanged(row)
  if (config.deleted) {
    if (row.status === 'up') return { row: null, matters: true, told: null, frame: false }
    // The heartbeat was missed between the command and this record; otherwise its incident would
    // already be resolved. No later record can report that it is over.
    const last: HeartbeatRow = { ...row, config, phase: 'waiting' }
    forget(last)
    recover(last, at)
    return { ...finish(row, last, { resolution_reason: 'monitor_deleted' }), gone: true }
  }
  const before = row.config
  const draft: HeartbeatRow = { ...row, config, tenant_id: config.tenant_id }
  const told: Partial<Told> = {}
  const startsAnew = !sameSchedule(before, config) && !config.keep_phase
  if (config.paused) {
    // The heartbeat may have been missed between the command and this record.
    if (row.phase !== 'paused' && config.resolve_open)
      told.resolution_reason = config.pause_reason === 'entitlement' ? 'entitlement' : 'user'
    draft.phase = 'paused'
    draft.frame_due = false
    forget(draft)
    if (isOfWindow(config) && !startsAnew) draft.last_finish_at = row.last_finish_at
  } else if (row.phase === 'paused' || startsAnew) {
    draft.phase = 'waiting'
    forget(draft)
    if (row.phase === 'paused' && isOfWindow(before) && row.last_finish_at !== null && !startsAnew) {
      draft.phase = 'on_time'
      draft.last_finish_at = row.last_finish_at
      slotAfterPause(draft, row.last_finish_at, config.at)
    }
    if (row.status !== 'up') recover(draft, at)
  } else if (!sameSchedule(before, config)) reopenSlot(draft, config.at)
  if (before.max_run_seconds === null && config.max_run_seconds !== null) forgetOver(draft)
  if (!sameDeadline(before, config)) extendAgain(draft)
  return finish(row, draft, told)
}

const created = (config: HeartbeatConfig, at: number): HeartbeatRow => ({
  kind: 'heartbeat',
  tenant_id: config.tenant_id,
  heartbeat_id: config.heartbeat_id,
  config,
  status: 'up',
  phase: config.paused ? 'paused' : 'waiting',
  since: at,
  reason: null,
  ver: 0,
  pings: 0,
  last_ping_at: null,
  last_finish_at: null,
  started_at: null,
  last_run_seconds: null,
  runs: [],
  expected_at: null,
  deadline_at: null,
  shifted_ms: 0,
  extended_ms: 0,
  tick_gap_ms: 0,
  door_gap_until: null,
  last_slot: null,
  last_miss: null,
  missed_count: 0,
  failures: 0,
  good: 0,
  frame_at: null,
  frame_due: false,
  next_at: null
})

/** Clears the slots and runs, so that nothing is judged until the next first ping. */
function forget(draft: HeartbeatRow): void {
  draft.runs = []
  draft.last_finish_at = null
  draft.last_slot = null
  draft.failures = 0
  draft.good = 0
  closeSlots(draft)
}

/** Whether a maintenance window pauses it. Its end goes on from the last finish. */
const isOfWindow = ({ pause_reason }: HeartbeatConfig): boolean => pause_reason === 'maintenance'

function pingedWhilePaused(row: HeartbeatRow, ping: PingReport, at: number): Step {
  const { kind, received_at } = ping
  if (endsPause(row, ping)) return unpaused(row, at)
  if (!isOfWindow(row.config) || kind === 'start' || kind === 'log' || kind === 'unknown') return unchanged(row)
  const last_finish_at = Math.max(row.last_finish_at ?? 0, received_at)
  return { row: { ...row, last_finish_at }, matters: true, told: null, frame: false }
}

/**
 * Whether the ping ends a pause: logs and unknown kinds do not. A row of an older version lacks
 * `unpause_on_ping`.
 */
const endsPause = ({ config }: HeartbeatRow, { kind }: PingReport): boolean =>
  config.unpause_on_ping === true && kind !== 'log' && kind !== 'unknown'

/**
 * Resumes the row as if that had happened just before the ping. The configuration record of the
 * resume comes later.
 */
function unpaused(row: HeartbeatRow, at: number): Step {
  const { config } = row
  const resumed: HeartbeatRow = {
    ...row,
    config: { ...config, paused: false, pause_reason: null, unpause_on_ping: false },
    phase: 'waiting'
  }
  forget(resumed)
  if (row.status !== 'up') recover(resumed, at)
  return { ...finish(row, resumed, {}), unpaused: config.version }
}

function pinged(row: HeartbeatRow, ping: PingReport, at: number, putBack = false): Step {
  const { kind, received_at, run_id, exit_code } = ping
  if (kind === 'log' || kind === 'unknown') return unchanged(row)
  const draft: HeartbeatRow = { ...row, pings: row.pings + 1, last_ping_at: Math.max(row.last_ping_at ?? 0, received_at) }
  // The slot that this ping was expected for; taken here, before the ping opens the next slot.
  const told: Partial<Told> = { expected_at: row.expected_at, deadline_at: row.deadline_at, shifted_ms: row.shifted_ms, exit_code }
  if (kind === 'start') started(draft, run_id, received_at)
  else {
    const closed = closeRun(draft, run_id, received_at)
    told.run_id = run_id ?? closed?.run_id ?? null
    forgetLost(draft, closed, received_at)
    finishedAt(draft, received_at)
    if (kind !== 'success' && exit_code !== 0) failed(draft, at, 'failed')
    else if (isTooShort(draft, closed)) failed(draft, at, 'underrun')
    else succeeded(draft, received_at, at, told)
  }
  if (putBack) keepOutages(draft, row)
  const step = finish(row, draft, told)
  if (!frameMayGo(row, at)) {
    draft.frame_due = true
    draft.next_at = nextInstant(draft)
    return step
  }
  draft.frame_at = at
  draft.frame_due = false
  draft.next_at = nextInstant(draft)
  return { ...step, frame: true }
}

/** Applies a ping that was put back (put-back.ts). */
function pingedAgain(row: HeartbeatRow, ping: PingReport, at: number, lastTick: number): Step {
  const effect = judgePutBack(row, ping, lastTick)
  if (effect === 'passed over') return unchanged(row)
  if (effect === 'noted') {
    const noted: HeartbeatRow = { ...row, pings: row.pings + 1, last_ping_at: ping.received_at }
    return { row: noted, matters: true, told: null, frame: false }
  }
  return pinged(row, ping, at, true)
}

function started(draft: HeartbeatRow, run_id: string | null, received_at: number): void {
  // A repeated start with the same id is the same run. A start without an id replaces the open run
  // without an id.
  if (run_id === null || !draft.runs.some((run) => run.run_id === run_id)) {
    const others = draft.runs.filter((run) => run_id !== null || run.run_id !== null)
    draft.runs = [...others.slice(1 - MAX_RUNS), { run_id, started_at: received_at, shifted_ms: 0 }]
  }
  if (draft.expected_at === null) openSlotAfter(draft, received_at)
  extendFor(draft, received_at)
  if (draft.status === 'up') draft.phase = 'running'
}

function closeRun(draft: HeartbeatRow, run_id: string | null, received_at: number): Run | null {
  const run = run_id === null ? draft.runs.at(-1) : draft.runs.find((open) => open.run_id === run_id)
  if (!run) return null
  draft.runs = draft.runs.filter((open) => open !== run)
  draft.last_run_seconds = Math.max(0, received_at - run.started_at) / 1000
  return run
}

/**
 * Whether the run that just ended was too short. A row of an older version lacks `min_run_seconds`.
 */
const isTooShort = ({ config, last_run_seconds }: HeartbeatRow, run: Run | null): boolean =>
  run !== null && last_run_seconds !== null && last_run_seconds < (config.min_run_seconds ?? 0)

function succeeded(draft: HeartbeatRow, received_at: number, at: number, told: Partial<Told>): void {
  draft.failures = 0
  if (draft.status === 'missed') {
    const miss = draft.last_miss
    const inTime = miss !== null && received_at <= miss.deadline_at
    const late = inTime && (draft.config.schedule_kind !== 'cron' || received_at + PUNCTUAL_MS >= miss.expected_at)
    draft.good += 1
    if (!late && draft.good < draft.config.recovery_pings) return
    if (late) Object.assign(told, { late, expected_at: miss.expected_at, deadline_at: miss.deadline_at })
    recover(draft, at)
  }
  draft.phase = wellPhase(draft)
}

function failed(draft: HeartbeatRow, at: number, reason: 'failed' | 'underrun'): void {
  draft.failures += 1
  draft.good = 0
  if (draft.failures > draft.config.fail_tolerance) {
    fall(draft, at, 'failed', reason)
    draft.last_miss = null // A late ping does not undo a failure that was reported.
  } else if (draft.status === 'up') draft.phase = wellPhase(draft)
}

const wellPhase = ({ runs }: HeartbeatRow): 'running' | 'on_time' => (runs.length > 0 ? 'running' : 'on_time')

function recover(draft: HeartbeatRow, at: number): void {
  draft.status = 'up'
  draft.since = at
  draft.reason = null
  draft.last_miss = null
  draft.missed_count = 0
  draft.good = 0
}

function fall(draft: HeartbeatRow, at: number, phase: 'missed' | 'failed', reason: 'missed' | 'failed' | 'overrun' | 'underrun'): void {
  if (draft.status === 'up') {
    draft.status = 'missed'
    draft.since = at
  }
  draft.phase = phase
  draft.reason = reason
}

/** Applies one effect of a tick. The fold calls it again as long as `next_at` has been reached. */
function ticked(row: HeartbeatRow, t: number, at: number): Step {
  if (row.next_at === null || row.next_at > t) return unchanged(row)
  const draft: HeartbeatRow = { ...row }
  const { expected_at, deadline_at, shifted_ms } = row
  const over = firstLimit(row)
  const due = deadline_at === null ? Number.POSITIVE_INFINITY : deadline_at
  if (over && over.limit <= due && over.limit + LATENESS_MS <= t) {
    draft.runs = row.runs.filter((run) => run !== over.run)
    draft.good = 0
    draft.last_miss = { expected_at: over.run.started_at, deadline_at: over.limit }
    // The slot was extended to the limit of this run, so slot and run are judged together.
    if (due === over.limit) passSlot(draft)
    fall(draft, at, 'failed', 'overrun')
    const { run_id, shifted_ms: moved_ms } = over.run
    return finish(row, draft, { expected_at, deadline_at: over.limit, shifted_ms: moved_ms, tick_at: t, run_id })
  }
  if (expected_at !== null && deadline_at !== null && due + LATENESS_MS <= t) {
    draft.missed_count += 1
    draft.good = 0
    draft.last_miss = { expected_at, deadline_at }
    markMissed(draft, deadline_at)
    passSlot(draft)
    if (row.status === 'up') fall(draft, at, 'missed', 'missed')
    return finish(row, draft, { expected_at, deadline_at, shifted_ms, tick_at: t })
  }
  if (row.frame_due && frameMayGo(row, t)) {
    draft.frame_due = false
    draft.frame_at = t
    draft.next_at = nextInstant(draft)
    return { row: draft, matters: false, told: null, frame: true }
  }
  if (row.phase === 'on_time' && expected_at !== null && expected_at <= t) draft.phase = 'grace'
  draft.next_at = nextInstant(draft)
  return { row: draft, matters: false, told: null, frame: false }
}

function moved(row: HeartbeatRow, gap: Gap): Step {
  const draft: HeartbeatRow = { ...row }
  if (!(gap.input === 'tick_gap' ? moveByTickGap(draft, gap) : moveByDoorGap(draft, gap))) return unchanged(row)
  // A tick gap also moves deadlines that lie ahead. But a slot that was not yet expected by the end
  // of the gap can have lost no ping, so the phase does not become unknown.
  if (row.status === 'up' && isWithin(row, { from: Number.NEGATIVE_INFINITY, to: gap.to })) draft.phase = 'unknown'
  return finish(row, draft, { expected_at: draft.expected_at, deadline_at: draft.deadline_at, shifted_ms: draft.shifted_ms })
}

const notable = new Set(['failed', 'unknown', 'paused'])

/**
 * Makes the draft the row after the step. For a change that the table reports, it also increases
 * the version and returns the details to report.
 */
function finish(row: HeartbeatRow, draft: HeartbeatRow, told: Partial<Told>): Step {
  draft.started_at = draft.runs.at(-1)?.started_at ?? null
  draft.next_at = nextInstant(draft)
  const news = draft.status !== row.status || (draft.phase !== row.phase && (notable.has(draft.phase) || notable.has(row.phase)))
  if (!news) return { row: draft, matters: true, told: null, frame: false }
  draft.ver += 1
  const { expected_at, deadline_at, shifted_ms } = draft
  return {
    row: draft,
    matters: true,
    told: {
      expected_at,
      deadline_at,
      shifted_ms,
      tick_at: null,
      run_id: null,
      exit_code: null,
      late: false,
      resolution_reason: null,
      ...told
    },
    frame: false
  }
}

const unchanged = (row: HeartbeatRow | null): Step => ({ row, matters: false, told: null, frame: false })
