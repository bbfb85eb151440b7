/**
 * Wrong passwords: who sends them is slowed, and the owner of the account is not.
 *
 * A guess counts for the address and the account together: five at once, then ten in 15 min. So
 * that many addresses, or one that tries many accounts, are bounded, too, it counts for the account
 * and for the address alone, with looser figures; these two bind only where the address has not
 * logged in to the account before. Accounts are counted by their canonical e-mail address, whether
 * or not there is such an account. A right password counts for nothing, and a guess that is refused
 * takes nothing. All of it is in the memory of the instance, and bounded.
 */
import type { RateGroup } from '../../../schemas/plans.ts'
import { Busy, verifyPassword } from '../../credentials/credentials.ts'
import { canonicalEmail } from '../../credentials/email.ts'
import { senderOf } from '../../http/networks.ts'
import type { Buckets, Verdict } from '../plugins/buckets.ts'

/**
 * Pairs of an account and an address that logged in to it; the one unused for longest goes first.
 */
const MAX_KNOWN = 50_000

export interface Guess {
  /** The bucket that refuses, else that of address and account. */
  verdict: Verdict
  /**
   * Holds the password against the hash; null, of no account, does the same work. A try that finds
   * no turn (Busy) does not count.
   */
  verify(phc: string | null, password: string): Promise<boolean>
  /**
   * The password was right, and lets the person in: the guess does not count, and the address is
   * known from now on.
   */
  right(): void
}

export class Guesses {
  readonly #buckets: Buckets
  /** In the order of use. */
  readonly #known = new Set<string>()

  constructor(buckets: Buckets) {
    this.#buckets = buckets
  }

  /** One guess of the address at the account of the e-mail address. */
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
