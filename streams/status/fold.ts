/**
 * Turns results, configurations and ticks into statuses. It processes a batch of one partition of
 * checks.results.v1 in log order.
 *
 * State    MonitorRow by monitor_id, PartitionRow by `partition:<n>` (state.ts)
 * Returns  changed rows, in two sets: rows to store at once, and rows in which only watermarks
 *          moved; transitions, frames and marks for the log; feed notices of regions that fail
 *          alone and of flapping; notices of gaps between ticks, of ignored ticks and of skewed
 *          results; refused records that do not belong here; counts of irregular records
 * Times    ../partition-time.ts decides which ticks count, which times written by doors are kept,
 *          and which results are skewed (not judged)
 * Ticks    more than 3 s between two ticks is an outage of the service itself: tick time stands
 *          still for that gap, so no region becomes stale by it, and a notice reports it
 * A tick costs one comparison per monitor, and a review of each monitor whose review is due. The
 * partition's own row is stored with every batch that stores anything. Otherwise a restart would
 * see a gap between ticks that did not exist. The fold is pure: it never changes its arguments,
 * only rows that it made itself in this batch. Batches may be cut anywhere.
 */
import type { CheckResult, MonitorConfig, Tick } from '../../schemas/generated/events.ts'
import type { FeedNotice, Input, Notice, PartitionOutcome, Refusal, Remarks } from '../define.ts'
import { afterIgnored, isSkewed, isTold, judgeTick, partitionTime, placed, TICK_GAP_MS } from '../partition-time.ts'
import { type Emits, eventTypeOf, markOf, noticesOf, told } from './outgoing.ts'
import { calmPlace, configure, copyOf, isDue, type Moment, observe, observeCalm, review, type Step } from './rules.ts'
import { isMonitorRow, type MonitorRow, type PartitionRow, partitionKey, type StatusState } from './state.ts'

/** UUIDv5. The caller passes it in, because rules do not import Node modules. */
export type Uuidv5 = (namespace: string, name: string) => string

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The fold for PartitionProcessor.fold. All inputs are from one partition. */
export const statusFold =
  (uuidv5: Uuidv5) =>
  (state: ReadonlyMap<string, StatusState>, inputs: readonly Input[]): PartitionOutcome<StatusState, Emits> => {
    const touched = new Map<string, MonitorRow | null>()
    /**
     * Rows that calm results created in this batch, each with a bit mask of the regions (by index)
     * that were copied with it. No other code holds these rows yet, so they may be changed in
     * place.
     */
    const made = new Map<MonitorRow, number>()
    const matters = new Set<string>()
    const outgoing: ReturnType<typeof told> = []
    const marks = new Map<string, ReturnType<typeof markOf>>()
    const notices: Notice[] = []
    const feed: FeedNotice[] = []
    const refused: Refusal[] = []
    const remarks: Remarks = { ticks_repeated: 0, ticks_old: 0, ticks_stray: 0, results_skewed: 0, times_placed: 0 }
    const ownKey = partitionKey(inputs[0]?.partition ?? 0)
    const stored = state.get(ownKey)
    const before = stored && !isMonitorRow(stored) ? stored : null
    let own: PartitionRow | null = before
    let at: Input | undefined = inputs[0]

    // One shared object for the whole batch. A rule reads it while it runs and keeps no part of it.
    const moment: Moment = {
      at: 0,
      clock: 0,
      received_at: 0,
      cause: () => ({ kind: 'signal', src: sourceOf(at), event_id: eventIdOf(at), request_id: null, input: null }),
      id: (monitor_id, ver) => uuidv5(monitor_id, String(ver))
    }

    const rowOf = (monitor_id: string): MonitorRow | null => {
      const row = touched.get(monitor_id)
      if (row !== undefined) return row
      const old = state.get(monitor_id)
      return old && isMonitorRow(old) ? old : null
    }

    function calm(given: MonitorRow, nth: number, result: CheckResult): void {
      const regions = made.get(given)
      const row = regions === undefined ? copyOf(given) : given
      observeCalm(row, nth, regions !== undefined && (regions & (1 << nth)) !== 0, result, moment)
      made.set(row, (regions ?? 0) | (1 << nth))
      if (row !== given) touched.set(row.monitor_id, row)
    }

    function take(old: MonitorRow | null, { row, transition, matters: semantic, restated, gone }: Step): void {
      const known = row ?? old
      if (!known) return
      const { monitor_id } = known
      touched.set(monitor_id, gone ? null : row)
      if (semantic) matters.add(monitor_id)
      if (row && transition) {
        outgoing.push(...told(transition, row))
        feed.push(...noticesOf(transition, old))
        marks.set(monitor_id, markOf(row, eventTypeOf(transition), transition.cause.src))
      } else if (row && restated) marks.set(monitor_id, markOf(row, 'monitor.configured', sourceOf(at)))
      else if (!row) {
        const ver = known.ver + 1
        marks.set(monitor_id, markOf({ ...known, ver, event_id: uuidv5(monitor_id, String(ver)) }, 'monitor.deleted', sourceOf(at)))
      }
    }

    /** Returns the partition time of a record; NaN before the first tick. */
    const timeOf = (timestamp: number): number => (own ? partitionTime(own.tick_at, own.tick_appended_at, timestamp) : Number.NaN)

    function tick({ t }: Tick, timestamp: number, partition: number): void {
      const last = own
      own = afterTick(last, { t, appended_at: timestamp, partition, time: timeOf(timestamp) }, { remarks, notices })
      if (!own || own.tick_at === last?.tick_at) return
      const clock = t - own.lost_ms
      moment.at = timestamp
      moment.clock = clock
      for (const row of touched.values()) {
        if (row && isDue(row, clock)) take(row, review(row, moment))
      }
      for (const [key, row] of state) {
        if (isMonitorRow(row) && isDue(row, clock) && !touched.has(key)) take(row, review(row, moment))
      }
    }

    for (const input of inputs) {
      at = input
      moment.at = input.timestamp
      moment.clock = own ? own.tick_at - own.lost_ms : input.timestamp
      if (input.record === 'CheckResult') {
        const row = rowOf(input.value.monitor_id)
        if (!row) continue
        const time = timeOf(input.timestamp)
        const { received_at } = input.value
        if (isSkewed(input.value.scheduled_at, received_at, time)) {
          own = afterSkewed(own, input.timestamp, time, { remarks, notices })
          continue
        }
        moment.received_at = placed(received_at, own ? own.tick_at : null, time)
        if (moment.received_at !== received_at) remarks.times_placed += 1
        const nth = calmPlace(row, input.value, moment.clock)
        if (nth >= 0) {
          calm(row, nth, input.value)
          continue
        }
        const step = observe(row, input.value, moment)
        if (step) take(row, step)
      } else if (input.record === 'Tick') tick(input.value, input.timestamp, input.partition)
      else if (input.record === 'MonitorConfig') {
        const row = rowOf(input.value.monitor_id)
        const fault = faultOf(input.value, row)
        if (fault) refused.push({ input, reason: fault })
        else {
          const step = configure(row, input.value, moment)
          if (step) take(row, step)
        }
      } else refused.push({ input, reason: `${input.record} is no record of checks.results.v1` })
    }

    const { changed, kept } = parted(touched, matters, state)
    if (own && (changed.size > 0 || notices.length > 0)) changed.set(ownKey, own)
    else if (own && own !== before) kept.set(ownKey, own)
    return { changed, kept, outgoing: [...outgoing, ...marks.values()], jobs: [], refused, notices, feed, hints: [], remarks }
  }

const sourceOf = (input: Input | undefined): string => (input ? `${input.topic}:${input.partition}:${input.offset}` : '')

/** event_id of the causing record; null for a tick, which has none. */
const eventIdOf = (input: Input | undefined): string | null => (input && 'event_id' in input.value ? input.value.event_id : null)

/**
 * Returns why a configuration cannot be applied: an id that the store would reject, or a monitor
 * that belongs to another workspace. Null when it can be applied.
 */
function faultOf({ tenant_id, monitor_id }: MonitorConfig, row: MonitorRow | null): string | null {
  if (!UUID.test(tenant_id) || !UUID.test(monitor_id)) return 'an id is not a UUID'
  return row && row.tenant_id !== tenant_id ? 'the monitor is of another workspace' : null
}

/**
 * Returns the partition's row after a tick, whether or not the tick counts. `time`: partition time
 * (T) of the tick's record.
 */
function afterTick(
  own: PartitionRow | null,
  tick: { t: number; appended_at: number; partition: number; time: number },
  told: { remarks: Remarks; notices: Notice[] }
): PartitionRow | null {
  const { t, appended_at, partition } = tick
  const verdict = judgeTick(own ? own.tick_at : null, own ?? {}, t, appended_at)
  if (verdict !== 'counts') return own && afterIgnored(own, own.tick_at, verdict, tick, told)
  const gap = own ? t - own.tick_at : 0
  const lost = gap > TICK_GAP_MS ? gap : 0
  if (own && lost > 0) told.notices.push({ cause: 'tick_gap', from: own.tick_at, to: t })
  const { stray_ticks: _, ...kept } = own ?? {}
  return { ...kept, partition, tick_at: t, tick_appended_at: appended_at, lost_ms: (own?.lost_ms ?? 0) + lost }
}

/** Splits the touched monitor rows into those that must be stored at once and the rest. */
function parted(touched: ReadonlyMap<string, MonitorRow | null>, matters: ReadonlySet<string>, state: ReadonlyMap<string, StatusState>) {
  const changed = new Map<string, StatusState | null>()
  const kept = new Map<string, StatusState>()
  for (const [key, row] of touched) {
    if (row === null || matters.has(key)) {
      if (row !== null || state.has(key)) changed.set(key, row)
    } else kept.set(key, row)
  }
  return { changed, kept }
}

/**
 * Counts a result from a prober whose clock is wrong, and reports some of these results to people.
 * `time`: partition time (T) of its record.
 */
function afterSkewed(
  own: PartitionRow | null,
  appended_at: number,
  time: number,
  { remarks, notices }: { remarks: Remarks; notices: Notice[] }
): PartitionRow | null {
  remarks.results_skewed += 1
  if (own === null || Number.isNaN(time) || !isTold(own.skewed_told_at, appended_at)) return own
  notices.push({ cause: 'results_skewed', from: time, to: time })
  return { ...own, skewed_told_at: appended_at }
}
