/** What the doors count. Label values are kept as children, since looking one up costs more than counting. */
import type { Metrics } from '../../metrics.ts'

export interface DoorMetrics {
  answered(door: string, status: number): void
  /** The sender left before its answer. */
  left(door: string): void
  acknowledged(door: string, alerts: number, ms: number): void
  unacknowledged(alerts: number): void
  /** A payload refused: `budget`, or the error code of what could not be read. */
  refused(why: string): void
  warned(what: string): void
  rawLost(): void
  usageLost(): void
}

export function createDoorMetrics(metrics: Metrics, now: { inFlight(): number; bytesHeld(): number; windows(): number }): DoorMetrics {
  const answers = metrics.counter('service_intake_requests_total', 'Requests answered, by door and status', ['door', 'code'])
  const abandoned = metrics.counter('service_intake_abandoned_total', 'Requests whose sender left before the answer', ['door'])
  const alerts = metrics.counter('service_intake_alerts_total', 'Alerts acknowledged by the log', ['door'])
  const lost = metrics.counter('service_intake_alerts_unacknowledged_total', 'Alerts answered 503 because the log did not acknowledge them')
  const refusals = metrics.counter('service_intake_refused_total', 'Payloads refused, by reason', ['reason'])
  const warnings = metrics.counter('service_intake_warnings_total', 'Accepted payloads that left something out', ['what'])
  const raw = metrics.counter('service_intake_raw_lost_total', 'Raw payloads that the log did not take')
  const usage = metrics.counter(
    'service_intake_usage_failures_total',
    'Publications of usage counters that failed; the next one makes up for it'
  )
  const seconds = metrics.histogram(
    'service_intake_append_seconds',
    'From handing alerts to the log to its acknowledgement',
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
  )
  gauge(metrics, 'service_intake_in_flight', 'Requests without an answer yet', now.inFlight)
  gauge(metrics, 'service_intake_bytes_held', 'Bytes of bodies held', now.bytesHeld)
  gauge(metrics, 'service_intake_budget_windows', 'Budget windows held', now.windows)

  const children = new Map<string, { inc(value?: number): void }>()
  function child(key: string, make: () => { inc(value?: number): void }): { inc(value?: number): void } {
    let found = children.get(key)
    if (!found) {
      found = make()
      children.set(key, found)
    }
    return found
  }
  return {
    answered: (door, status) => child(`${door} ${status}`, () => answers.labels(door, String(status))).inc(),
    left: (door) => abandoned.labels(door).inc(),
    acknowledged(door, count, ms) {
      child(door, () => alerts.labels(door)).inc(count)
      seconds.observe(ms / 1000)
    },
    unacknowledged: (count) => lost.inc(count),
    refused: (why) => child(`refused ${why}`, () => refusals.labels(why)).inc(),
    warned: (what) => warnings.labels(what).inc(),
    rawLost: () => raw.inc(),
    usageLost: () => usage.inc()
  }
}

/** A gauge that is read when somebody asks. */
function gauge(metrics: Metrics, name: string, help: string, read: () => number): void {
  const made = metrics.gauge(name, help)
  Object.assign(made, { collect: () => made.set(read()) })
}
