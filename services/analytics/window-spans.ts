/**
 * Rows of the spans of maintenance windows, by version. `updated_at` of a record is when people
 * changed the window last, so the records that its own job sends belong to the same version.
 */
import type { Records } from '../../schemas/generated/events.ts'
import { table } from './table.ts'
import { flag, texts, uuid, version, whole } from './tsv.ts'

type Window = Records['MaintenanceWindow']

/** The occurrences of a window. A window that happens once and has none yet gets its own times. */
export function spansOf({ schedule_kind, starts_at, ends_at, spans }: Window): Window['spans'] {
  const once = schedule_kind === 'once' && starts_at !== null && ends_at !== null
  return spans.length > 0 || !once ? spans : [{ starts_at, ends_at }]
}

type Scope = Pick<Window['scope'], 'all' | 'monitor_ids' | 'heartbeat_ids' | 'group_ids' | 'tags'>

export interface SpanRow {
  tenant_id: string
  window_id: string
  /** Epoch ms. */
  valid_from: number
  ver: number
  excluded: boolean
  scope: Scope
  span: Window['spans'][number]
}

const NOTHING: Scope = { all: false, monitor_ids: [], heartbeat_ids: [], group_ids: [], tags: [] }
/** Of the row that says what a version covers. */
const NO_SPAN = { starts_at: 0, ends_at: 0 }

/** Only the first row has the scope: a window has many spans. */
export function spanRows(window: Window): SpanRow[] {
  const { tenant_id, window_id, updated_at: valid_from, ver, scope } = window
  const excluded = !window.count_in_uptime && window.state !== 'cancelled'
  const row = { tenant_id, window_id, valid_from, ver, excluded }
  return [{ ...row, scope, span: NO_SPAN }, ...spansOf(window).map((span) => ({ ...row, scope: NOTHING, span }))]
}

/** The row of a tombstone: from `at` (epoch ms) on, the window is nothing. */
export const endOfSpans = (deleted: { tenant_id: string; window_id: string; ver: number; at: number }): SpanRow => {
  const { tenant_id, window_id, ver, at } = deleted
  return { tenant_id, window_id, valid_from: at, ver, excluded: false, scope: NOTHING, span: NO_SPAN }
}

const instantOf = (at: number, name: string): number => whole(at, name, 0, Number.MAX_SAFE_INTEGER)

export const windowSpans = table<SpanRow>({
  tenant_id: (r) => uuid(r.tenant_id, 'tenant_id'),
  window_id: (r) => uuid(r.window_id, 'window_id'),
  valid_from: (r) => instantOf(r.valid_from, 'updated_at'),
  starts_at: ({ span }) => instantOf(span.starts_at, 'starts_at'),
  ends_at: ({ span }) => instantOf(span.ends_at, 'ends_at'),
  ver: (r) => version(r.ver),
  excluded: (r) => flag(r.excluded),
  covers_all: ({ scope }) => flag(scope.all),
  monitor_ids: ({ scope }) => texts(scope.monitor_ids),
  heartbeat_ids: ({ scope }) => texts(scope.heartbeat_ids),
  group_ids: ({ scope }) => texts(scope.group_ids),
  tags: ({ scope }) => texts(scope.tags)
})
