/**
 * One check of a monitor: its attempts within the round, and the result that is sent.
 * Source: docs/design/api/monitors.md#s3-5, docs/design/api/prober.md#s16-4.
 *
 * A failed attempt is repeated as `retry` says, as long as the next attempt, timeout included, fits
 * before the next slot and into max_total_seconds. A degraded answer and a refused address are not
 * repeated. The result is that of the last attempt. Its `total` is the time of all attempts,
 * without the waits between them.
 */
import type { Retry } from '../../schemas/http/check-config.ts'
import type { Assignment, Result } from '../../schemas/http/prober.ts'
import { MAX_RESULT_MESSAGE } from '../../schemas/limits.ts'
import type { AttemptReport, Edge } from './attempt.ts'
import type { Timings } from './phases.ts'
import type { Attempts } from './prober-type.ts'

/** What to check, for a slot or on demand. Instants in epoch ms by the service's clock. */
export interface Round {
  checkId: string
  scheduledAt: number
  /** The next slot; attempts must end before it. */
  endsAt: number
  onDemand: boolean
  count: boolean
}

/** The fields by which a result names its monitor. */
export type Subject = Pick<Assignment, 'monitor_id' | 'tenant_ref' | 'config_version'>

export const noTimings: Readonly<Timings> = { dns: null, connect: null, tls: null, request: null, ttfb: null, download: null, total: null }

/**
 * Timers fire a little late. An attempt that was planned to fit is still made when it is late by
 * this much.
 */
const LATE_MS = 250

/** Milliseconds to wait before attempt `nth` (2 for the first repeat); null when there is none. */
export function retryWait(retry: Retry, nth: number): number | null {
  if (retry.strategy === 'none' || nth > retry.count + 1) return null
  const base = retry.base_seconds * 1000
  if (retry.strategy === 'fixed') return base
  return retry.strategy === 'linear' ? base * (nth - 1) : base * 2 ** (nth - 2)
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** The result of a round that did not contact its target. */
export function resultWithout(
  subject: Subject,
  round: Round,
  outcome: 'prober_error' | 'missed_window',
  message: string,
  at: number,
  version: string
): Result {
  return {
    ...head(subject, round, version),
    started_at: iso(at),
    finished_at: iso(at),
    outcome,
    reason: null,
    message: message.slice(0, MAX_RESULT_MESSAGE),
    attempts: [],
    timings_ms: noTimings
  }
}

const head = (subject: Subject, round: Round, version: string) => ({
  check_id: round.checkId,
  monitor_id: subject.monitor_id,
  tenant_ref: subject.tenant_ref,
  config_version: subject.config_version,
  seq: round.scheduledAt,
  on_demand: round.onDemand,
  count: round.count,
  scheduled_at: iso(round.scheduledAt),
  prober_version: version
})

/**
 * Performs a round. `now`: epoch ms by the service's clock; `rest` waits between two attempts;
 * `failed` receives the report of the last attempt if the check has failed. Rejects when `abort`
 * ends the round.
 */
export async function performRound(
  plan: Attempts,
  retry: Retry,
  subject: Subject,
  round: Round,
  edge: Edge & { rest: (ms: number) => Promise<void>; version: string; failed?: (last: AttemptReport) => void }
): Promise<Result> {
  const { now } = edge
  const startedAt = now()
  const latest = Math.min(round.endsAt, startedAt + retry.max_total_seconds * 1000)
  const attempts: Result['attempts'] = []
  let total = 0
  const attempt = async (): Promise<AttemptReport> => {
    const from = now()
    const report = await plan.attempt(edge)
    const { outcome, reason, message, timings } = report
    attempts.push({ started_at: iso(from), finished_at: iso(now()), outcome, reason, message, timings_ms: timings })
    total += timings.total ?? 0
    return report
  }
  let report = await attempt()
  while (report.again || (report.outcome === 'failure' && report.reason !== 'blocked_target')) {
    const pause = retryWait(retry, attempts.length + 1)
    if (pause === null || now() + pause + plan.timeoutMs > latest) break
    await edge.rest(pause)
    // The pause may have been longer, because the round waited for a place.
    if (now() + plan.timeoutMs > latest + LATE_MS) break
    report = await attempt()
  }
  const { outcome, reason, message, timings } = report
  if (outcome === 'failure') edge.failed?.(report)
  return {
    ...head(subject, round, edge.version),
    started_at: iso(startedAt),
    finished_at: attempts.at(-1)?.finished_at ?? iso(now()),
    outcome,
    reason,
    message,
    attempts,
    timings_ms: { ...timings, total: Math.round(total * 1000) / 1000 },
    http: httpOf(report),
    tls: report.tls,
    ...(report.dns && { dns: report.dns }),
    ...(report.domainExpiresAt && { domain: { expires_at: report.domainExpiresAt } }),
    assertions: report.assertions,
    body_excerpt: null // Nothing would keep it.
  }
}

function httpOf({ status, version, bytes, redirects, remoteIp }: AttemptReport): NonNullable<Result['http']> | null {
  return status === null && remoteIp === null ? null : { status, version, bytes, redirects, remote_ip: remoteIp }
}
