/**
 * Bad credentials of an address, without harm to good ones of it: probers and people share
 * addresses.
 *
 * Who counts refuses an address only after its credential was looked up and found bad. While an
 * address is over its limit, a credential that nothing is known of is looked up in turn with the
 * few others of such addresses: guessing keeps Postgres no busier than that. A good one that was
 * seen before is served from what is kept, and a good one that is new waits for its turn.
 */
import type { Check, Credentials } from '../credentials/tokens.ts'
import { createTurns } from './turns.ts'

/** Too many unknown credentials wait to be looked up: the address is told to slow down. */
export class TooManyStrangers extends Error {
  override readonly name = 'TooManyStrangers'
}

const MAX_AT_ONCE = 2
const MAX_WAITING = 64

type Guarded = Pick<Credentials, 'apiToken' | 'session' | 'prober'>

export interface Strangers {
  /**
   * The look-ups for an address; `isSlowed`: it is over its limit. They reject with
   * TooManyStrangers, too.
   */
  credentials(known: Guarded & Pick<Credentials, 'isNew'>, isSlowed: boolean): Guarded
  /** A look-up of which nothing is kept. Rejects with TooManyStrangers, or as it does. */
  ask<T>(isSlowed: boolean, lookUp: () => Promise<T>): Promise<T>
}

export function createStrangers(): Strangers {
  const inTurn = createTurns({
    atOnce: MAX_AT_ONCE,
    waiting: MAX_WAITING,
    crowded: () => new TooManyStrangers('Too many unknown credentials of such addresses are being looked up')
  })
  return {
    credentials(known, isSlowed) {
      if (!isSlowed) return known
      const slowed =
        <T>(kind: keyof Guarded, check: (presented: string) => Check<T>) =>
        (presented: string): Check<T> =>
          known.isNew(kind, presented) ? inTurn(() => check(presented)) : check(presented)
      return {
        apiToken: slowed('apiToken', known.apiToken),
        session: slowed('session', known.session),
        prober: slowed('prober', known.prober)
      }
    },
    ask: (isSlowed, lookUp) => (isSlowed ? inTurn(lookUp) : lookUp())
  }
}
