/** Makes one attempt at a delivery and works out the new state of the delivery. */
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import type { Channel } from '../channels/channel.ts'
import { mapSecrets } from '../channels/config.ts'
import { openForTenant } from '../credentials/sealing.ts'
import { methodConfig } from '../delivery/method-config.ts'
import { performAttempt } from '../delivery/perform.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import type { Step } from '../store/delivery-outcomes.ts'
import type { Sending } from '../store/delivery-targets.ts'
import type { DelivererOptions } from './deliver.ts'
import { messageOf } from './message.ts'
import { judgeAttempt } from './retrying.ts'

export const stepOf = (row: DeliveryRow, more: Partial<Step> & Pick<Step, 'state'>): Step => ({
  row,
  at: Date.now(),
  attempt: null,
  ambiguous: false,
  error_code: null,
  suppressed_by: null,
  suppressed_cause: null,
  next_at: null,
  request: null,
  remote_ref: null,
  health: null,
  config_digest: null,
  dead_device: null,
  ...more
})

function configOf(secretsKey: string, row: DeliveryRow, channel: Channel, target: Sending, secrets: string[]) {
  const { tenant_id, method_id } = row
  const { channel: stored, method } = target
  if (!stored) return method && method_id !== null ? methodConfig(secretsKey, tenant_id, method_id, method, secrets) : {}
  return mapSecrets(channel, stored.config, (value, field) => {
    const plain = openForTenant(secretsKey, { tenant_id, resource: `channel:${stored.channel_id}`, field }, value)
    secrets.push(plain)
    return plain
  })
}

export interface Attempted {
  step: Step
  /** True when the target answered, whatever the answer was. */
  answered: boolean
  /** True when the fault lies with this deployment. */
  operator: boolean
}

/** Never rejects. An error in our own code fails the delivery and is logged. */
export async function attemptDelivery(
  options: Pick<DelivererOptions, 'senders' | 'deployment' | 'secretsKey' | 'publicUrl' | 'limits' | 'random' | 'log'>,
  row: DeliveryRow,
  channel: Channel,
  target: Sending,
  combined: boolean
): Promise<Attempted> {
  const { senders, deployment, secretsKey, publicUrl, limits, random = Math.random, log } = options
  const { remote_ref } = target
  const attempt = row.attempts
  const at = Date.now()
  try {
    const recipient = typeof target.channel?.config.recipient === 'string' ? target.channel.config.recipient : null
    const message = messageOf(row, { publicUrl, secretsKey, recipient, due_at: target.due_at }, combined)
    if (!message) return { step: stepOf(row, { state: 'failed', error_code: 'forgotten' }), answered: true, operator: false }
    const secrets: string[] = []
    const config = configOf(secretsKey, row, channel, target, secrets)
    const doubtful = row.ambiguous > 0
    const input = { channel, message, config, secrets, remote_ref, attempt, doubtful, deployment, ...(limits && { limits }) }
    const performed = await performAttempt(senders, input)
    crashPoint('deliver.after-send')
    const { result, latency_ms, status: http_status, reply, request } = performed
    const { outcome, error, provider_message_id, ...told } = judgeAttempt(row, channel, performed, { now: Date.now(), random: random() })
    // A voice channel sends its recovery as a text message. That says nothing about the health of
    // the channel.
    const health = target.channel !== null && target.channel.kind !== row.kind ? null : told.health
    const isDead = result.outcome === 'permanent' && result.scope === 'channel' && result.at_once === true
    const sent =
      request === null
        ? null
        : { n: attempt, at, latency_ms, outcome, http_status, error, provider_message_id, reply, masked: true as const }
    return {
      step: stepOf(row, {
        ...told,
        health,
        config_digest: target.channel?.config_digest ?? null,
        request,
        attempt: sent,
        dead_device: isDead ? (target.method?.device?.push_token ?? null) : null
      }),
      answered: result.outcome !== 'unanswered' || result.failure.kind === 'blocked_target' || result.failure.kind === 'unsupported',
      operator: 'operator' in result || (result.outcome === 'unanswered' && result.failure.operator)
    }
  } catch (error) {
    const { delivery_id, tenant_id, kind } = row
    log.error({ err: error, delivery_id, tenant_id, kind }, 'an attempt failed here; it is not repeated')
    return { step: stepOf(row, { state: 'failed', error_code: 'fault', ambiguous: true }), answered: true, operator: false }
  }
}
