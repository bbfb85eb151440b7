/**
 * Turns the counters of the doors and the raised ceilings into budgets. It walks through a batch of
 * one partition of ingest.usage.v1 in log order.
 *
 * State    a row per workspace and one for the partition (state.ts), owned by the partition
 * Inputs   UsageCounter, BudgetConfig
 * Returns  rows; a mark for tenant.budgets.v1 when a ceiling changed, because doors hold the
 *          ceilings as a table; a feed notice when a workspace begins to be limited
 *
 * Sums may lag behind in the store (`kept`), because a repeated counter brings the same sum. The
 * record of what people were told must not lag. The fold is pure and changes nothing that it is
 * given.
 */
import type { FeedNotice, Input, Outgoing, PartitionOutcome, Refusal } from '../define.ts'
import type { Emits } from './outgoing.ts'
import { count, HOUR_MS, isEmpty, newRow } from './rules.ts'
import { type BudgetRow, type BudgetState, type PartitionRow, partitionKey } from './state.ts'

type InputOf<N extends Input['record']> = Extract<Input, { record: N }>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function budgetFold(state: ReadonlyMap<string, BudgetState>, inputs: readonly Input[]): PartitionOutcome<BudgetState, Emits> {
  const batch = new Batch(state)
  for (const input of inputs) batch.take(input)
  return batch.outcome()
}

/** One batch. The rows it changed are held over the given state, which stays unchanged. */
class Batch {
  readonly #state: ReadonlyMap<string, BudgetState>
  readonly #rows = new Map<string, BudgetRow | null>()
  readonly #partitions = new Map<string, PartitionRow>()
  readonly #matters = new Set<string>()
  readonly #outgoing: Outgoing<'tenant.budgets.v1'>[] = []
  readonly #refused: Refusal[] = []
  readonly #feed: FeedNotice[] = []

  constructor(state: ReadonlyMap<string, BudgetState>) {
    this.#state = state
  }

  take(input: Input): void {
    if (input.record !== 'UsageCounter' && input.record !== 'BudgetConfig') {
      this.#refuse(input, `${input.record} is none of the budget's business`)
      return
    }
    if (!UUID.test(input.value.tenant_id)) this.#refuse(input, 'the workspace is not a UUID')
    else if (input.record === 'UsageCounter') this.#counter(input)
    else this.#config(input)
    this.#sweep(input)
  }

  outcome(): PartitionOutcome<BudgetState, Emits> {
    const changed = new Map<string, BudgetState | null>()
    const kept = new Map<string, BudgetState>()
    for (const [key, row] of this.#rows) {
      if (row === null || this.#matters.has(key)) changed.set(key, row)
      else kept.set(key, row)
    }
    for (const [key, row] of this.#partitions) (changed.size > 0 ? changed : kept).set(key, row)
    return { outgoing: this.#outgoing, jobs: [], refused: this.#refused, changed, kept, notices: [], hints: [], feed: this.#feed }
  }

  #row(tenant_id: string): BudgetRow | null {
    const touched = this.#rows.get(tenant_id)
    if (touched !== undefined) return touched
    const row = this.#state.get(tenant_id)
    return row?.kind === 'budget' ? row : null
  }

  #counter({ value, timestamp }: InputOf<'UsageCounter'>): void {
    const { tenant_id, limit } = value
    const before = this.#row(tenant_id) ?? newRow(tenant_id)
    const { row, began } = count(before, value, timestamp)
    if (row === before) return
    this.#rows.set(tenant_id, row)
    if (!began || !row.limited) return
    this.#matters.add(tenant_id)
    this.#feed.push({
      tenant_id,
      key: `limit:ingest:${row.limited.since}`,
      type: 'limit',
      severity: 'warning',
      title: 'Alerts are refused: the budget is used up',
      body: `More than ${limit} alerts a minute came in. What goes beyond is answered with 429, and senders are told when to try again; nothing of it is stored. The usage view shows the figures; the limit grows with the plan, or by request.`,
      at: row.limited.since,
      audience: 'managers'
    })
  }

  #config(input: InputOf<'BudgetConfig'>): void {
    const { tenant_id, version, ceiling, deleted, at, event_id } = input.value
    const before = this.#row(tenant_id)
    if (version <= (before?.raised?.version ?? 0)) return // Re-emitted daily.
    if (deleted && !before) return
    if (ceiling < 0) {
      this.#refuse(input, 'the ceiling is below 0')
      return
    }
    const src = `${input.topic}:${input.partition}:${input.offset}`
    this.#rows.set(tenant_id, deleted ? null : { ...(before ?? newRow(tenant_id)), raised: { version, ceiling, at, event_id, cause: src } })
    this.#matters.add(tenant_id)
    this.#outgoing.push({
      tenant_id,
      aggregate: `budget:${tenant_id}`,
      ver: version,
      topic: 'tenant.budgets.v1',
      key: tenant_id,
      event_id,
      event_type: 'budget',
      src,
      body: 'current'
    })
  }

  /**
   * Once an hour of log time, deletes the rows of workspaces that sent nothing for an hour and have
   * no ceiling of their own.
   */
  #sweep({ partition, timestamp }: Input): void {
    const key = partitionKey(partition)
    const row = this.#partitions.get(key) ?? this.#state.get(key)
    if (row?.kind === 'partition' && timestamp < row.swept_at + HOUR_MS) return
    this.#partitions.set(key, { kind: 'partition', swept_at: timestamp })
    for (const [id, known] of this.#state) {
      if (known.kind !== 'budget' || this.#rows.has(id) || !isEmpty(known, timestamp)) continue
      this.#rows.set(id, null)
    }
  }

  #refuse(input: Input, reason: string): void {
    this.#refused.push({ input, reason })
  }
}
