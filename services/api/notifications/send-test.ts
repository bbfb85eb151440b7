/**
 * Send test: the production path without the queue, with one attempt and the other side's exact
 * answer.
 * Source: docs/design/api/notifications.md#no-6, docs/design/outbound-channels.md#s1-8.
 */
import type { ChannelTestAnswer } from '../../../schemas/http/deliveries.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Message } from '../../channels/channel.ts'
import { mapSecrets } from '../../channels/config.ts'
import { channels } from '../../channels/kinds/index.ts'
import { openForTenant } from '../../credentials/sealing.ts'
import { type Performed, performAttempt, type Senders } from '../../delivery/perform.ts'
import { deploymentOf } from '../../delivery/senders.ts'
import { Bucket } from '../../http/rate-buckets.ts'
import type { Config } from '../../process/config.ts'
import type { Log } from '../../process/log.ts'
import { type Act, insertAudit } from '../../store/audit.ts'
import type { Attempt } from '../../store/delivery-outcomes.ts'
import { readTestedChannel, saveTest, type TestedChannel, type TestResult } from '../../store/delivery-reads.ts'
import { countPhones, isExhausted, phoneQuota } from '../../store/phones.ts'
import { type Pool, tenantTransaction } from '../../store/pool.ts'
import { takeTurn } from '../../store/verifications.ts'
import type { Caller } from '../http/caller.ts'
import { invalid, notFound, rateLimited } from '../http/errors.ts'
import { limitExceeded } from '../workspace/limits.ts'
import { countTestMail } from './confirmation.ts'
import { withBot } from './telegram-bot.ts'

export const TEST_LIMITS = { connectMs: 5000, totalMs: 10_000 }
const CHANNEL_SECONDS = 10
const WORKSPACE_PER_MINUTE = 20
const MAX_BUCKETS = 10_000

/** Limits tests in this process: one of a channel in 10 s, 20 of a workspace in a minute. */
export class TestRates {
  readonly #buckets = new Map<string, Bucket>()

  #take(key: string, perSecond: number, size: number): number {
    const now = performance.now()
    if (this.#buckets.size >= MAX_BUCKETS && !this.#buckets.has(key)) this.#buckets.clear()
    const bucket = this.#buckets.get(key) ?? new Bucket(perSecond, size, now)
    this.#buckets.set(key, bucket)
    return bucket.take(now) ? 0 : bucket.waitSeconds()
  }

  /** Throws RATE_LIMITED. */
  check(tenant_id: string, channel_id: string): void {
    const wait =
      this.#take(`c:${channel_id}`, 1 / CHANNEL_SECONDS, 1) || this.#take(`t:${tenant_id}`, WORKSPACE_PER_MINUTE / 60, WORKSPACE_PER_MINUTE)
    if (wait > 0) throw rateLimited(`Too many tests. Retry in ${wait} s`, wait)
  }
}

/** Shared by all routes of this process that send tests. */
export const testRates = new TestRates()

export const testMessage = (
  tenant_id: string,
  { target_id, workspace }: { target_id: string; workspace: TestedChannel['workspace'] },
  delivery_id: string,
  now: number
): Message => ({
  event: 'test',
  delivery_id,
  event_id: delivery_id,
  seq: 0,
  key: `svc-test-${delivery_id}`,
  target_id,
  at: now,
  queued_at: now,
  workspace: { tenant_id, ...workspace },
  incident: null,
  subject: null,
  failure: null,
  certificate: null,
  actor: null,
  duration_seconds: null,
  combined: false,
  title_override: null,
  body_override: null,
  reply_code: null,
  unsubscribe_url: null,
  act_urls: null
})

/** Says in words for people what went wrong. */
function errorOf({ result, clean }: Performed): string | null {
  switch (result.outcome) {
    case 'delivered':
      return null
    case 'unanswered':
      return clean(result.failure.message)
    case 'permanent':
      return clean(`${result.user_text} (${result.why})`)
    default:
      return clean(result.why)
  }
}

const outcomeOf = ({ result }: Performed): Attempt['outcome'] => {
  if (result.outcome === 'delivered') return 'accepted'
  if (result.outcome !== 'unanswered') return result.outcome === 'permanent' ? 'refused' : 'retryable'
  const { kind } = result.failure
  return kind === 'timeout' || kind === 'blocked_target' ? kind : kind === 'unsupported' ? 'refused' : 'network'
}

export interface Parts {
  pool: Pool
  config: Readonly<Config>
  log: Log
  senders: Senders
  rates: TestRates
}

/** A test by phone counts as a message of the plan. Throws TIER_LIMIT_EXCEEDED. */
export async function takePhoneQuota(pool: Pool, caller: Caller): Promise<void> {
  await tenantTransaction(pool, caller, async (tx) => {
    // Tests at the same time would each read what is left before the other one counts.
    await takeTurn(tx, caller.tenant_id)
    const { used, limit } = await phoneQuota(tx, caller.tenant_id)
    const message = `This plan has ${limit} text messages and calls a month, and they are used up.`
    if (isExhausted({ used, limit })) throw limitExceeded(planOf(caller.plan), 'sms_voice_per_month', used + 1, message)
    await countPhones(tx, [caller.tenant_id])
  })
}

/** Makes one attempt with the stored settings. */
function attemptTest(
  { config, senders }: Pick<Parts, 'config' | 'senders'>,
  tenant_id: string,
  stored: Pick<TestedChannel, 'channel_id' | 'kind' | 'config' | 'workspace'>,
  delivery_id: string,
  now: number
): Promise<Performed> {
  const channel = channels[stored.kind as keyof typeof channels]
  if (!channel) throw notFound()
  const secrets: string[] = []
  const plain = mapSecrets(channel, stored.config, (value, field) => {
    const opened = openForTenant(config.secretsKey, { tenant_id, resource: `channel:${stored.channel_id}`, field }, value)
    secrets.push(opened)
    return opened
  })
  return performAttempt(senders, {
    channel,
    message: testMessage(tenant_id, { target_id: stored.channel_id, workspace: stored.workspace }, delivery_id, now),
    config: plain,
    secrets,
    remote_ref: null,
    attempt: 1,
    deployment: deploymentOf(config),
    limits: TEST_LIMITS
  })
}

/**
 * Tests a channel that is not saved yet. Returns null if the test arrived, else the reason in words
 * for people. Throws RATE_LIMITED.
 */
export async function failureOfTest(
  { pool, config, senders, rates }: Omit<Parts, 'log'>,
  caller: Caller,
  stored: Pick<TestedChannel, 'channel_id' | 'kind' | 'config' | 'verified' | 'workspace'>
): Promise<string | null> {
  const { tenant_id } = caller
  rates.check(tenant_id, stored.channel_id)
  // A number is verified after its channel is saved.
  if (channels[stored.kind as keyof typeof channels]?.family === 'telephony')
    return 'nothing but a code is sent to a number before it is verified'
  await countTestMail(pool, caller, stored)
  const performed = await attemptTest({ config, senders }, tenant_id, stored, uuidv7(), Date.now())
  return performed.result.outcome === 'delivered' ? null : (errorOf(performed) ?? 'no reason is known')
}

/** Returns what the ledger stores of a test, and what the caller is told. */
export function testResult(performed: Performed, delivery_id: string, now: number): { kept: TestResult; told: ChannelTestAnswer } {
  const { result, latency_ms, status: http_status, reply, request } = performed
  const ok = result.outcome === 'delivered'
  const error = errorOf(performed)
  const attempt: Attempt = {
    n: 1,
    at: now,
    latency_ms,
    outcome: outcomeOf(performed),
    http_status,
    error,
    provider_message_id: null,
    reply,
    masked: true
  }
  const state = ok ? (result.confirmed ? 'delivered' : 'sent') : 'failed'
  return {
    kept: { delivery_id, ok, state, attempt, error_code: ok ? null : 'test', request },
    told: { ok, delivery_id, latency_ms, http_status, error, reply }
  }
}

/** What the audit log says of a test. */
export const testedDiff = (ok: boolean, more: Act['diff'] = {}): NonNullable<Act['diff']> => ({ ok: [null, ok], ...more })

/** Throws NOT_FOUND and RATE_LIMITED. Whatever the other side does is reported as an answer. */
export async function sendTest(
  { pool, config, log, senders, rates }: Parts,
  caller: Caller,
  channel_id: string
): Promise<ChannelTestAnswer> {
  const { tenant_id } = caller
  const stored = await tenantTransaction(pool, caller, (tx) => readTestedChannel(tx, tenant_id, channel_id))
  const channel = stored && channels[stored.kind as keyof typeof channels]
  if (!stored || !channel) throw notFound()
  rates.check(tenant_id, channel_id)
  // An unverified number may be a stranger's: that phone must not ring.
  if (channel.family === 'telephony') {
    if (!stored.verified) throw invalid('id', 'unverified', 'has a number that is not verified: nothing but a code is sent there')
    await takePhoneQuota(pool, caller)
  }
  await countTestMail(pool, caller, stored)
  const delivery_id = uuidv7()
  const now = Date.now()
  const performed = await attemptTest({ config, senders }, tenant_id, stored, delivery_id, now)
  const { kept, told } = testResult(performed, delivery_id, now)
  await tenantTransaction(pool, caller, async (tx) => {
    const health = await saveTest(tx, tenant_id, stored, kept)
    const isTurned = told.ok && health !== null && health !== 'ok'
    const diff = testedDiff(told.ok, isTurned ? { health: [health, 'ok'] } : {})
    await insertAudit(tx, tenant_id, caller.actor, { action: 'channel.tested', object_type: 'channel', object_id: channel_id, diff })
  })
  if (told.ok) await withBot({ pool, config, log, http: senders.http }, caller, { ...stored, tenant_id })
  return told
}
