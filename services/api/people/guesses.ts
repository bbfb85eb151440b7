/**
 * Limits wrong passwords: it slows the sender of guesses, not the owner of the account.
 *
 * A guess counts for the pair of address and account: five at once, then ten in 15 min. To bound
 * many addresses, or one address that tries many accounts, it also counts for the account alone and
 * for the address alone, with looser figures. These two apply only if the address has not logged in
 * to the account before. Accounts are counted by their canonical e-mail address, whether such an
 * account exists or not. A right password does not count, and a refused guess takes nothing. All of
 * it is in the memory of the instance, and bounded.
 */
import type { RateGroup } from '../../../schemas/plans.ts'
import { Busy, verifyPassword } from '../../credentials/credentials.ts'
import { canonicalEmail } from '../../credentials/email.ts'
import { senderOf } from '../../http/networks.ts'
import type { Buckets, Verdict } from '../plugins/buckets.ts'

/**
 * Pairs of an account and an address that has logged in to it. The least recently used pair is
 * dropped first.
 */
const MAX_KNOWN = 50_000

export interface Guess {
  /** The verdict of the bucket that refuses, else of the bucket of address and account. */
  verdict: Verdict
  /**
   * Compares the password with the hash. Null (no account) does the same work. A try that gets no
   * turn (Busy) does not count.
   */
  verify(phc: string | null, password: string): Promise<boolean>
  /**
   * Call it when the password was right and lets the person in: the guess then does not count, and
   * the address is known from now on.
   */
  right(): void
}

export class Guesses {
  readonly #buckets: Buckets
  /** The known addresses, in the order of use. */
  readonly #known = new Set<string>()

  constructor(buckets: Buckets) {
    this.#buckets = buckets
  }

  /** Begins one guess of the address at the account of the e-mail address. */
  begin(address: string, email: string): Guess {
    const [sender, account] = [`address ${senderOf(address)}`, `account ${canonicalEmail(email)}`]
    const pair = `${sender} ${account}`
    const take = (name: RateGroup, key: string) => ({ name, key, verdict: this.#buckets.take(name, key, 'free') })
    const own = take('auth', pair)
    const taken = this.#known.has(pair) ? [own] : [own, take('auth_address', sender), take('auth_account', account)]
    const giveBack = (): void => {
      for (const { name, key, verdict } of taken.splice(0)) if (verdict.admitted) this.#buckets.giveBack(name, key)
    }
    const { verdict } = taken.find(({ verdict }) => !verdict.admitted) ?? own
    if (!verdict.admitted) giveBack()
    return {
      verdict,
      async verify(phc, password) {
        try {
          return await verifyPassword(phc, password)
        } catch (error) {
          if (error instanceof Busy) giveBack()
          throw error
        }
      },
      right: () => {
        giveBack()
        this.#know(pair)
      }
    }
  }

  #know(pair: string): void {
    this.#known.delete(pair)
    this.#known.add(pair)
    const [oldest] = this.#known
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}
