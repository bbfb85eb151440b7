/**
 * Asks Postgres, with limits on time and number. After a question failed, Postgres is not asked
 * again for a moment, and kept values are used for longer.
 */
import type { Pool, Tx } from '../pool.ts'
import type { LookupLimits } from './limits.ts'

/**
 * No usable value is kept, and Postgres cannot be asked. The HTTP answer is 503 + Retry-After.
 * `crowded`: too many questions are running; otherwise Postgres does not answer.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  readonly crowded: boolean

  constructor(message: string, { crowded = false, cause }: { crowded?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.crowded = crowded
  }
}

export interface QuestionLog {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

export class Questions {
  readonly #pool: Pool
  readonly #log: QuestionLog
  readonly #what: string
  readonly #limits: Pick<LookupLimits, 'lookupMs' | 'pauseMs' | 'lookups'>
  #failing = false
  #askAgainAt = 0
  #underWay = 0

  /** `what` names the things that are looked up, for the log: `credentials`. */
  constructor(pool: Pool, what: string, log: QuestionLog, limits: Pick<LookupLimits, 'lookupMs' | 'pauseMs' | 'lookups'>) {
    this.#pool = pool
    this.#what = what
    this.#log = log
    this.#limits = limits
  }

  /** The last question failed. */
  get failing(): boolean {
    return this.#failing
  }

  /** Postgres has answered somebody else: it may be asked again at once. */
  answered(): void {
    this.#askAgainAt = 0
    this.#succeeded()
  }

  /** False for a moment after a question failed. `now` is on the clock of performance.now(). */
  mayAsk(now: number): boolean {
    return now >= this.#askAgainAt
  }

  /**
   * Rejects with Unavailable when the question fails or takes too long, when one failed a moment
   * ago, or when too many are running.
   */
  async ask<R>(question: (tx: Tx) => Promise<R>): Promise<R> {
    const { lookupMs, lookups } = this.#limits
    if (!this.mayAsk(performance.now())) throw new Unavailable('Postgres could not be asked a moment ago')
    if (this.#underWay >= lookups) throw new Unavailable(`${this.#underWay} ${this.#what} are being looked up already`, { crowded: true })
    this.#underWay += 1
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Postgres did not answer within ${lookupMs} ms`)), lookupMs)
    })
    // A question counts as running until it ends, even when its caller has stopped waiting.
    // Otherwise a hanging Postgres would get more and more questions.
    const answer = question(this.#pool).finally(() => {
      this.#underWay -= 1
    })
    try {
      const found = await Promise.race([answer, late])
      this.#succeeded()
      return found
    } catch (error) {
      this.#failed(error)
      answer.catch(() => undefined) // Nobody waits for an answer that comes too late.
      throw new Unavailable(`Postgres cannot be asked for ${this.#what}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  #succeeded(): void {
    if (this.#failing) this.#log.info({}, `${this.#what} can be asked for again`)
    this.#failing = false
  }

  #failed(error: unknown): void {
    if (!this.#failing) this.#log.warn({ err: error }, `Postgres cannot be asked for ${this.#what}; those kept serve on for a while`)
    this.#failing = true
    this.#askAgainAt = performance.now() + this.#limits.pauseMs
  }
}
