/**
 * Sends the mail with the link that confirms a channel's address, or the code that confirms a
 * person's number or address by mail, text message or call. It is sent after the transaction, so it
 * may arrive twice, with the same words. A text message or call that may have arrived is not sent
 * again: the person asks for another code.
 * Source: docs/design/api/notifications.md#no-8.
 */
import type { SendContext, SendOutcome } from '../../channels/channel.ts'
import { codeRequest, twilioVerdict } from '../../channels/telephony.ts'
import { codeMail, confirmMail } from '../../channels/verification.ts'
import { openForTenant } from '../../credentials/sealing.ts'
import { SendFailure } from '../../delivery/failure.ts'
import type { LeasedJob } from '../../store/jobs.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { isCodeOpen } from '../../store/verifications.ts'
import { type Outside, type Post, payloadText, type RunJob } from '../job.ts'
import { ownMail } from '../own-mail.ts'

function byMail(job: LeasedJob, post: Post, workspace: string, secret: string): Outside {
  const isLink = payloadText(job, 'purpose') === 'channel'
  const words = isLink ? confirmMail(post.deployment, workspace, secret) : codeMail(post.deployment, secret)
  return ownMail(job, post, { id: `verification.${payloadText(job, 'verification_id')}`, to: payloadText(job, 'address'), words, secret })
}

async function outcomeOf(
  post: Post,
  request: NonNullable<ReturnType<typeof codeRequest>>,
  context: SendContext
): Promise<SendOutcome | null> {
  try {
    return twilioVerdict(await post.http.send(request), context)
  } catch (error) {
    if (error instanceof SendFailure && error.ambiguous) return null
    throw error
  }
}

function byPhone(job: LeasedJob, way: 'sms' | 'voice', post: Post, code: string): Outside {
  const context: SendContext = { now: Date.now(), attempt: job.attempts, doubtful: false, deployment: post.deployment }
  const request = codeRequest(way, payloadText(job, 'address'), code, context)
  if (!request) throw new Error('verification_send: this deployment has no account for text messages and calls')
  return {
    async outside() {
      const outcome = await outcomeOf(post, request, context)
      // The reply is left out of the error: it may contain the number.
      if (outcome?.outcome === 'retry') throw new Error('verification_send: the provider of text messages and calls wants it later')
    }
  }
}

export const run: RunJob = async (tx, job, { post }) => {
  const { tenant_id } = job
  if (!post) throw new Error('verification_send: this deployment sends nothing')
  const verification_id = payloadText(job, 'verification_id')
  const kind = payloadText(job, 'method_kind')
  if (kind !== 'email' && kind !== 'sms' && kind !== 'voice') throw new Error(`verification_send: this version sends no ${kind}`)
  const workspace = await readWorkspace(tx, tenant_id)
  if (!workspace) return
  if (payloadText(job, 'purpose') === 'code' && !(await isCodeOpen(tx, tenant_id, verification_id))) return
  const place = { tenant_id, resource: `verification:${verification_id}`, field: 'code' }
  const secret = openForTenant(post.secretsKey, place, payloadText(job, 'code_sealed'))
  return kind === 'email' ? byMail(job, post, workspace.name, secret) : byPhone(job, kind, post, secret)
}
