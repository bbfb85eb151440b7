/** Metrics of deliveries for operators. */
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { LANES, waitingDeliveries } from '../store/deliveries.ts'
import type { Step } from '../store/delivery-outcomes.ts'
import type { Pool } from '../store/pool.ts'
import type { Attempted } from './attempt.ts'

const EVERY_MS = 5000
const MAX_COUNTED = 10_000
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]

const names = new Map<number, string>(Object.entries(LANES).map(([name, lane]) => [lane, name]))

interface Resting {
  /** Returns the targets that rest (breaker.ts). */
  targets(): readonly string[]
  /** Whether the mail server rests (mail-places.ts). */
  mail(): boolean
}

export function deliveryMetrics(metrics: Metrics, pool: Pool, log: Pick<Log, 'warn'>, resting: Resting) {
  const attempts = metrics.counter('service_delivery_attempts_total', 'Attempts to tell a target', ['kind', 'outcome'])
  const ended = metrics.counter('service_deliveries_ended_total', 'Deliveries that reached a final state', ['kind', 'state'])
  const seconds = metrics.histogram('service_delivery_attempt_seconds', 'How long attempts took', SECONDS, ['kind'])
  const operator = metrics.counter('service_delivery_operator_faults_total', 'Attempts that failed by a fault of this deployment', ['kind'])
  const told = metrics.histogram(
    'service_delivery_told_seconds',
    'From the decision to the end of the delivery',
    [...SECONDS, 60, 600, 3600],
    ['kind']
  )
  const waiting = metrics.gauge('service_deliveries_waiting', 'Deliveries that are due and not claimed, at most 10,000 counted', ['lane'])
  const oldest = metrics.gauge('service_deliveries_oldest_seconds', 'How long one of those whose turn it is has waited', ['lane'])

  async function sample(): Promise<void> {
    for (const { lane, waiting: count, oldest_ms } of await waitingDeliveries(pool, MAX_COUNTED, resting.targets(), resting.mail())) {
      const name = names.get(lane) ?? String(lane)
      waiting.set({ lane: name }, count)
      oldest.set({ lane: name }, oldest_ms / 1000)
    }
  }
  const timer = setInterval(() => {
    sample().catch((error: unknown) => log.warn({ err: error }, 'waiting deliveries could not be counted'))
  }, EVERY_MS)
  timer.unref()

  return {
    attempted(kind: string, { step: { attempt }, operator: isOperators }: Attempted): void {
      if (!attempt) return
      attempts.inc({ kind, outcome: attempt.outcome })
      seconds.observe({ kind }, (attempt.latency_ms ?? 0) / 1000)
      if (isOperators) operator.inc({ kind })
    },
    done({ row, state, at }: Step): void {
      if (state === 'retrying') return
      ended.inc({ kind: row.kind, state })
      if (state === 'sent' || state === 'delivered') told.observe({ kind: row.kind }, Math.max(0, at - row.queued_at) / 1000)
    },
    close: () => clearInterval(timer)
  }
}
