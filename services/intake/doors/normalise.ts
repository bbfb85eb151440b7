/**
 * Step 5: each alert as the record of the log, as ../normalise.ts makes it for every source alike.
 */
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { toInboundAlert, underFormerKey } from '../normalise.ts'
import type { SequencedEvent } from '../source.ts'
import type { Payload } from './alert-exchange.ts'

/**
 * Without those to ignore. Behind a recovery may stand the same under its former key
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
