/**
 * Step 6: appends the records to the log and answers. No 2xx is sent before the log has
 * acknowledged all records. Without an acknowledgement the answer is 503: the outcome may be
 * unknown, and the dedup key absorbs a repeat. Alerts that are certainly not on the log use up no
 * budget.
 */

import { OutcomeUnknown, type OutRecord, QueueFull } from '../../../streams/runtime/stream.ts'
import { accepted } from '../../http/answer.ts'
import type { SequencedEvent } from '../source.ts'
import type { Payload } from './alert-exchange.ts'
import type { Counted } from './budget.ts'
import { keepRaw } from './keep-raw.ts'
import { noAcknowledgement, queueFull } from './refusals.ts'

export function append(payload: Payload, events: readonly SequencedEvent[], records: OutRecord[], counted: Counted): void {
  const { exchange, integration, received_at } = payload
  const { door, parts } = exchange
  // Counts alerts, not records: a recovery may have two records.
  const processed = events.reduce((count, { action }) => (action === 'ignore' ? count : count + 1), 0)
  const outcome = processed > 0 ? 'accepted' : 'ignored'
  const keep = integration.capture ? keepRaw(payload, { outcome, reason: null, alerts: events.length }) : null
  const taken = (): void => {
    if (processed > 0) parts.counts.processed(integration, received_at)
    else parts.counts.ignored(integration, events[0]?.reason ?? 'no alert in it', received_at)
    keep?.()
    const told = door.accepted?.({ integration, events, received_at, request_id: exchange.id, took: exchange.took() })
    exchange.answer(told ?? accepted(listed(events, processed)))
  }
  if (records.length === 0) return void taken()
  const sent = performance.now()
  parts.pacedAppend(integration.tenant_id, records).then(
    () => {
      parts.metrics.acknowledged(door.name, processed, sent)
      taken()
    },
    (error: unknown) => {
      parts.metrics.unacknowledged(processed)
      if (!(error instanceof QueueFull) && !(error instanceof OutcomeUnknown)) parts.log.error({ err: error }, 'the log refused alerts')
      if (error instanceof QueueFull) exchange.takeBack(integration, counted)
      exchange.fail(error instanceof QueueFull ? queueFull : noAcknowledgement)
    }
  )
}

/** The outcome of each alert: docs/design/api/alerts-and-routing.md#ib-10. */
function listed(events: readonly SequencedEvent[], processed: number): string {
  let alerts = ''
  for (const event of events) {
    if (alerts !== '') alerts += ','
    alerts += `{"dedup_key":${JSON.stringify(event.dedup_key)},"action":"${event.action}"`
    alerts += event.reason === null ? '}' : `,"reason":${JSON.stringify(event.reason)}}`
  }
  return `{"status":"accepted","processed":${processed},"ignored":${events.length - processed},"alerts":[${alerts}]}`
}
