/** What answers of a vendor mean for a first message, as a table. */
import type { Test } from 'tap'
import type { Channel, SendOutcome, SendReply } from '../../../services/channels/channel.ts'
import { drive, message, short } from './messages.ts'

export type Verdict = [answer: SendReply, verdict: string, also?: Partial<SendOutcome>]

/** `before`: answers to what is asked before the message goes out. */
export function verdicts<C>(t: Test, channel: Channel<C>, config: C, table: readonly Verdict[], before: readonly SendReply[] = []): void {
  for (const [answer, verdict, also] of table) {
    const { outcome } = drive(channel, message(), config, [...before, answer])
    t.equal(short(outcome), verdict, `${channel.kind}: ${answer.status} ${answer.body}`)
    if (also) t.match(outcome, also)
  }
}

/** Addresses and what a channel says of each: null, or the rule that it breaks. */
export function faults<C>(t: Test, channel: Channel<C>, configs: readonly [config: C, rule: string | null][]): void {
  for (const [config, rule] of configs) t.equal(channel.check?.(config)?.rule ?? null, rule, JSON.stringify(config))
}
