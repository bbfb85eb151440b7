/** Step 4: the source parses the alerts of a decoded body. */
import type { Failure } from '../../http/answer.ts'
import { MAX_ALERTS, type SequencedEvent, Unparseable } from '../source.ts'
import type { Payload } from './alert-exchange.ts'
import { failureOf } from './refusals.ts'

export function parse({ exchange, integration, source, received_at, body }: Payload): SequencedEvent[] | Failure {
  const { log, metrics } = exchange.parts
  const { tenant_id, integration_id, options } = integration
  const warn = (what: string, times: number): void => {
    metrics.warned(what)
    log.warn({ what, count: times, tenant_id, integration_id }, 'a payload left something out')
  }
  try {
    const events = source.parse({ body, headers: exchange.headers, received_at, options, warn })
    if (events.length <= MAX_ALERTS) return events
    const message = `at most ${MAX_ALERTS} alerts a payload`
    throw new Unparseable({ path: '', rule: 'max', message, limit: MAX_ALERTS, actual: events.length })
  } catch (error) {
    return failureOf(error)
  }
}
