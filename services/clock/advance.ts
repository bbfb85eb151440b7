/**
 * Keeps the service's time: which `t` a tick carries, and whether ticks may be sent at all. Pure.
 *
 * unchecked   just begun; not yet compared with Postgres, no ticks
 * running     `t` moves by the monotonic clock, up to 10 % faster or slower towards the wall clock,
 *             so that a jump of the wall clock is no jump of `t`
 * stopped     `t` and Postgres's clock differ by more than 2 s, and it is unknown which is right:
 *             no ticks, `t` stands still, an alarm is due
 *
 * running → stopped when a comparison differs by more than 2 s. unchecked or stopped → running when
 * a comparison finds the wall clock and Postgres within 2 s of each other, and `t` at most 2 s
 * ahead. Then `t` continues from the wall clock, but never goes back. A `t` that ran ahead waits
 * until real time has caught up: what ticks decide may be late, but never wrong. The gap that a
 * stop leaves between two ticks shifts deadlines (docs/design/architecture.md#s6-time).
 */
export const MAX_SKEW_MS = 2000
export const MAX_SLEW = 0.1

/**
 * Both clocks at one instant, in ms. `mono` has an arbitrary origin and never jumps. `wall` is
 * epoch ms and may jump.
 */
export interface Reading {
  mono: number
  wall: number
}

export interface Time {
  state: 'unchecked' | 'running' | 'stopped'
  /** Epoch ms; grows only. */
  t: number
  /** The monotonic clock at the instant `t`. */
  mono: number
  /** `t` of the last tick: whole seconds. */
  ticked: number
  /** `t` minus Postgres's time at the last comparison; ms. */
  skew: number
}

const wholeSecond = (t: number): number => Math.floor(t / 1000) * 1000

/**
 * Begins a new time. `after` is the time that this process kept before, if any: the new time never
 * lies before it.
 */
export function begin({ mono, wall }: Reading, after: Time | null = null): Time {
  const t = Math.max(wall, after?.t ?? 0)
  return { state: 'unchecked', t, mono, ticked: Math.max(wholeSecond(t), after?.ticked ?? 0), skew: 0 }
}

function moved(time: Time, { mono, wall }: Reading): Time {
  const passed = Math.max(mono - time.mono, 0)
  if (time.state === 'stopped') return { ...time, mono }
  const most = passed * MAX_SLEW
  const slew = Math.min(Math.max(wall - (time.t + passed), -most), most)
  return { ...time, mono, t: time.t + passed + slew }
}

/**
 * Moves the time to the reading. `tick` is the newest whole second that has come since the last
 * tick. Seconds in between are skipped, not caught up.
 */
export function advance(before: Time, reading: Reading): { time: Time; tick: number | null } {
  const time = moved(before, reading)
  const second = wholeSecond(time.t)
  if (time.state !== 'running' || second <= time.ticked) return { time, tick: null }
  return { time: { ...time, ticked: second }, tick: second }
}

/**
 * Compares the time with `server`, Postgres's epoch ms at the instant of the reading, and sets the
 * state.
 */
export function compare(before: Time, reading: Reading, server: number): Time {
  const time = moved(before, reading)
  const skew = time.t - server
  if (time.state === 'running') return Math.abs(skew) <= MAX_SKEW_MS ? { ...time, skew } : { ...time, skew, state: 'stopped' }
  const agreed = Math.abs(reading.wall - server) <= MAX_SKEW_MS && skew <= MAX_SKEW_MS
  if (!agreed) return { ...time, skew, state: 'stopped' }
  const t = Math.max(time.t, reading.wall)
  return { ...time, state: 'running', t, ticked: Math.max(time.ticked, wholeSecond(t)), skew: t - server }
}

/** ms until the next second can have come, at the present pace. */
export const untilNextSecond = (time: Time): number => 1000 - (time.t - wholeSecond(time.t))
