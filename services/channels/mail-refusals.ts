/**
 * Tells whose fault a refusal of the operator's mail server is.
 * Source: docs/design/outbound-channels.md#s3-4.
 */
import type { SendReply } from './channel.ts'

/** Commands before the recipient. A refusal is about this deployment, its login or its sender. */
const ABOUT_US = /^(?:CONN|EHLO|HELO|STARTTLS|AUTH|MAIL FROM)\b/
/** Many servers refuse the sender only when the recipient is named. */
const WORDS_ABOUT_US = /\b5\.1\.[78]\b|\b(?:sender address|client host|helo command) rejected|\brelay/i

/** Whether the server refuses this deployment, so every mail of it, and not the recipient. */
export function refusesOperator({ status, headers: { command = '' }, body }: SendReply): boolean {
  if (status === 535 || status === 530 || status === 534 || status === 538) return true
  // 552 is about the size of this mail. It may answer MAIL FROM.
  if (status < 500 || status === 552) return false
  // Addresses are left out: theirs may be any words.
  return ABOUT_US.test(command) || (command === 'RCPT TO' && WORDS_ABOUT_US.test(body.replace(/<[^>]*>/g, '')))
}
