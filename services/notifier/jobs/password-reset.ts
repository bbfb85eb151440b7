/**
 * Sends a person the mail with a link that sets a new password. The link is made here, so that no
 * job holds it. It is sent after the transaction, so it may arrive twice; both links work once.
 * Source: docs/design/api/authentication.md#au-6.
 */
import { resetMail } from '../../channels/verification.ts'
import { mintReset, RESET_SECONDS } from '../../credentials/reset-links.ts'
import { lockPasswordHash, readMember, readRole } from '../../store/users.ts'
import { payloadText, type RunJob } from '../job.ts'
import { ownMail } from '../own-mail.ts'

export const run: RunJob = async (tx, job, { post }) => {
  const { tenant_id, job_id } = job
  if (!post) throw new Error('password_reset: this deployment sends nothing')
  const user_id = payloadText(job, 'user_id')
  const member = await readMember(tx, tenant_id, user_id)
  const passwordHash = await lockPasswordHash(tx, tenant_id, user_id)
  // The person has left, or the account was disabled in the meantime.
  if (!member || passwordHash === null || (await readRole(tx, tenant_id, user_id)) === null) return
  const until = Math.floor(Date.now() / 1000) + RESET_SECONDS
  const secret = mintReset(post.secretsKey, { tenant_id, user_id, until }, passwordHash)
  return ownMail(job, post, { id: `password.${job_id}`, to: member.email, words: resetMail(post.deployment, secret), secret })
}
