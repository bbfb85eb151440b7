/**
 * Slows down bad credentials from an address without harm to good ones from it, because probers and
 * people share addresses.
 *
 * An address is refused only after its credential was looked up and found bad. While an address is
 * over its limit, its unknown credentials are looked up in turn, a few at a time for all such
 * addresses together. So guessing causes no more load on Postgres than that. A good credential that
 * was seen before is served from the cache; a good one that is new waits for its turn.
 */
import type { Check, Credentials } from '../credentials/tokens.ts'
import { createTurns } from './turns.ts'

/** Too many unknown credentials wait to be looked up. The address is told to slow down. */
export class TooManyStrangers extends Error {
  override readonly name = 'TooManyStrangers'
}

const MAX_AT_ONCE = 2
const MAX_WAITING = 64

type Guarded = Pick<Credentials, 'apiToken' | 'session' | 'prober'>

export interface Strangers {
  /**
   * Returns the look-ups for an address. `isSlowed`: the address is over its limit. The look-ups
   * may also reject with TooManyStrangers.
   */
  credentials(known: Guarded & Pick<Credentials, 'isNew'>, isSlowed: boolean): Guarded
  /**
   * Makes a look-up whose result is not cached. Rejects with TooManyStrangers, or as `lookUp` does.
   */
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
