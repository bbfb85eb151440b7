/**
 * Builds ingest.usage.v1 records for tests, and a partition in memory that folds them the same way
 * as the runtime does.
 */
import type { BudgetConfig, UsageCounter } from '../../../schemas/generated/events.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { budgetFold } from '../../../streams/budget/fold.ts'
import type { BudgetRow, BudgetState } from '../../../streams/budget/state.ts'
import type { FeedNotice, Input, Outgoing } from '../../../streams/define.ts'
import { record } from '../../harness/records.ts'

export const TENANT = '0190aaaa-0000-7000-8000-000000000001'
export const BOOT = '0190bbbb-0000-7000-8000-000000000001'
export const T0 = Date.UTC(2026, 10, 22, 12)
export const MINUTE = 60_000

export const counter = (over: Partial<UsageCounter> = {}): UsageCounter =>
  record('UsageCounter', {
    event_id: uuidv5(TENANT, JSON.stringify(over)),
    tenant_id: TENANT,
    boot: BOOT,
    window: T0,
    accepted: 10,
    at: (over.window ?? T0) + 10_000,
    retention_days: 395,
    ...over
  })

export const config = (over: Partial<BudgetConfig> = {}): BudgetConfig =>
  record('BudgetConfig', { event_id: uuidv5(TENANT, `config ${over.version ?? 1}`), tenant_id: TENANT, at: T0, ...over })

export interface Partition {
  outgoing: Outgoing[]
  feed: FeedNotice[]
  refused: string[]
  /** Folds the values as one batch. Each record's time is that of its value, or `at`. */
  fold(values: readonly (UsageCounter | BudgetConfig)[], at?: number): void
  row(): BudgetRow | null
  keys(): string[]
  /** All rows as text, ordered by key. */
  text(): string
}

export function partition(): Partition {
  let state: ReadonlyMap<string, BudgetState> = new Map()
  let offset = 0n
  const input = (value: UsageCounter | BudgetConfig, timestamp: number): Input => ({
    ...('window' in value ? { record: 'UsageCounter' as const, value } : { record: 'BudgetConfig' as const, value }),
    topic: 'ingest.usage.v1',
    partition: 0,
    offset: offset++,
    timestamp,
    key: value.tenant_id
  })
  const text = (): string => JSON.stringify([...state].sort(([a], [b]) => (a < b ? -1 : 1)))
  const at: Partition = {
    outgoing: [],
    feed: [],
    refused: [],
    fold(values, time) {
      const before = text()
      const outcome = budgetFold(
        state,
        values.map((value) => input(value, time ?? value.at))
      )
      if (text() !== before) throw new Error('the fold changed what it was given')
      const next = new Map(state)
      for (const [key, row] of [...outcome.kept, ...outcome.changed]) {
        if (row === null) next.delete(key)
        else next.set(key, row)
      }
      state = next
      at.outgoing.push(...outcome.outgoing)
      at.feed.push(...(outcome.feed ?? []))
      at.refused.push(...outcome.refused.map(({ reason }) => reason))
    },
    row() {
      const row = state.get(TENANT)
      return row?.kind === 'budget' ? row : null
    },
    keys: () => [...state.keys()],
    text
  }
  return at
}
