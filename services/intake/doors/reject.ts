/**
 * Refuses a payload: it counts as one alert and is stored as it arrived. A payload that the service
 * could not judge because of its own failure (5xx) is neither counted nor stored.
 */
import type { Failure } from '../../http/answer.ts'
import type { Payload } from './alert-exchange.ts'
import { keepRaw } from './keep-raw.ts'

export function reject(payload: Payload, failure: Failure): void {
  const { exchange, integration } = payload
  exchange.parts.metrics.refused(failure.code)
  if (failure.status < 500) {
    exchange.count(integration, 1)
    keepRaw(payload, { outcome: 'rejected', reason: `${failure.code}: ${failure.error}`, alerts: 0 })()
  }
  exchange.fail(failure)
}
