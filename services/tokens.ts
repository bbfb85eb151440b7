/**
 * Credentials as intake, api and gateway check them: looked up in Postgres by the SHA-256 of what was presented, kept in memory, dropped when they change.
 *
 * - What was found is used for 60 s without asking (for 4 s while nobody is listening for changes), and refreshed in the background before that ends.
 *   While Postgres cannot be asked it is used for 10 min after the last answer; then, and for what is not kept, a check rejects with Unavailable.
 * - What was not found is kept for 5 s, in a bounded table of its own: guessing cannot push good credentials out, nor ask Postgres twice.
 * - A change in Postgres (revoked, rotated, disabled, logged out) drops the entry at once through LISTEN credential_changed. A listener that was cut off
 *   may have missed some: everything is asked for again. So a revocation counts in every process within 5 s.
 * - Look-ups are one per credential at a time and bounded in number; beyond, a check rejects with Unavailable.
 * Tokens are compared by look-up of their hash, and neither they nor their hashes are logged. Source: architecture.md sections 7, 9 and 11; api-design.md 1.4.
 */
import { hash } from 'node:crypto'
import type { Severity } from '../schemas/generated/events.ts'
import { type HeldSession, holdSession } from './store/held-session.ts'
import { type ApiTokenRow, findApiToken, findIntegration, findSession, type IntegrationRow, type SessionRow } from './store/lookups.ts'
import type { Pool, Tx } from './store/pool.ts'

/** SHA-256 of the credential, hex: what `onRevoked` names. */
interface Presented {
  readonly sha256: string
}

export interface IntegrationCredential extends Presented, Omit<IntegrationRow, 'severity_map' | 'labels_add'> {
  /** The sender's word, lower case → our severity. */
  readonly severity_map: ReadonlyMap<string, Severity>
  readonly labels_add: ReadonlyMap<string, string>
}
export type ApiTokenCredential = Presented & ApiTokenRow
export type SessionCredential = Presented & SessionRow

/** A credential, or null when there is none such or it has expired: at once when it is kept, else by a promise, which may reject with Unavailable. */
export type Check<T> = T | null | Promise<T | null>

/** Postgres cannot be asked and nothing usable is kept. Answer 503 + Retry-After. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

export interface Credentials {
  /** `svc_…`, current or rotated within its grace; disabled ones are found, with enabled=false. */
  integration(token: string): Check<IntegrationCredential>
  /** `service_…`. The caller applies `allowed_cidrs`: only it knows the address. */
  apiToken(token: string): Check<ApiTokenCredential>
  /** Value of the cookie service_session. */
  session(cookie: string): Check<SessionCredential>
  /**
   * Called with the hash of a credential that was revoked, rotated or changed, or with null when such news may have been missed: whoever holds
   * something open for a credential checks it again. Returns what takes the callback off.
   */
  onRevoked(callback: (sha256: string | null) => void): () => void
  /** True while changes are listened for. */
  listening(): boolean
  close(): void
}

export interface CredentialsOptions {
  /** Of role service_tenant; one of its connections is held for LISTEN. */
  pool: Pool
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
  limits?: Partial<CredentialLimits>
}

export interface CredentialLimits {
  freshMs: number
  /** Instead of `freshMs` while nobody listens for changes. */
  freshUnheardMs: number
  /** From this age on a use refreshes in the background. */
  refreshMs: number
  staleMs: number
  negativeMs: number
  lookupMs: number
  /** After a failed look-up, nobody asks for so long. */
  pauseMs: number
  /** Between questions on the listening connection, whether it still is one. */
  pulseMs: number
  entries: number
  negativeEntries: number
  lookups: number
}

const defaults: CredentialLimits = {
  freshMs: 60_000,
  freshUnheardMs: 4000,
  refreshMs: 45_000,
  staleMs: 600_000,
  negativeMs: 5000,
  lookupMs: 2000,
  pauseMs: 500,
  pulseMs: 2000,
  entries: 50_000,
  negativeEntries: 20_000,
  lookups: 256
}

/** Longer ones are no credential of ours; they are not even hashed. */
const MOST_CHARACTERS = 256

interface Entry<T> {
  value: T
  checkedAt: number
  used: boolean
}

interface Lookup<T> {
  answer: Promise<T | null>
  /** The credential changed while the question was under way: its answer may be older than the change. */
  overtaken: boolean
}

export function createCredentials({ pool, log, limits: given = {} }: CredentialsOptions): Credentials {
  const limits = { ...defaults, ...given }
  const callbacks = new Set<(sha256: string | null) => void>()
  let session: HeldSession | null = null
  let closed = false
  let failing = false // The last question got no answer.
  let askAgainAt = 0
  let lookups = 0
  const listening = (): boolean => session !== null && !session.lost()

  /** Rejects with Unavailable when Postgres does not answer in time, or is known not to. */
  async function ask<T>(find: (tx: Tx, sha256: Buffer) => Promise<T | null>, key: string): Promise<T | null> {
    if (performance.now() < askAgainAt) throw new Unavailable('Postgres could not be asked a moment ago')
    if (lookups >= limits.lookups) throw new Unavailable(`${lookups} credentials are being looked up already`)
    lookups += 1
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Postgres did not answer within ${limits.lookupMs} ms`)), limits.lookupMs)
    })
    // A question that nobody waits for any more still counts until it ends: a hanging Postgres is not asked ever more.
    const answer = find(pool, Buffer.from(key, 'hex')).finally(() => {
      lookups -= 1
    })
    try {
      const found = await Promise.race([answer, late])
      if (failing) log.info({}, 'credentials can be asked for again')
      failing = false
      return found
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'Postgres cannot be asked for credentials; those kept serve on for a while')
      failing = true
      askAgainAt = performance.now() + limits.pauseMs
      answer.catch(() => undefined) // Whatever becomes of a question that came too late.
      throw new Unavailable('Postgres cannot be asked for a credential', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  const caches: { drop(key: string | null): void }[] = []

  function cache<Row, T extends Presented & { expires_at: number | null }>(
    find: (tx: Tx, sha256: Buffer) => Promise<Row | null>,
    credentialOf: (row: Row, sha256: string) => T
  ): (presented: string) => Check<T> {
    const entries = new Map<string, Entry<T>>()
    const negative = new Map<string, number>() // → when it ends.
    const running = new Map<string, Lookup<T>>()

    caches.push({
      drop(key) {
        if (key === null) {
          // Kept for the case that Postgres is away, but nobody uses them without asking.
          for (const entry of entries.values()) entry.checkedAt = Math.min(entry.checkedAt, performance.now() - limits.freshMs)
          for (const lookup of running.values()) lookup.overtaken = true
          negative.clear()
          return
        }
        entries.delete(key)
        negative.delete(key)
        const lookup = running.get(key)
        if (lookup) lookup.overtaken = true
      }
    })

    function keep(key: string, value: T | null): void {
      const now = performance.now()
      if (value === null) {
        entries.delete(key)
        if (negative.size >= limits.negativeEntries) negative.delete(negative.keys().next().value ?? '')
        negative.set(key, now + limits.negativeMs)
        return
      }
      negative.delete(key)
      // Second chance: who was used since the last round goes to the end of the queue, so a hit costs no reordering.
      while (entries.size >= limits.entries && !entries.has(key)) {
        const oldest = entries.entries().next().value
        if (!oldest) break
        entries.delete(oldest[0])
        if (oldest[1].used) entries.set(oldest[0], { ...oldest[1], used: false })
      }
      entries.set(key, { value, checkedAt: now, used: false })
    }

    async function askAndKeep(key: string): Promise<T | null> {
      for (;;) {
        const row = await ask(find, key)
        const value = row === null ? null : credentialOf(row, key)
        const lookup = running.get(key)
        if (lookup?.overtaken) {
          lookup.overtaken = false
          continue
        }
        keep(key, value)
        return value
      }
    }

    /** One question per credential at a time; when it fails, what is kept and not too old answers. */
    function lookUp(key: string): Promise<T | null> {
      const pending = running.get(key)
      if (pending) return pending.answer
      const answer = askAndKeep(key)
        .catch((error: unknown) => {
          const entry = entries.get(key)
          if (entry && performance.now() - entry.checkedAt < limits.staleMs) return entry.value
          throw error
        })
        .finally(() => running.delete(key))
      running.set(key, { answer, overtaken: false })
      return answer
    }

    const unlessExpired = (value: T | null): T | null =>
      value !== null && value.expires_at !== null && value.expires_at <= Date.now() ? null : value

    return (presented) => {
      if (presented.length === 0 || presented.length > MOST_CHARACTERS) return null
      const key = hash('sha256', presented, 'hex')
      const entry = entries.get(key)
      const now = performance.now()
      if (entry) {
        const age = now - entry.checkedAt
        // Nobody waits for a Postgres that does not answer while something usable is kept.
        const usable = failing ? limits.staleMs : listening() ? limits.freshMs : limits.freshUnheardMs
        if (age < usable) {
          entry.used = true
          if ((failing || age >= limits.refreshMs) && now >= askAgainAt) lookUp(key).catch(() => undefined) // The kept one serves on; `ask` has logged it.
          return unlessExpired(entry.value)
        }
      } else if ((negative.get(key) ?? 0) > now) return null
      return lookUp(key).then(unlessExpired)
    }
  }

  function changed(key: string | null): void {
    for (const { drop } of caches) drop(key)
    for (const callback of callbacks) callback(key)
  }

  const credentials: Credentials = {
    integration: cache(findIntegration, toIntegration),
    apiToken: cache(findApiToken, (row, sha256) => ({ ...row, sha256 })),
    session: cache(findSession, (row, sha256) => ({ ...row, sha256 })),
    onRevoked(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    listening,
    close() {
      closed = true
      clearTimeout(timer)
      session?.close()
    }
  }

  let timer: NodeJS.Timeout | undefined
  let warned = false

  /** Listens, and once a pulse makes sure that the connection still is one; a lost one is replaced, and everything kept is asked for again. */
  async function listen(): Promise<void> {
    let opening: HeldSession | undefined
    try {
      if (listening() && session) {
        await session.ask((tx) => tx.query('SELECT 1'))
      } else {
        session?.close()
        session = null
        opening = await holdSession(pool, { timeoutMs: limits.lookupMs })
        await opening.listen('credential_changed', changed)
        session = opening
        changed(null)
        if (warned) log.info({}, 'listening for changed credentials again')
        warned = false
      }
    } catch (error) {
      opening?.close()
      session?.close()
      session = null
      if (!warned && !closed)
        log.warn({ err: error }, 'cannot listen for changed credentials; each is asked for every few seconds meanwhile')
      warned = true
    }
    if (closed) session?.close()
    else timer = setTimeout(() => void listen(), limits.pulseMs)
  }
  void listen()
  return credentials
}

const isSeverity = (word: unknown): word is Severity => word === 'critical' || word === 'warning' || word === 'info'

function toIntegration({ severity_map, labels_add, ...row }: IntegrationRow, sha256: string): IntegrationCredential {
  const severities = new Map<string, Severity>()
  for (const [word, severity] of Object.entries(severity_map)) if (isSeverity(severity)) severities.set(word.toLowerCase(), severity)
  const labels = new Map<string, string>()
  for (const [name, value] of Object.entries(labels_add)) labels.set(name, String(value))
  return { ...row, sha256, severity_map: severities, labels_add: labels }
}
