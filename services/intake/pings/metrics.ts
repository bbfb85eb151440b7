/**
 * The counters of the ping doors: plain numbers that are read when somebody asks (doors/metrics.ts
 * says why).
 */
import type { DoorGap, PingKind } from '../../../schemas/generated/events.ts'
import type { Metrics } from '../../process/metrics.ts'

export type PingOutcome = 'accepted' | 'paused' | 'unconfirmed' | 'gap' | 'unknown' | 'limited' | 'method' | 'no_credentials'

export interface PingMetrics {
  ping(kind: PingKind, outcome: PingOutcome): void
  closed(): void
  gapWritten(gap: DoorGap): void
}

export function createPingMetrics(
  metrics: Metrics,
  now: { inFlight(): number; open(): boolean; sizes(): Record<string, number> }
): PingMetrics {
  const pings = metrics.counter('service_intake_pings_total', 'Pings, by what they report and what became of them', ['kind', 'outcome'])
  const counted = new Map<string, number>()
  Object.assign(pings, {
    collect() {
      for (const [labels, count] of counted) {
        const [kind = '', outcome = ''] = labels.split(' ')
        pings.inc({ kind, outcome }, count)
      }
      counted.clear()
    }
  })
  const closings = metrics.counter('service_intake_ping_door_closed_total', 'Times the ping door closed since the log failed')
  const gaps = metrics.counter('service_intake_door_gaps_total', 'Gaps of the ping door that are on the log', ['reason'])
  const inFlight = metrics.gauge('service_intake_pings_in_flight', 'Pings without an answer yet')
  Object.assign(inFlight, { collect: () => inFlight.set(now.inFlight()) })
  const open = metrics.gauge('service_intake_ping_door_open', 'Whether pings are taken: 1, or refused: 0')
  Object.assign(open, { collect: () => open.set(now.open() ? 1 : 0) })
  const kept = metrics.gauge('service_intake_kept_lookups', 'Heartbeats and monitors that are kept', ['kind'])
  Object.assign(kept, {
    collect() {
      for (const [kind, size] of Object.entries(now.sizes())) kept.set({ kind }, size)
    }
  })
  return {
    ping(kind, outcome) {
      const labels = `${kind} ${outcome}`
      counted.set(labels, (counted.get(labels) ?? 0) + 1)
    },
    closed: () => closings.inc(),
    gapWritten: ({ reason }) => gaps.inc({ reason })
  }
}
