/**
 * Sends a test to oneself: one attempt by one of the caller's own methods, with the other side's
 * exact answer.
 * Source: docs/design/api/notifications.md#no-30.
 */
import type { ChannelTestAnswer } from '../../../schemas/http/deliveries.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { channels } from '../../channels/kinds/index.ts'
import { methodConfig } from '../../delivery/method-config.ts'
import { performAttempt } from '../../delivery/perform.ts'
import { deploymentOf } from '../../delivery/senders.ts'
import { insertAudit } from '../../store/audit.ts'
import { readTestedMethod, saveMethodTest } from '../../store/delivery-reads.ts'
import { endDevices } from '../../store/devices.ts'
import { seeingAll, tenantTransaction } from '../../store/pool.ts'
import type { Caller } from '../http/caller.ts'
import { invalid, notFound } from '../http/errors.ts'
import { type Parts, TEST_LIMITS, takePhoneQuota, testedDiff, testMessage, testResult } from './send-test.ts'

/** Throws NOT_FOUND, VALIDATION_FAILED, TIER_LIMIT_EXCEEDED and RATE_LIMITED. */
export async function testOwnMethod(
  { pool, config, senders, rates }: Parts,
  caller: Caller,
  method_id: string
): Promise<ChannelTestAnswer> {
  const { tenant_id, user_id } = caller
  const method = await tenantTransaction(pool, caller, (tx) => seeingAll(tx, (tx) => readTestedMethod(tx, tenant_id, user_id, method_id)))
  const channel = method && channels[method.kind as keyof typeof channels]
  if (!method || !channel) throw notFound()
  rates.check(tenant_id, method_id)
  if (!method.verified) throw invalid('id', 'unverified', 'is not verified: nothing but a code is sent there')
  if (channel.family === 'telephony') await takePhoneQuota(pool, caller)
  const delivery_id = uuidv7()
  const now = Date.now()
  const secrets: string[] = []
  const performed = await performAttempt(senders, {
    channel,
    message: testMessage(tenant_id, { target_id: method_id, workspace: method.workspace }, delivery_id, now),
    config: methodConfig(config.secretsKey, tenant_id, method_id, method, secrets),
    secrets,
    remote_ref: null,
    attempt: 1,
    deployment: deploymentOf(config),
    limits: TEST_LIMITS
  })
  const { result } = performed
  const isGone = result.outcome === 'permanent' && result.scope === 'channel' && result.at_once === true
  const { kept, told } = testResult(performed, delivery_id, now)
  await tenantTransaction(pool, caller, async (tx) => {
    await saveMethodTest(tx, tenant_id, user_id, method, kept)
    const act = { action: 'contact_method.tested', object_type: 'contact_method', object_id: method_id, diff: testedDiff(told.ok) }
    await insertAudit(tx, tenant_id, caller.actor, act)
    // The caller reads the reason here, so no feed entry is needed.
    if (isGone && method.device) await endDevices(tx, [{ tenant_id, device_id: method_id, push_token: method.device.push_token }])
  })
  return told
}
