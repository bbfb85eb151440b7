/**
 * The inbound budget of each workspace at this instance of the api. It counts in addition to the
 * doors, by the same rules, every request as one alert. Ceilings that an operator raised are read
 * from Postgres; counters go to ingest.usage.v1 through the outbox.
 * Source: docs/design/specification.md#s8-4, docs/design/api/alerts-and-routing.md#s6-7.
 */
import type { Codec } from '../../../schemas/codec.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { ingestPerMinute, type PlanId, planOf } from '../../../schemas/plans.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import type { Outgoing } from '../../../streams/define.ts'
import { steadyNow } from '../../../streams/runtime/steady.ts'
import { createBudget, type Standing, type Usage, WINDOW_SECONDS } from '../../intake/doors/budget.ts'
import { usageCounter } from '../../intake/doors/usage-counter.ts'
import type { Log } from '../../process/log.ts'
import { readCeiling } from '../../store/budgets.ts'
import { insertOutgoing } from '../../store/outbox.ts'
import { keyedTransaction, type Pool, tenantTransaction } from '../../store/pool.ts'
import type { Verdict } from './buckets.ts'

const TELL_MS = 10_000
/** A raised ceiling takes effect here at most this much later, from the next window on. */
const READ_AGAIN_MS = 30_000
/** The most workspaces whose ceilings are cached; beyond that, all are read again. */
const MAX_KNOWN = 5000

export interface IngestBudgetOptions {
  pool: Pool
  codec: Codec
  log: Log
  /** The alerts per minute that every workspace has at least. */
  floor: number
  /** Name of this instance in the counters. */
  instance: string
  tellMs?: number
}

const verdictOf = ({ limit, remaining, reset_seconds }: Standing, admitted: boolean): Verdict => ({
  admitted,
  name: 'ingest_tenant',
  limit,
  remaining,
  reset_seconds,
  window_seconds: WINDOW_SECONDS
})

export class IngestBudget {
  readonly #options: IngestBudgetOptions
  readonly #budget
  readonly #boot = uuidv4()
  readonly #timer: NodeJS.Timeout
  /** When the ceiling of each workspace was read, by the steady clock. */
  #known = new Map<string, number>()
  /** Ceilings that are being read. */
  readonly #reading = new Map<string, Promise<void>>()
  #told: Promise<void> = Promise.resolve()
  #ver = 0

  constructor(options: IngestBudgetOptions) {
    this.#options = options
    this.#budget = createBudget(options.floor)
    this.#timer = setInterval(() => void this.flush(), options.tellMs ?? TELL_MS).unref()
  }

  /** Takes a request for one alert. It counts if it is admitted, whatever becomes of it. */
  async take({ tenant_id, plan }: { tenant_id: string; plan: PlanId }): Promise<Verdict> {
    await this.#learn(tenant_id)
    const [ceiling, now] = [ingestPerMinute(planOf(plan)), steadyNow()]
    const found = this.#budget.admit(tenant_id, ceiling, now)
    return found.admitted ? verdictOf(this.#budget.count(tenant_id, ceiling, 1, now), true) : verdictOf(found, false)
  }

  /** Resolves when everything counted before is in the outbox, or could not be put there. */
  flush(): Promise<void> {
    this.#told = this.#told.then(() => this.#tell())
    return this.#told
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  /**
   * Reads the ceiling if it is not known, or old. A window's limit is fixed when it opens, so
   * requests wait while none is known. After a failure the next request reads again.
   */
  async #learn(tenant_id: string): Promise<void> {
    const read_at = this.#known.get(tenant_id)
    if (read_at !== undefined && steadyNow() < read_at + READ_AGAIN_MS) return
    const reading = this.#reading.get(tenant_id) ?? this.#read(tenant_id).finally(() => this.#reading.delete(tenant_id))
    this.#reading.set(tenant_id, reading)
    if (read_at === undefined) await reading
  }

  /** Never rejects. */
  async #read(tenant_id: string): Promise<void> {
    const { pool, log } = this.#options
    try {
      const ceiling = await keyedTransaction(pool, wholeWorkspace(tenant_id), (tx) => readCeiling(tx, tenant_id))
      if (this.#known.size >= MAX_KNOWN) this.#known = new Map()
      this.#known.set(tenant_id, steadyNow())
      this.#budget.setCeiling(tenant_id, ceiling)
    } catch (error) {
      log.warn({ err: error, tenant_id }, 'a ceiling could not be read: the last one counts on')
    }
  }

  async #tell(): Promise<void> {
    const { pool, codec, log } = this.#options
    const byTenant = new Map<string, Usage[]>()
    for (const usage of this.#budget.due(steadyNow())) byTenant.set(usage.tenant_id, [...(byTenant.get(usage.tenant_id) ?? []), usage])
    for (const [tenant_id, usages] of byTenant) {
      try {
        const rows = usages.map((usage) => this.#outgoing(usage))
        await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => insertOutgoing(tx, rows, codec))
        this.#budget.published(usages)
      } catch (error) {
        log.warn({ err: error, tenant_id }, 'usage counters were not written; the next ones hold what these did')
      }
    }
  }

  #outgoing(usage: Usage): Outgoing {
    const { instance } = this.#options
    const value = usageCounter(usage, { instance, boot: this.#boot, at: Date.now() })
    const { tenant_id, event_id } = value
    this.#ver += 1
    return {
      tenant_id,
      aggregate: `ingest-usage:${this.#boot}`,
      ver: this.#ver,
      topic: 'ingest.usage.v1',
      key: tenant_id,
      event_id,
      event_type: 'usage_counter',
      src: `system:${instance}`,
      body: 'record',
      record: 'UsageCounter',
      value
    }
  }
}
