/**
 * Questions to Postgres, bounded in time and number. After one that failed nobody asks for a
 * moment, and whoever keeps something uses it for longer.
 */
import type { Pool, Tx } from '../pool.ts'
import type { LookupLimits } from './limits.ts'

/**
 * Nothing usable is kept, and Postgres cannot be asked. Answer 503 + Retry-After. `crowded`: too
 * many are asking; else Postgres is away.
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

  /** `what` is asked for, for the log: `credentials`. */
  constructor(pool: Pool, what: string, log: QuestionLog, limits: Pick<LookupLimits, 'lookupMs' | 'pauseMs' | 'lookups'>) {
    this.#pool = pool
    this.#what = what
    this.#log = log
    this.#limits = limits
  }

  /** The last question got no answer. */
  get failing(): boolean {
    return this.#failing
  }

  /** False for a moment after a question failed. `now` as of performance.now(). */
  mayAsk(now: number): boolean {
    return now >= this.#askAgainAt
  }

  /**
   * Rejects with Unavailable when Postgres does not answer in time, is known not to, or is asked
   * too much already.
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
    // A question that nobody waits for any more counts until it ends, so that a hanging Postgres is
    // not asked more and more.
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
