/**
 * Proves that a number or an address belongs to the person: a code is sent there, and the person
 * enters it.
 * Source: docs/design/api/notifications.md#no-8.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { iso } from '../../../schemas/http/common.ts'
import { VerificationSent, Verified, VerifyBody } from '../../../schemas/http/verification.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { codeHmac, isCode, mintCode } from '../../credentials/codes.ts'
import { sealForTenant } from '../../credentials/sealing.ts'
import { insertAudit } from '../../store/audit.ts'
import { changeJobs } from '../../store/jobs.ts'
import { countPhones, isExhausted, phoneQuota } from '../../store/phones.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { type CodeWay, countTry, insertCode, lockCode, lockSentCodes, proveAddress, type SentCodes } from '../../store/verifications.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, rateLimited } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { limitExceeded } from '../workspace/limits.ts'
import { checkedAddress, checkKeepsSecrets, checkSetUp } from './addresses.ts'

const GOOD_FOR_MS = 600_000
const MAX_TRIES = 5
const MAX_TO_ADDRESS = 3
const MAX_OF_WORKSPACE = 5
const BETWEEN_MS = 30_000
const HOUR_SECONDS = 3600

/** Returns where the code goes and by which way. Throws VALIDATION_FAILED. */
function wayOf({ number, email, method }: VerifyBody): { way: CodeWay; address: string } {
  if (number !== undefined && email !== undefined) throw invalid('email', 'mutually_exclusive', 'a number or an e-mail address, not both')
  if (email !== undefined) {
    if (method !== undefined) throw invalid('method', 'mutually_exclusive', 'is for numbers: to an e-mail address the code goes by mail')
    return { way: 'email', address: checkedAddress('email', email, 'email') }
  }
  if (number === undefined) throw invalid('number', 'required', 'is required')
  const way = method ?? 'sms'
  return { way, address: checkedAddress(way, number, 'number') }
}

/** A code that came by a call may be for a landline. */
const confirmedAddress = (body: VerifyBody): string => wayOf(body.number === undefined ? body : { ...body, method: 'voice' }).address

function checkPace({ to_address, last_at, of_workspace, now }: SentCodes): void {
  const tooMany = (message: string, seconds: number): ApiError => rateLimited(`${message}; try again in ${seconds} s`, seconds)
  const wait = last_at === null ? 0 : Math.ceil((last_at + BETWEEN_MS - now) / 1000)
  if (wait > 0) throw tooMany('A code was sent there a moment ago', wait)
  if (to_address >= MAX_TO_ADDRESS) throw tooMany(`${MAX_TO_ADDRESS} codes were sent there within the hour`, HOUR_SECONDS)
  if (of_workspace >= MAX_OF_WORKSPACE)
    throw tooMany(`${MAX_OF_WORKSPACE} codes were sent for this workspace within the hour`, HOUR_SECONDS)
}

/** A code by phone counts as a message of the plan. Throws TIER_LIMIT_EXCEEDED. */
async function takeQuota(tx: Tx, { tenant_id, plan }: Caller): Promise<void> {
  const quota = await phoneQuota(tx, tenant_id)
  if (isExhausted(quota))
    throw limitExceeded(
      planOf(plan),
      'sms_voice_per_month',
      quota.used + 1,
      `This plan has ${quota.limit} text messages and calls a month, and they are used up.`
    )
  await countPhones(tx, [tenant_id])
}

async function start(
  tx: Tx,
  caller: Caller,
  { way, address }: { way: CodeWay; address: string },
  secretsKey: string
): Promise<VerificationSent> {
  const { tenant_id, user_id } = caller
  const sent = await lockSentCodes(tx, tenant_id, address)
  checkPace(sent)
  if (way !== 'email') await takeQuota(tx, caller)
  const verification_id = uuidv7()
  const code = mintCode()
  const expires_at = sent.now + GOOD_FOR_MS
  await insertCode(tx, tenant_id, {
    verification_id,
    user_id,
    way,
    address,
    code_hmac: codeHmac(secretsKey, verification_id, code),
    expires_at
  })
  const code_sealed = sealForTenant(secretsKey, { tenant_id, resource: `verification:${verification_id}`, field: 'code' }, code)
  const payload = { tenant_id, verification_id, purpose: 'code', method_kind: way, address, code_sealed }
  await changeJobs(tx, [{ start: 'verification_send', idem_key: `verification:${verification_id}`, tenant_id, run_at: sent.now, payload }])
  return { expires_at: iso(expires_at), resend_at: iso(sent.now + BETWEEN_MS) }
}

/**
 * Returns when it was confirmed, in epoch ms, or the failure: the transaction stores it, and the
 * caller refuses.
 */
async function confirm(tx: Tx, caller: Caller, address: string, code: string, secretsKey: string): Promise<number | 'expired' | 'wrong'> {
  const { tenant_id, user_id, actor } = caller
  const open = await lockCode(tx, tenant_id, user_id, address)
  if (!open || open.tries >= MAX_TRIES) return 'expired'
  if (!isCode(open.code_hmac, secretsKey, open.verification_id, code)) {
    await countTry(tx, tenant_id, open.verification_id)
    return 'wrong'
  }
  const at = await proveAddress(tx, tenant_id, user_id, address, open.verification_id)
  // Numbers and addresses stay out of the audit log.
  await insertAudit(tx, tenant_id, actor, { action: 'contact.verified', object_type: 'preferences', object_id: user_id })
  return at
}

export const verifyRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { secretsKey } = config
    app.route({
      ...on('verifyAddress', { body: VerifyBody, response: { 200: Verified, 202: VerificationSent } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { body } = request
        checkKeepsSecrets(secretsKey)
        if (body.code === undefined) {
          const where = wayOf(body)
          checkSetUp(config, where.way, 'method')
          const sent = await tenantTransaction(pool, caller, (tx) => start(tx, caller, where, secretsKey))
          return reply.code(202).send(sent)
        }
        const { code } = body
        const address = confirmedAddress(body)
        const outcome = await tenantTransaction(pool, caller, (tx) => confirm(tx, caller, address, code, secretsKey))
        if (outcome === 'expired')
          throw new ApiError(
            'CODE_EXPIRED',
            'There is no code that is still good: it is good for 10 minutes and 5 tries. Ask for another one'
          )
        if (outcome === 'wrong') throw invalid('code', 'wrong_code', 'is not the code that was sent')
        return reply.code(200).send({ verified_at: iso(outcome) })
      }
    })
  }
