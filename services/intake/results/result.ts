/**
 * Converts one result of a prober to the record for checks.results.v1. Pure. The region comes from
 * the token and the workspace from the monitor; the body's own values for them are not used.
 */
import type { CheckReason, CheckResult } from '../../../schemas/generated/events.ts'
import type { Result } from '../../../schemas/http/prober.ts'
import { MAX_RESULT_ACTUAL, MAX_RESULT_MESSAGE } from '../../../schemas/limits.ts'
import type { MonitorOwnerRow } from '../../store/lookups.ts'
import { retentionDays } from '../normalise.ts'
import { cut } from '../readers.ts'

/**
 * A result scheduled further than this after its receipt comes from a wrong clock. A door whose
 * time is agreed marks it as skewed, for people to see. The status fold judges by partition time.
 */
const SKEW_MS = 5000
/**
 * A check is counted at most this long before and after the receipt of its result. Summaries of all
 * workspaces are stored by the time of the check, so no prober may spread results over many years.
 * Where the door's time is not agreed, the time of the receipt may be the wrong one, so a check may
 * be as long after it as before.
 */
const MAX_BEHIND_MS = 86_400_000
const MAX_AHEAD_MS = 60_000

export interface Batch {
  region: string
  instance_id: string
  /** Epoch ms when the door had read the batch. */
  received_at: number
  /** Whether Postgres and the broker agree on that time. */
  isAgreed: boolean
}

/** A text that is not a valid time. */
export class NoInstant extends Error {
  override readonly name = 'NoInstant'
}

/**
 * The log's words for why a check failed. A word that this version does not know becomes `unknown`.
 */
// biome-ignore format: a list
const reasons: ReadonlySet<string> = new Set(['timeout', 'dns', 'connect', 'tls', 'http_status', 'redirect', 'assertion', 'body_too_large', 'protocol', 'icmp_loss',
  'blocked_target', 'auth'] satisfies CheckReason[])
const isReason = (word: string): word is CheckReason => reasons.has(word)
export const toReason = (word: string | null | undefined): CheckReason | null => (word ? (isReason(word) ? word : 'unknown') : null)

const whole = (number: number | null | undefined): number | null =>
  typeof number === 'number' && Number.isSafeInteger(number) ? number : null
/** The answer of a target may hold anything: NUL and halves of surrogate pairs become U+FFFD. */
export const storable = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd')

const words = (text: string | null | undefined, max: number): string | null =>
  text === null || text === undefined ? null : cut(storable(text), max)

/** Returns epoch ms. Throws NoInstant with the name of the field. */
export function instant(text: string, field: string): number {
  const ms = Date.parse(text)
  if (!Number.isFinite(ms)) throw new NoInstant(field)
  return ms
}

/** `owner` is the owner of the result's monitor. Throws NoInstant. */
export function toCheckResult(result: Result, owner: MonitorOwnerRow, { region, instance_id, received_at, isAgreed }: Batch): CheckResult {
  const { outcome, timings_ms: timings, http, tls, domain } = result
  const scheduled_at = instant(result.scheduled_at, 'scheduled_at')
  const ahead = isAgreed ? MAX_AHEAD_MS : MAX_BEHIND_MS
  const near = (at: number): number => Math.min(Math.max(at, received_at - MAX_BEHIND_MS), received_at + ahead)
  return {
    event_id: result.check_id.toLowerCase(),
    tenant_id: owner.tenant_id,
    monitor_id: owner.monitor_id,
    region,
    seq: result.seq,
    scheduled_at,
    checked_at: near(instant(result.started_at, 'started_at')),
    finished_at: near(instant(result.finished_at, 'finished_at')),
    received_at,
    skewed: isAgreed && scheduled_at > received_at + SKEW_MS,
    prober: instance_id,
    prober_version: result.prober_version ?? null,
    kind: result.on_demand === true ? 'on_demand' : 'scheduled',
    count: result.count ?? true,
    attempts: result.attempts.length,
    outcome,
    ok: outcome === 'success' || outcome === 'degraded',
    reason: toReason(result.reason),
    message: words(result.message, MAX_RESULT_MESSAGE),
    status_code: http?.status ?? null,
    timings_ms: {
      dns: timings.dns ?? null,
      connect: timings.connect ?? null,
      tls: timings.tls ?? null,
      request: timings.request ?? null,
      first_byte: timings.ttfb ?? null,
      download: timings.download ?? null,
      total: timings.total ?? null
    },
    response_bytes: whole(http?.bytes),
    assertions: (result.assertions ?? []).map(({ index, ok, actual, message }) => ({
      index,
      ok,
      actual: words(actual, MAX_RESULT_ACTUAL),
      message: words(message, MAX_RESULT_ACTUAL)
    })),
    certificate_not_after: tls?.not_after ? instant(tls.not_after, 'tls.not_after') : null,
    certificate_issuer: tls?.issuer ? storable(tls.issuer) : null,
    certificate_chain_ok: tls?.chain_ok ?? null,
    domain_expires_at: domain ? instant(domain.expires_at, 'domain.expires_at') : null,
    config_version: Math.min(result.config_version, Number.MAX_SAFE_INTEGER),
    team_id: owner.team_id,
    visibility: owner.visibility,
    retention_days: retentionDays(owner.plan)
  }
}
