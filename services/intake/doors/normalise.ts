/**
 * Step 5: converts each alert to the record of the log. ../normalise.ts does this in the same way
 * for every source.
 */
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { toInboundAlert, underFormerKey } from '../normalise.ts'
import type { SequencedEvent } from '../source.ts'
import type { Payload } from './alert-exchange.ts'

/**
 * Leaves out ignored events. A recovery may be followed by the same recovery under its former key
 * (../former-keys.ts).
 */
export function normalise(payload: Payload, events: readonly SequencedEvent[]): OutRecord[] {
  const { codec, formerKeys } = payload.exchange.parts
  const records: OutRecord[] = []
  const add = (alert: InboundAlert): void =>
    void records.push({
      topic: 'alerts.inbound.v1',
      key: `${alert.tenant_id}|${alert.dedup_key}`,
      value: codec.encode('InboundAlert', alert)
    })
  for (const event of events) {
    if (event.action === 'ignore') continue
    const alert = toInboundAlert(event, payload)
    add(alert)
    const former = underFormerKey(event, alert, payload, formerKeys)
    if (former) add(former)
  }
  return records
}
