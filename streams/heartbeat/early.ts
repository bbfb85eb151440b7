/**
 * Pings that come before the first configuration of their heartbeat. A door knows a heartbeat as
 * soon as it is committed and appends directly; the configuration goes through outbox and relay to
 * the same partition and stands behind the pings of a script that creates and pings at once. They
 * are kept as a row of their own, with the gaps of ours that come between, and the configuration
 * applies them in the order of the log: as if they had come right after it.
 *
 * Forgotten   a minute after a ping came, by the partition's ticks; a gap in the ticks does not
 *             count. So what stays of a heartbeat that was deleted goes.
 * Bounded     100 pings and gaps of one heartbeat: for one more the oldest is dropped, since the
 *             newest say how it is. 1000 heartbeats: the ping of one more is refused (a dead
 *             letter). A ping that was dropped or forgotten stands in the ping log and counts for
 *             nothing.
 * Source      docs/design/architecture.md#s4-control-records, #s6-heartbeats
 */
import type { EarlyInput, EarlyRow, Gap, Origin, PingReport } from './state.ts'

/** The relay needs a fraction of a second; a minute outlasts its restart. */
const KEPT_MS = 60_000
/** The doors let at most 80 pings of one heartbeat pass within a minute, instance by instance. */
const MAX_INPUTS = 100
/**
 * More heartbeats than a partition is given in a minute; with a row of 100 inputs each, some 30 MB.
 */
export const MAX_EARLY_ROWS = 1000

/** `at`: epoch ms, the record's time. */
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
  // A door that refuses for a while tells every 2 s, each gap reaching into the next. As one, they
  // move a deadline to where they would one by one.
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
 * What the first configuration is to apply, in order. `lastTick`: the partition's, epoch ms; null
 * before its first.
 */
export const earlyInputs = ({ inputs }: EarlyRow, lastTick: number | null): readonly EarlyInput[] =>
  inputs.filter((one) => one.input !== 'ping' || lastTick === null || one.forget_at > lastTick)
