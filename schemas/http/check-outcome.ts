/** The outcome of a check, both of recorded checks (analytics.ts) and of trials (monitors.ts). */
import { Type } from 'typebox'
import { failureReasons } from './check-config.ts'
import { Instant, nullable, oneOf } from './common.ts'

export const checkOutcomes = ['success', 'degraded', 'failure', 'prober_error', 'missed_window', 'rate_limited', 'unknown'] as const
export const checkReasons = [...failureReasons, 'unknown'] as const
/** What is kept of the body of an answer. */
export const capturedBodies = ['text', 'binary', 'none'] as const

const Ms = nullable(Type.Number())

export const checkOutcome = {
  outcome: oneOf(checkOutcomes),
  reason: nullable(oneOf(checkReasons)),
  message: nullable(Type.String()),
  attempts: Type.Integer({ description: 'Number of attempts in the check; the figures are those of the last attempt.' }),
  timings_ms: Type.Object({ dns: Ms, connect: Ms, tls: Ms, request: Ms, ttfb: Ms, download: Ms, total: Ms }),
  http: Type.Union([Type.Object({ status: nullable(Type.Integer()), bytes: nullable(Type.Integer()) }), Type.Null()]),
  tls: Type.Union([
    Type.Object({ issuer: nullable(Type.String()), not_after: nullable(Instant), chain_ok: nullable(Type.Boolean()) }),
    Type.Null()
  ]),
  assertions: Type.Array(
    Type.Object({
      index: Type.Integer(),
      ok: Type.Boolean(),
      actual: nullable(Type.String()),
      message: nullable(Type.String())
    })
  )
}
