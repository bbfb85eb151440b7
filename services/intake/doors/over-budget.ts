/**
 * The answer that only the doors for alerts give: the sender is over the budget of its workspace.
 * All other answers come from services/http/answer.ts.
 *
 * Source: docs/design/api/alerts-and-routing.md#s6-7, docs/design/api.md#s20;
 * docs/design/inbound-sources.md#s1-7.
 */
import type { Answer, Failure } from '../../http/answer.ts'
import { type Standing, WINDOW_SECONDS } from './budget.ts'

/** The refusal for a request over the budget. The body repeats the values of the headers. */
export const overBudget = ({ limit, reset_seconds }: Standing): Failure => ({
  status: 429,
  code: 'RATE_LIMITED',
  error: `Over the budget of ${limit} alerts a minute of this workspace: nothing was stored, try again in ${reset_seconds} s`,
  more: { name: 'ingest_tenant', limit, remaining: 0, retry_after: reset_seconds, window_seconds: WINDOW_SECONDS },
  headers: [['Retry-After', String(reset_seconds)]]
})

/**
 * The answer of `overBudget`, as hand-written JSON: a sender that does not slow down gets many of
 * them, and this takes a tenth of the time.
 */
export function overBudgetAnswer({ limit, reset_seconds }: Standing, request_id: string): Answer {
  const body = `{"error":"Over the budget of ${limit} alerts a minute of this workspace: nothing was stored, try again in ${reset_seconds} s","code":"RATE_LIMITED","request_id":"${request_id}","name":"ingest_tenant","limit":${limit},"remaining":0,"retry_after":${reset_seconds},"window_seconds":${WINDOW_SECONDS}}`
  return { status: 429, body, headers: [['Retry-After', String(reset_seconds)]], close: false }
}
