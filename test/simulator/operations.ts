/**
 * Everything that can happen in a simulation. A history is a list of these operations and contains
 * every number, so it can be run again, and operations can be left out of it. Instants are
 * relative, in ms.
 */
import type { Rule, Silence } from './model/routing.ts'
import type { Effect, Scope } from './model/windows.ts'

/** Numbers of targets and keys in a history. */
export const MONITORS = 8
export const HEARTBEATS = 8
export const KEYS = 8

/** Parts that are simulated besides the targets. Each can be held up or crash. */
export type Part = 'status' | 'heartbeat' | 'incident' | 'relay' | 'notifier' | 'clock'
export type Kind = 'monitor' | 'heartbeat'

export type Operation =
  /** Time passes; every `every` ms, the parts that are not held run. */
  | { op: 'pass'; ms: number; every: number }
  /** Creates a monitor, or gives it a new version. */
  | {
      op: 'monitor'
      n: number
      regions: number
      rule: 'any' | 'majority' | 'all' | 'count'
      count: number
      rounds: number
      recovery: number
      min_seconds: number
      recovery_seconds: number
      interval: number
      /** Rounds in which flapping is detected; null: it is not. */
      flap: number | null
      /** Failures within a number of seconds that are also enough. */
      rate: { failures: number; window_seconds: number } | null
      /** Seconds after which a region that fails alone is reported. */
      advisory: number
    }
  | {
      op: 'heartbeat'
      n: number
      period: number
      cron: '* * * * *' | '*/5 * * * *' | null
      grace: number
      max_run: number | null
      min_run: number | null
      tolerance: number
      recovery: number
      keep_phase: boolean
    }
  /** Sets the monitors that one depends on. They have lower numbers. `wait` in s. */
  | { op: 'depend'; n: number; parents: readonly number[]; wait: number }
  /** Somebody resolves the mass outage of a workspace. */
  | { op: 'end outage'; tenant: 0 | 1 }
  /** What the regions see from now on: one bit for each region. */
  | { op: 'target'; n: number; failing: number; degraded: number; unreachable: number }
  /** What the job does from now on. */
  | { op: 'job'; n: number; does: 'pings' | 'is silent' | 'fails' | 'runs' | 'starts only' }
  /** A result outside the rhythm; `ago`: time since it was due. */
  | { op: 'result'; n: number; region: number; outcome: 'success' | 'degraded' | 'failure' | 'prober_error'; ago: number; door: number }
  /** The last result of a region is sent again. */
  | { op: 'again'; n: number; region: number }
  | { op: 'ping'; n: number; kind: 'success' | 'start' | 'fail' | 'log' | 'exit'; code: number; run: number | null; door: number }
  | {
      op: 'alert'
      key: number
      action: 'fire' | 'resolve'
      severity: 'critical' | 'warning' | 'info'
      sequence: number | null
      /** How long ago, by the sender's clock; null: the sender gives no time. */
      sent_ago: number | null
      delivery: number | null
      door: number
    }
  /** `by_ping`: the next ping of a heartbeat ends it. */
  | { op: 'pause'; kind: Kind; n: number; resolve_open: boolean; for: number | null; by_ping: boolean }
  | { op: 'resume'; kind: Kind; n: number }
  | { op: 'delete'; kind: Kind; n: number }
  /** A person acts on the newest incident of a target or key. */
  | { op: 'act'; on: Kind | 'key'; n: number; does: Deed }
  /** A person acts on the newest alert of a target or key, if it has a row of its own. */
  | { op: 'act alert'; on: Kind | 'key'; n: number; does: 'resolve' | 'close' | 'acknowledge' | 'promote' }
  /** The rules of a workspace are replaced. */
  | { op: 'rules'; tenant: 0 | 1; rules: readonly Rule[] }
  /** A silence with a pattern; its instants count from now. */
  | { op: 'silence'; tenant: 0 | 1; of: Silence['of']; from: number; until: number }
  /** Somebody ends a silence early; 0: the newest one. */
  | { op: 'end silence'; nth: number }
  /**
   * A maintenance window; `from` counts from now, to the minute. `settle` in s. `every_days`: it
   * recurs; null: it does not.
   */
  | {
      op: 'window'
      tenant: 0 | 1
      scope: Scope
      effect: Effect
      from: number
      minutes: number
      settle: number
      every_days: number | null
    }
  /** Somebody ends or deletes a window or changes its effect; `nth` says which. */
  | { op: 'change window'; nth: number; does: 'end now' | 'delete' | Effect }
  | { op: 'sweep' }
  /** A part of the service stops, or continues. */
  | { op: 'hold'; part: Part; partition: number; on: boolean }
  /** A part dies in the middle of its work and starts anew. */
  | { op: 'crash'; part: Exclude<Part, 'clock'>; partition: number; when: 'before commit' | 'after commit'; most: number }
  /** Sets how many records a step takes at most. */
  | { op: 'chunk'; most: number; joined: boolean }
  /** A clock is off by this much from now on. */
  | { op: 'skew'; clock: 'door' | 'prober' | 'broker' | 'postgres'; n: number; ms: number }
  /** A door's appends take this long from now on. */
  | { op: 'latency'; door: number; ms: number }
  /** The door refuses pings, or accepts them again. */
  | { op: 'refuse'; door: number; on: boolean }
  /** A tick reaches one partition this much later. */
  | { op: 'late tick'; topic: 'checks' | 'pings'; partition: number; ms: number }

/** What people do with an incident; `move`: to another team. */
export type Deed = 'resolve' | 'resolve at once' | 'close' | 'acknowledge' | 'silence' | 'move'

/** Returns the operation as one line for people. */
export function lineOf(operation: Operation): string {
  const { op, ...rest } = operation
  const parts = Object.entries(rest).map(
    ([name, value]) => `${name} ${value === null ? 'none' : typeof value === 'object' ? JSON.stringify(value) : String(value)}`
  )
  return parts.length === 0 ? op : `${op}: ${parts.join(', ')}`
}
