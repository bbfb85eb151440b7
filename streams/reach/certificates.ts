/**
 * When people are told of a certificate that ends, and when that is over. Pure.
 *
 * In       the certificate that the checks of a monitor saw last, its thresholds, and what of which
 *          certificate was told before
 * Out      the threshold that is told now (0: it has ended), or why what was told is over
 * Source   docs/design/api/monitors.md#certificates, docs/design/api/webhooks.md#s19
 *
 *   told before          seen now                                 what happens
 *   nothing              no threshold is passed                   nothing
 *   nothing              some are                                 the smallest is told
 *   of this certificate  a smaller one is passed                  it is told
 *   of this certificate  anything else                            nothing
 *   of another           some are passed                          the smallest is told: it ends soon, too
 *   of another           none is                                  over: renewed
 *   of any               deleted, no thresholds, no certificate   over: unwatched
 * A paused monitor sees nothing new, and nothing is told of it. What identifies a certificate is
 * when it ends (docs/decisions/0079): the same day is told of once.
 */
const DAY_MS = 86_400_000

/** Stands for the end itself. */
export const ENDED = 0

export interface SeenCertificate {
  /** Epoch ms; null: none was seen. */
  not_after: number | null
  /** Days before the end at which people want to be told. */
  thresholds: readonly number[]
  /** The monitor is there. */
  watched: boolean
  paused: boolean
}

export interface ToldCertificate {
  /** Epoch ms: of which certificate. */
  not_after: number
  /** The smallest that was told; 0: that it has ended. */
  threshold: number
}

export type CertificateStep = { tell: number } | { over: 'renewed' | 'unwatched' }

/** The smallest threshold that is passed, 0 behind the end; null: none is. */
export function passedThreshold(not_after: number, thresholds: readonly number[], now: number): number | null {
  const left = (not_after - now) / DAY_MS
  if (left <= 0) return thresholds.length === 0 ? null : ENDED
  const passed = thresholds.filter((days) => left <= days)
  return passed.length === 0 ? null : Math.min(...passed)
}

/** `now` in epoch ms. Null: there is nothing new to tell. */
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
