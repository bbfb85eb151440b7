/** Checks by a table what a vendor's answers to a first message mean. */
import type { Test } from 'tap'
import type { Channel, SendOutcome, SendReply } from '../../../services/channels/channel.ts'
import { drive, message, short } from './messages.ts'

export type Verdict = [answer: SendReply, verdict: string, also?: Partial<SendOutcome>]

/** Checks the table. `before`: answers to the requests before the message. */
export function verdicts<C>(t: Test, channel: Channel<C>, config: C, table: readonly Verdict[], before: readonly SendReply[] = []): void {
  for (const [answer, verdict, also] of table) {
    const { outcome } = drive(channel, message(), config, [...before, answer])
    t.equal(short(outcome), verdict, `${channel.kind}: ${answer.status} ${answer.body}`)
    if (also) t.match(outcome, also)
  }
}

/** Checks settings, each with the rule that they break, or null. */
export function faults<C>(t: Test, channel: Channel<C>, configs: readonly [config: C, rule: string | null][]): void {
  for (const [config, rule] of configs) t.equal(channel.check?.(config)?.rule ?? null, rule, JSON.stringify(config))
}
