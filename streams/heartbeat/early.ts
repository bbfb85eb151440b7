/**
 * Early pings: pings that arrive before the first configuration of their heartbeat. A door knows a
 * heartbeat as soon as it is committed, and appends its pings directly. The configuration travels
 * through outbox and relay to the same partition, so it arrives after the pings of a script that
 * creates a heartbeat and pings it at once. Such pings are kept in a separate row, with the gaps
 * that occur in between. The first configuration applies them in log order, as if they had arrived
 * right after it.
 *
 * Dropped     a minute after the ping, by the partition's ticks; a gap in the ticks does not
 *             count. This also removes late pings of a deleted heartbeat.
 * Bounded     100 pings and gaps per heartbeat: one more drops the oldest, since the newest show
 *             the current state. 1000 heartbeats: the ping of one more is refused (a dead letter).
 *             A ping that was dropped is still in the ping log, but counts for nothing.
 * Source      docs/design/architecture.md#s4-control-records, #s6-heartbeats
 */
import type { EarlyInput, EarlyRow, Gap, Origin, PingReport } from './state.ts'

/**
 * How long an early ping is kept. The relay needs a fraction of a second; a minute also covers a
 * restart of the relay.
 */
const KEPT_MS = 60_000
/** Each instance of the doors lets at most 80 pings of one heartbeat pass within a minute. */
const MAX_INPUTS = 100
/**
 * More than the heartbeats that one partition receives within a minute. With 100 inputs each, the
 * rows take some 30 MB.
 */
export const MAX_EARLY_ROWS = 1000

/** Adds a ping to the row of early pings. `at`: epoch ms, the record's time. */
export function keepPing(row: EarlyRow | null, heartbeat_id: string, ping: PingReport, origin: Origin, at: number): EarlyRow {
  const { kind, exit_code, run_id, received_at } = ping
  const forget_at = at + KEPT_MS
  const input: EarlyInput = { input: 'ping', ping: { kind, exit_code, run_id, received_at }, forget_at, ...origin }
  return {
    kind: 'early',
    heartbeat_id,
    inputs: [...(row?.inputs ?? []), input].slice(-MAX_INPUTS),
    next_at: Math.max(row?.next_at ?? forget_at, forget_at)
  }
}

export function keepGap(row: EarlyRow, { input, from, to }: Gap, origin: Origin): EarlyRow {
  const last = row.inputs.at(-1)
  // A door that keeps refusing reports a gap every 2 s, and each gap overlaps the next. Merged into
  // one, they move a deadline as far as they would one by one.
  if (input === 'door_gap' && last?.input === 'door_gap' && last.from <= from && from <= last.to) {
    const whole: EarlyInput = { ...last, to: Math.max(last.to, to) }
    return { ...row, inputs: [...row.inputs.slice(0, -1), whole] }
  }
  const inputs = [...row.inputs, { input, from, to, ...origin }].slice(-MAX_INPUTS)
  if (input === 'door_gap') return { ...row, inputs }
  const later = (instant: number): number => (instant > from ? instant + to - from : instant)
  return {
    ...row,
    inputs: inputs.map((one) => (one.input === 'ping' ? { ...one, forget_at: later(one.forget_at) } : one)),
    next_at: later(row.next_at)
  }
}

/**
 * Inputs that the first configuration must apply, in order. `lastTick`: last tick of the partition,
 * epoch ms; null before the first.
 */
export const earlyInputs = ({ inputs }: EarlyRow, lastTick: number | null): readonly EarlyInput[] =>
  inputs.filter((one) => one.input !== 'ping' || lastTick === null || one.forget_at > lastTick)
