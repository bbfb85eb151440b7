/**
 * Counts deliveries that were understood but opened or changed nothing, by integration and reason,
 * and records when an integration last had one processed. The counts are kept in memory and written
 * to Postgres every 10 s. No answer waits for that, so doors also answer while Postgres is down.
 *
 * Limits: 10,000 integrations between two writes, 20 reasons for each. Reasons beyond that count as
 * 'other'; integrations beyond that are not counted. Counts of a failed write are added to the next
 * one. Retention: counts are kept 31 days.
 *
 * Source: docs/design/api/alerts-and-routing.md#ignored,
 * docs/decisions/0055-doors-count-what-they-ignore-in-memory.md.
 */
import type { IntegrationCredential } from '../credentials/tokens.ts'
import type { Log } from '../process/log.ts'
import { type IntakeTold, MAX_REASON, MAX_REASONS, noteIntake } from '../store/intake-facts.ts'
import type { Pool } from '../store/pool.ts'
import { cut } from './readers.ts'

const TELL_MS = 10_000
const MAX_INTEGRATIONS = 10_000
const AT_ONCE = 1000

type Named = Pick<IntegrationCredential, 'tenant_id' | 'integration_id'>
type Reason = IntakeTold['reasons'][number]
interface Entry extends Omit<IntakeTold, 'reasons'> {
  reasons: Map<string, Reason>
}

/** The counts since the last write. It does no I/O; times are epoch ms. */
export class IntakeCounts {
  #entries = new Map<string, Entry>()

  processed({ tenant_id, integration_id }: Named, at: number): void {
    const entry = this.#entry(tenant_id, integration_id)
    if (!entry) return
    entry.processed_at = at
    entry.ignoring_since = null
  }

  ignored({ tenant_id, integration_id }: Named, reason: string, at: number): void {
    const entry = this.#entry(tenant_id, integration_id)
    if (!entry) return
    entry.ignoring_since ??= at
    entry.last_ignored_at = at
    count(entry.reasons, { reason: cut(reason, MAX_REASON), deliveries: 1, last_at: at })
  }

  #entry(tenant_id: string, integration_id: string): Entry | null {
    const known = this.#entries.get(integration_id)
    if (known) return known
    if (this.#entries.size >= MAX_INTEGRATIONS) return null
    const entry: Entry = { tenant_id, integration_id, processed_at: null, ignoring_since: null, last_ignored_at: null, reasons: new Map() }
    this.#entries.set(integration_id, entry)
    return entry
  }

  /** Returns all counts and resets them. */
  take(): IntakeTold[] {
    const taken = [...this.#entries.values()].map((entry) => ({ ...entry, reasons: [...entry.reasons.values()] }))
    this.#entries = new Map()
    return taken
  }

  /**
   * Puts back counts that were taken but could not be written. They are older than all counts here.
   */
  putBack(told: readonly IntakeTold[]): void {
    for (const before of told) {
      const entry = this.#entry(before.tenant_id, before.integration_id)
      if (!entry) continue
      if (entry.processed_at === null) entry.ignoring_since = before.ignoring_since ?? entry.ignoring_since
      entry.processed_at ??= before.processed_at
      entry.last_ignored_at ??= before.last_ignored_at
      for (const reason of before.reasons) count(entry.reasons, reason)
    }
  }
}

const dayOf = (ms: number): number => Math.floor(ms / 86_400_000)

/** Counts by day as well, because the table has a row for each day. */
function count(reasons: Map<string, Reason>, { reason, deliveries, last_at }: Reason): void {
  const named = `${dayOf(last_at)} ${reason}`
  const isNew = !reasons.has(named) && reasons.size >= MAX_REASONS
  const key = isNew ? `${dayOf(last_at)} other` : named
  const known = reasons.get(key)
  reasons.set(key, {
    reason: isNew ? 'other' : reason,
    deliveries: (known?.deliveries ?? 0) + deliveries,
    last_at: Math.max(known?.last_at ?? 0, last_at)
  })
}

/** What the doors report. `at`: when the delivery arrived, epoch ms. */
export type Noticing = Pick<IntakeCounts, 'processed' | 'ignored'>

export interface IgnoredOptions {
  pool: Pool
  log: Pick<Log, 'warn'>
  everyMs?: number
}

export function keepIgnored({ pool, log, everyMs = TELL_MS }: IgnoredOptions): { counts: Noticing; close(): Promise<void> } {
  const counts = new IntakeCounts()
  let told = true

  async function tell(): Promise<void> {
    const taken = counts.take()
    for (let from = 0; from < taken.length; from += AT_ONCE) {
      try {
        await noteIntake(pool, taken.slice(from, from + AT_ONCE))
        told = true
      } catch (error) {
        counts.putBack(taken.slice(from))
        if (told) log.warn({ err: error }, 'what was ignored could not be noted; it is kept for the next time')
        told = false
        return
      }
    }
  }

  let telling = Promise.resolve()
  const tellNext = (): Promise<void> => {
    telling = telling.then(tell)
    return telling
  }
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    void tellNext().finally(() => {
      busy = false
    })
  }, everyMs)
  timer.unref()
  return {
    counts,
    close() {
      clearInterval(timer)
      return tellNext()
    }
  }
}
