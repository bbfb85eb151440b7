/** What a prober reports about itself, apart from its checks and results. */
import type { Metrics } from '../process/metrics.ts'

/**
 * Both in seconds, read only when metrics are collected: a timer for them would wake the process
 * for nothing.
 */
export interface Readings {
  /** Seconds since the last answered hello; -1 before the first. */
  helloAge(): number
  oldestDue(): number
}

export interface ProberMetrics {
  countMonitors(region: number, own: number): void
  loopDelay(seconds: number): void
}

export function createProberMetrics(metrics: Metrics, { helloAge, oldestDue }: Readings): ProberMetrics {
  const monitors = metrics.gauge('service_prober_monitors', 'Monitors of the region, and those that this prober checks', ['share'])
  const age = metrics.gauge('service_prober_hello_age_seconds', 'Seconds since the service last answered a hello, -1 before the first', [])
  Object.assign(age, { collect: () => age.set(helloAge()) })
  const late = metrics.gauge(
    'service_prober_oldest_due_seconds',
    'Seconds that the oldest check is late that could have begun, 0 when none is',
    []
  )
  Object.assign(late, { collect: () => late.set(oldestDue()) })
  const delay = metrics.gauge('service_prober_event_loop_delay_seconds', 'Longest delay of the event loop between the last two hellos', [])
  return {
    countMonitors(region, own) {
      monitors.set({ share: 'region' }, region)
      monitors.set({ share: 'own' }, own)
    },
    loopDelay: (seconds) => delay.set(seconds)
  }
}
