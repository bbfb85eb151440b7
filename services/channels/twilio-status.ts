/**
 * What a later report of a telephony provider means for a message's or a call's delivery. Pure.
 * Source: docs/design/outbound-channels.md#s3-25 and #s3-26.
 */

/** `after_ms`: the wait before a delivery is tried once more. */
export type LaterOutcome = { state: 'delivered' } | { state: 'failed' | 'retrying'; error_code: string; error: string; after_ms: number }

const MINUTE_MS = 60_000

/** The limit of attempts. Each one after the first follows from a later report. */
const MAX_ATTEMPTS = 2

/** Errors of a text message that may pass. */
const PASSING: Readonly<Record<string, number>> = { '30001': MINUTE_MS, '30003': 30 * MINUTE_MS, '30008': 2 * MINUTE_MS }
const WORDS: Readonly<Record<string, string>> = {
  '30001': 'the provider is busy',
  '30003': 'the phone cannot be reached',
  '30004': 'the message is blocked',
  '30005': 'the number is not known',
  '30006': 'the number is a fixed line',
  '30007': 'the network filters the message',
  '30008': 'the network does not say why'
}
const REDIAL_MS = 2 * MINUTE_MS

const fault = (attempts: number, wait: number | undefined, error_code: string, error: string): LaterOutcome =>
  wait !== undefined && attempts < MAX_ATTEMPTS
    ? { state: 'retrying', error_code, error, after_ms: wait }
    : { state: 'failed', error_code, error, after_ms: 0 }

/** Null: the report says nothing new. `code`: the error code, empty when there is none. */
export function smsOutcome(status: string, code: string, attempts: number): LaterOutcome | null {
  if (status === 'delivered' || status === 'read') return { state: 'delivered' }
  if (status !== 'undelivered' && status !== 'failed') return null
  const known = /^\d{5}$/.test(code) ? code : '30008'
  return fault(attempts, PASSING[known], `twilio_${known}`, `It was not delivered: ${WORDS[known] ?? 'the network refuses it'} (${known}).`)
}

/** An answered call counts as delivered, whoever answered it. */
export function callOutcome(status: string, attempts: number): LaterOutcome | null {
  switch (status) {
    case 'completed':
      return { state: 'delivered' }
    case 'busy':
      return fault(attempts, REDIAL_MS, 'busy', 'The line was busy.')
    case 'no-answer':
      return fault(attempts, REDIAL_MS, 'no_answer', 'Nobody took the call.')
    case 'failed':
    case 'canceled':
      return fault(attempts, undefined, `call_${status}`, 'The call could not be made.')
    default:
      return null
  }
}
