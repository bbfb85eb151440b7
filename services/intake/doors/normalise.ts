/**
 * Step 5: each alert as the record of the log, as ../normalise.ts makes it for every source alike.
 */
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { toInboundAlert } from '../normalise.ts'
import type { ParsedEvent } from '../source.ts'
import type { Payload } from './alert-exchange.ts'

/** Without those to ignore. */
export function normalise(payload: Payload, events: readonly ParsedEvent[]): OutRecord[] {
  const { codec } = payload.exchange.parts
  const records: OutRecord[] = []
  for (const event of events) {
    if (event.action === 'ignore') continue
    const alert = toInboundAlert(event, payload)
    records.push({ topic: 'alerts.inbound.v1', key: `${alert.tenant_id}|${alert.dedup_key}`, value: codec.encode('InboundAlert', alert) })
  }
  return records
}
