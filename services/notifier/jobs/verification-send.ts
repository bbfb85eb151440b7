/**
 * Sends the link that confirms the address of a channel, or the code that confirms a person's, by
 * mail. It goes out after the transaction, so it may arrive twice, with the same words.
 * Source: docs/design/api/notifications.md#no-8.
 */
import type { SendReply } from '../../channels/channel.ts'
import { codeMail, confirmMail } from '../../channels/verification.ts'
import { openForTenant } from '../../credentials/sealing.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { payloadText, type RunJob } from '../job.ts'

/** A mailbox that is not there is no fault of ours, and no repetition makes it. */
const isFinal = ({ status, headers }: SendReply): boolean =>
  (status === 550 || status === 551 || status === 553) && headers.command === 'RCPT TO'

export const run: RunJob = async (tx, job, { post }) => {
  const { tenant_id } = job
  const verification_id = payloadText(job, 'verification_id')
  const kind = payloadText(job, 'method_kind')
  if (kind !== 'email') throw new Error(`verification_send: this version sends mails alone, not ${kind}`)
  if (!post?.mail) throw new Error('verification_send: this deployment sends no mail')
  const workspace = await readWorkspace(tx, tenant_id)
  if (!workspace) return
  const { mail, deployment, secretsKey } = post
  const place = { tenant_id, resource: `verification:${verification_id}`, field: 'code' }
  const secret = openForTenant(secretsKey, place, payloadText(job, 'code_sealed'))
  const isLink = payloadText(job, 'purpose') === 'channel'
  const words = isLink ? confirmMail(deployment, workspace.name, secret) : codeMail(deployment, secret)
  const headers = {
    'Message-ID': `<verification.${verification_id}@${deployment.mail_domain}>`,
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All'
  }
  const to = payloadText(job, 'address')
  return {
    async outside() {
      const reply = await mail.send({ via: 'smtp', to, ...words, headers, secrets: [secret] }, tenant_id)
      // The server's words may have the address in them.
      if ((reply.status < 200 || reply.status >= 300) && !isFinal(reply))
        throw new Error(`verification_send: the mail server answered ${reply.status}`)
    }
  }
}
