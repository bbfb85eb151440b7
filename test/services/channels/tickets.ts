/** Shared tests: what every kind that opens tickets must do, and tables of faulty settings. */
import type { Test } from 'tap'
import type { Channel, Message, RemoteRef, SendReply } from '../../../services/channels/channel.ts'
import { acknowledged, context, drive, message, reply, up } from './messages.ts'

/** Checks settings, each with the path of the faulty field, or null if they are accepted. */
export function faultyFields<C>(t: Test, channel: Channel<C>, table: readonly [config: C, path: string | null][]): void {
  for (const [config, path] of table) t.equal(channel.check?.(config)?.path ?? null, path, JSON.stringify(config))
}

/** The answers of a ticket vendor. */
export interface Vendor {
  ref: RemoteRef
  opened: SendReply
  found: SendReply
  none: SendReply
  noted: SendReply
  gone: SendReply
  /** The answer to an acknowledgement, if it is not a plain note. */
  acknowledged?: SendReply
  /** The answers to the end of an incident, in turn. */
  ended: SendReply[]
  /** The first attempt that opens another ticket after an attempt with an unknown outcome. */
  opens_from: number
}

/** Checks what holds for every kind that opens tickets: one incident, one ticket. */
export function oneTicket<C>(t: Test, channel: Channel<C>, config: C, vendor: Vendor): void {
  const { ref, opened, found, none, noted, gone, ended, opens_from } = vendor
  const doubtful = (attempt: number) => ({ at: context({ attempt, doubtful: true }) })
  const run = (what: Message, replies: SendReply[], over: Parameters<typeof drive>[4] = {}) => drive(channel, what, config, replies, over)

  t.match(run(message(), [opened]).outcome, { outcome: 'delivered', remote_ref: ref }, 'opened')
  for (const status of [500, 502, 408])
    t.match(run(message(), [reply(status)]).outcome, { outcome: 'retry', ambiguous: true }, `${status}: it may have been opened`)
  t.notOk('ambiguous' in run(message(), [reply(429)]).outcome, '429: it was not opened')

  t.match(run(message(), [found], doubtful(2)).outcome, { outcome: 'delivered', remote_ref: ref }, 'found, and not opened again')
  for (let attempt = 2; attempt < opens_from; attempt++)
    t.match(run(message(), [none], doubtful(attempt)).outcome, { outcome: 'retry' }, 'the search may be behind')
  t.match(
    run(message(), [none, opened], doubtful(Math.max(2, opens_from))).outcome,
    { outcome: 'delivered', remote_ref: ref },
    'opened at last'
  )
  t.equal(run(message(), [reply(503)], doubtful(9)).outcome.outcome, 'retry', 'nothing is opened where nothing could be looked up')
  t.match(
    run(message(), [opened], { at: context({ attempt: 4 }) }).outcome,
    { remote_ref: ref },
    'an attempt that was refused is no reason to look'
  )

  t.match(run(message(), [noted], { ref }).outcome, { outcome: 'delivered' }, 'told again: a note')
  t.match(run(message(), [gone, opened], { ref }).outcome, { outcome: 'delivered', remote_ref: ref }, 'deleted there: a new one')
  const ack = vendor.acknowledged ?? noted
  t.same(run(acknowledged(), [ack], { ref }).outcome, { outcome: 'delivered' }, 'acknowledged')
  t.same(run(acknowledged(), [gone], { ref }).outcome, { outcome: 'skipped', why: 'ticket_gone' })
  t.match(run(acknowledged(), [found, ack]).outcome, { outcome: 'delivered', remote_ref: ref }, 'what was found is kept')
  t.same(run(acknowledged(), [none]).outcome, { outcome: 'skipped', why: 'not_opened' })
  t.same(run(message({ event: 'assigned' }), [noted], { ref }).outcome, { outcome: 'delivered' }, 'assigned: a note')
  t.same(run(up(), ended, { ref }).outcome, { outcome: 'delivered' }, 'ended')
  t.same(run(up(), [gone], { ref }).outcome, { outcome: 'skipped', why: 'ticket_gone' })
  t.match(run(up(), [found, ...ended]).outcome, { outcome: 'delivered', remote_ref: ref }, 'opened by an attempt of unknown end, and ended')
  t.same(run(up(), [none], { at: context({ attempt: 9 }) }).outcome, { outcome: 'skipped', why: 'not_opened' })
  t.same(run(message({ event: 'degraded' }), []).outcome, { outcome: 'skipped', why: 'no_event' })
}

/**
 * Checks a kind whose ids are those of one account: after the account of a channel was changed, the
 * ticket with the same id in the new account is somebody else's.
 */
export function otherAccount<C>(t: Test, channel: Channel<C>, config: C, vendor: Vendor): void {
  const { ref, opened, found, none, noted, ended } = vendor
  const known = { ref: { ...ref, site: 'elsewhere' } }
  const run = (what: Message, replies: SendReply[], over: Parameters<typeof drive>[4] = known) =>
    drive(channel, what, config, replies, over)
  const ack = vendor.acknowledged ?? noted
  const late = { ...known, at: context({ attempt: 9 }) }
  for (const what of [up(), acknowledged(), message({ event: 'assigned' })]) {
    const { requests, outcome } = run(what, [none], late)
    t.same([requests.length, outcome], [1, { outcome: 'skipped', why: 'not_opened' }], `${what.event}: looked up by our key only`)
  }
  t.match(run(message(), [none, opened]).outcome, { outcome: 'delivered', remote_ref: ref }, 'told again: opened there')
  t.match(
    run(message(), [found, noted]).outcome,
    { outcome: 'delivered', remote_ref: ref },
    'or found, where the account only has another name'
  )
  t.match(run(acknowledged(), [found, ack], late).outcome, { outcome: 'delivered', remote_ref: ref }, 'ours there is known from then on')

  const { site: _site, ...before } = ref
  const old = { ref: before, at: context({ attempt: 9 }) }
  t.match(run(up(), [found, ...ended], old).outcome, { outcome: 'delivered', remote_ref: ref }, 'a ref without an account is looked up')
  t.match(run(message(), [found, noted], old).outcome, { outcome: 'delivered', remote_ref: ref }, 'and told again')
  t.same(run(up(), [none], old).outcome, { outcome: 'skipped', why: 'not_opened' })
}
