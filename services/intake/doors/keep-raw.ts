/**
 * Stores a payload as it arrived on alerts.raw.v1: rejected payloads, and all payloads of an
 * integration that captures.
 */
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { type RawPayload, toRawAlert } from '../raw.ts'
import type { Payload } from './alert-exchange.ts'

/**
 * Encodes the payload now, while its bytes are valid, and returns a function that appends it. A
 * failure does not change the answer.
 */
export function keepRaw(payload: Payload, told: Pick<RawPayload, 'outcome' | 'reason' | 'alerts'>): () => void {
  const { exchange, integration, source, bytes, received_at, isDecoded, body } = payload
  const { append, codec, log, metrics } = exchange.parts
  const lost = (error: unknown): void => {
    metrics.rawLost()
    log.debug({ err: error, integration_id: integration.integration_id }, 'a raw payload was not kept')
  }
  try {
    const content_type = exchange.type
    const raw = toRawAlert({
      integration,
      source: source.kind,
      received_at,
      content_type,
      bytes,
      body: isDecoded ? body : undefined,
      ...told
    })
    const key = `${integration.tenant_id}|${integration.integration_id}`
    const record: OutRecord = { topic: 'alerts.raw.v1', key, value: codec.encode('RawAlert', raw) }
    return () => void append([record]).catch(lost)
  } catch (error) {
    lost(error)
    return () => undefined
  }
}
