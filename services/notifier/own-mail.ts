/**
 * Mails of the service itself to one person, outside of channels: codes, and links that confirm an
 * address or set a password.
 */
import type { SendReply } from '../channels/channel.ts'
import { refusesOperator } from '../channels/mail-refusals.ts'
import { MAX_ATTEMPT_MS } from '../delivery/perform.ts'
import type { LeasedJob } from '../store/jobs.ts'
import type { Outside, Post } from './job.ts'

/** The mailbox does not exist. That is no fault of ours, and trying again does not help. */
const isFinal = (reply: SendReply): boolean =>
  [550, 551, 553].includes(reply.status) && reply.headers.command === 'RCPT TO' && !refusesOperator(reply)

export interface OwnMail {
  /** The id of the message, without the domain. */
  id: string
  to: string
  words: { subject: string; text: string; html: string }
  /** The code or the token that the words hold. */
  secret: string
}

/**
 * Returns the sending of the mail. It throws if this deployment sends none, and fails if the server
 * refuses it for now.
 */
export function ownMail({ kind, tenant_id }: LeasedJob, { mail, deployment }: Post, { id, to, words, secret }: OwnMail): Outside {
  if (!mail) throw new Error(`${kind}: this deployment sends no mail`)
  const headers = {
    'Message-ID': `<${id}@${deployment.mail_domain}>`,
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All'
  }
  return {
    async outside() {
      const reply = await mail.send({ via: 'smtp', to, ...words, headers, secrets: [secret] }, tenant_id, MAX_ATTEMPT_MS)
      // The reply is left out of the error: it may contain the address.
      if ((reply.status < 200 || reply.status >= 300) && !isFinal(reply))
        throw new Error(`${kind}: the mail server answered ${reply.status}`)
    }
  }
}
