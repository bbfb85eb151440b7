/**
 * Records when a credential was last used. Requests only note it in memory. The rows are written
 * together, every 30 s and at the end, so that a read costs no write.
 */
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import type { Log } from '../../process/log.ts'
import { touchApiTokens } from '../../store/api-tokens.ts'
import { type Pool, tenantTransaction } from '../../store/pool.ts'
import { touchSessions } from '../../store/sessions.ts'
import type { Caller } from '../http/caller.ts'

const EVERY_MS = 30_000

interface Uses {
  tokens: Map<string, { at: number; ip: string }>
  sessions: Map<string, { at: number }>
}

export class UseLog {
  readonly #pool: Pool
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #byTenant = new Map<string, Uses>()
  #written: Promise<void> = Promise.resolve()

  constructor(pool: Pool, log: Log, everyMs = EVERY_MS) {
    this.#pool = pool
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), everyMs).unref()
  }

  /** `at` in epoch ms. */
  note(caller: Caller, ip: string, at: number): void {
    const uses = this.#byTenant.get(caller.tenant_id) ?? { tokens: new Map(), sessions: new Map() }
    this.#byTenant.set(caller.tenant_id, uses)
    if (caller.kind === 'token') uses.tokens.set(caller.token_id, { at, ip })
    else uses.sessions.set(caller.session_sha256, { at })
  }

  /**
   * Resolves when everything noted before is written, including what a write in progress has taken.
   * Never rejects: what cannot be written is lost, and logged.
   */
  flush(): Promise<void> {
    this.#written = this.#written.then(() => this.#write())
    return this.#written
  }

  async #write(): Promise<void> {
    const due = this.#byTenant
    this.#byTenant = new Map()
    for (const [tenant_id, { tokens, sessions }] of due) {
      try {
        await tenantTransaction(this.#pool, wholeWorkspace(tenant_id), async (tx) => {
          if (tokens.size > 0) await touchApiTokens(tx, tenant_id, tokens)
          if (sessions.size > 0) await touchSessions(tx, tenant_id, sessions)
        })
      } catch (error) {
        this.#log.warn({ err: error }, 'last use of credentials not written')
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
