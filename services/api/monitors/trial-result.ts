/**
 * Shows the person who asked for a trial what the prober answered. Pure. The prober has removed
 * secrets already (services/prober/found.ts). Parts of its answer that have no field here are
 * dropped.
 * Source: docs/design/api/monitors.md#mo-9.
 */
import { checkReasons } from '../../../schemas/http/check-outcome.ts'
import type { TrialResult } from '../../../schemas/http/monitors.ts'
import { storable } from '../../../streams/incident/rules.ts'
import type { TrialSaid } from '../../store/check-trials.ts'

const words = (text: string | null | undefined): string | null => (text == null ? null : storable(text))

export function toTrialResult(region: string, { instance_id, result }: TrialSaid): TrialResult {
  const { timings_ms: timings, http, tls, reason, attempts, assertions = [] } = result
  return {
    region,
    prober_instance: instance_id,
    started_at: result.started_at,
    outcome: result.outcome,
    reason: reason == null ? null : (checkReasons.find((known) => known === reason) ?? 'unknown'),
    message: words(result.message),
    attempts: attempts.length,
    timings_ms: {
      dns: timings.dns ?? null,
      connect: timings.connect ?? null,
      tls: timings.tls ?? null,
      request: timings.request ?? null,
      ttfb: timings.ttfb ?? null,
      download: timings.download ?? null,
      total: timings.total ?? null
    },
    http: http ? { status: http.status, bytes: http.bytes ?? null } : null,
    tls: tls ? { issuer: words(tls.issuer), not_after: tls.not_after, chain_ok: tls.chain_ok } : null,
    assertions: assertions.map(({ index, ok, actual, message }) => ({ index, ok, actual: words(actual), message: words(message) })),
    redirects: (http?.redirects ?? []).map(storable)
  }
}
