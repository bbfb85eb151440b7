/**
 * Converts the answer of a failed check, as its prober stored it, to the record for
 * checks.captures.v1. Pure. The answer is already redacted and cut (services/prober/captured.ts).
 * The region comes from the token and the workspace from the monitor; the body's own values for
 * them are not used.
 */
import type { CheckCapture } from '../../../schemas/generated/events.ts'
import type { Capture } from '../../../schemas/http/prober.ts'
import { CAPTURE_KEPT_DAYS } from '../../../schemas/limits.ts'
import type { MonitorOwnerRow } from '../../store/lookups.ts'
import { type Batch, instant, storable, toReason } from './result.ts'

/** `owner` is the owner of the capture's monitor. Throws NoInstant. */
export const toCheckCapture = (
  capture: Capture,
  owner: Pick<MonitorOwnerRow, 'tenant_id' | 'monitor_id'>,
  { region, instance_id, received_at }: Pick<Batch, 'region' | 'instance_id' | 'received_at'>
): CheckCapture => ({
  event_id: capture.check_id.toLowerCase(),
  tenant_id: owner.tenant_id,
  monitor_id: owner.monitor_id,
  region,
  prober: instance_id,
  captured_at: instant(capture.captured_at, 'captured_at'),
  received_at,
  config_version: Math.min(capture.config_version, Number.MAX_SAFE_INTEGER),
  reason: toReason(capture.reason),
  http_version: capture.http_version ?? null,
  status_code: capture.status,
  status_text: capture.status_text ? storable(capture.status_text) : null,
  headers: capture.headers.map(({ name, value }) => ({ name: storable(name), value: storable(value) })),
  headers_left_out: capture.headers_left_out ?? 0,
  body_kind: capture.body_kind,
  body: capture.body_kind === 'text' ? storable(capture.body ?? '') : null,
  body_bytes: capture.body_bytes,
  body_cut: capture.body_cut,
  retention_days: CAPTURE_KEPT_DAYS
})

export const keyOf = ({ tenant_id, monitor_id }: CheckCapture): string => `${tenant_id}|${monitor_id}`
