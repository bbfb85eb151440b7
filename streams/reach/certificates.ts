/**
 * Decides when people are notified that a certificate ends, and when that is over. Pure.
 *
 * In       the certificate that the monitor's checks saw last, its thresholds, and what was
 *          reported before, with its certificate
 * Out      the threshold to report now (0: it has ended), or why the earlier report is over
 * Source   docs/design/api/monitors.md#certificates, docs/design/api/webhooks.md#s19
 *
 *   reported before      seen now                                 what happens
 *   nothing              no threshold is passed                   nothing
 *   nothing              some are                                 the smallest is reported
 *   of this certificate  a smaller one is passed                  it is reported
 *   of this certificate  anything else                            nothing
 *   of another           some are passed                          smallest is reported: it ends soon, too
 *   of another           none is                                  over: renewed
 *   of any               deleted, no thresholds, no certificate   over: unwatched
 * A paused monitor sees nothing new, and nothing new is reported about it. A certificate is
 * identified by the time at which it ends (docs/decisions/0079), so the same end is reported once.
 */
const DAY_MS = 86_400_000

/** The threshold that means the end itself. */
export const ENDED = 0

export interface SeenCertificate {
  /** End of the certificate, epoch ms; null when none was seen. */
  not_after: number | null
  /** How many days before the end people want to be notified. */
  thresholds: readonly number[]
  /** The monitor is there. */
  watched: boolean
  paused: boolean
}

export interface ToldCertificate {
  /** End of the reported certificate, epoch ms; it identifies the certificate. */
  not_after: number
  /** The smallest threshold that was reported; 0 when the end was. */
  threshold: number
}

export type CertificateStep = { tell: number } | { over: 'renewed' | 'unwatched' }

/** The smallest threshold that is passed, 0 after the end; null when none is. */
export function passedThreshold(not_after: number, thresholds: readonly number[], now: number): number | null {
  const left = (not_after - now) / DAY_MS
  if (left <= 0) return thresholds.length === 0 ? null : ENDED
  const passed = thresholds.filter((days) => left <= days)
  return passed.length === 0 ? null : Math.min(...passed)
}

/** `now` in epoch ms. Returns null when there is nothing new to report. */
export function certificateStep(
  { not_after, thresholds, watched, paused }: SeenCertificate,
  told: ToldCertificate | null,
  now: number
): CertificateStep | null {
  if (!watched || not_after === null || thresholds.length === 0) return told && { over: 'unwatched' }
  if (paused) return null
  const passed = passedThreshold(not_after, thresholds, now)
  if (told?.not_after === not_after) return passed !== null && passed < told.threshold ? { tell: passed } : null
  if (passed !== null) return { tell: passed }
  return told && { over: 'renewed' }
}
