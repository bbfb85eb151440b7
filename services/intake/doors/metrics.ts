/**
 * The counters of the doors. They are plain numbers that are copied to the metrics when somebody
 * reads them, because finding a labelled counter costs more than counting.
 */
import type { Metrics } from '../../process/metrics.ts'

export interface DoorMetrics {
  answered(door: string, status: number): void
  /** The sender disconnected before its answer. */
  left(door: string): void
  /** `sentAt` by performance.now(): when the alerts were passed to the log. */
  acknowledged(door: string, alerts: number, sentAt: number): void
  unacknowledged(alerts: number): void
  /** A payload was refused. The reason is `budget`, or the error code of an unreadable payload. */
  refused(why: string): void
  warned(what: string): void
  rawLost(): void
  usageLost(): void
  /** The door stopped listening because descriptors ran out. */
  shed(): void
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
  const shed = metrics.counter('service_intake_shed_total', 'Times the doors stopped listening for want of descriptors')
  const seconds = metrics.histogram(
    'service_intake_append_seconds',
    'From handing alerts to the log to its acknowledgement',
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
  )
  const inFlight = metrics.gauge('service_intake_in_flight', 'Requests without an answer yet')
  whenRead(inFlight, () => inFlight.set(now.inFlight()))
  const bytesHeld = metrics.gauge('service_intake_bytes_held', 'Bytes of bodies held')
  whenRead(bytesHeld, () => bytesHeld.set(now.bytesHeld()))
  const budgetWindows = metrics.gauge('service_intake_budget_windows', 'Budget windows held')
  whenRead(budgetWindows, () => budgetWindows.set(now.windows()))

  const answered = new Map<string, Map<number, number>>()
  whenRead(answers, () => {
    for (const [door, codes] of answered) for (const [code, count] of codes) answers.inc({ door, code: String(code) }, count)
    answered.clear()
  })
  const acknowledged = new Map<string, number>()
  whenRead(alerts, () => {
    for (const [door, count] of acknowledged) alerts.inc({ door }, count)
    acknowledged.clear()
  })
  const refused = new Map<string, number>()
  whenRead(refusals, () => {
    for (const [reason, count] of refused) refusals.inc({ reason }, count)
    refused.clear()
  })
  let observedAt = 0
  return {
    answered(door, status) {
      let codes = answered.get(door)
      if (!codes) {
        codes = new Map()
        answered.set(door, codes)
      }
      codes.set(status, (codes.get(status) ?? 0) + 1)
    },
    left: (door) => abandoned.inc({ door }),
    acknowledged(door, count, sentAt) {
      acknowledged.set(door, (acknowledged.get(door) ?? 0) + count)
      const now = performance.now()
      // Alerts that one batch acknowledges waited for the same acknowledgement: one observation
      // stands for all of them.
      if (now - observedAt < 1) return
      observedAt = now
      seconds.observe((now - sentAt) / 1000)
    },
    unacknowledged: (count) => lost.inc(count),
    refused: (reason) => void refused.set(reason, (refused.get(reason) ?? 0) + 1),
    warned: (what) => warnings.inc({ what }),
    rawLost: () => raw.inc(),
    usageLost: () => usage.inc(),
    shed: () => shed.inc()
  }
}

/** Runs `read` each time before the metric is shown. */
function whenRead(metric: object, read: () => void): void {
  Object.assign(metric, { collect: read })
}
