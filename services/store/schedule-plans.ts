/**
 * Who is on call, as Postgres knows it. The past comes from schedule_history, everything else from
 * the present versions, overrides and members.
 *
 * The last row of the history holds until `next_change_at`; every change of a schedule computes
 * that instant anew. For the time before a schedule was made, its first version counts.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import {
  type CompiledVersion,
  compileVersion,
  finalShifts,
  joined,
  type Override,
  type Plan,
  type Shift
} from '../../streams/on-call/timeline.ts'
import { tzZones, type Zones } from '../../streams/on-call/zones.ts'
import { FROM_CALENDAR } from './overrides.ts'
import type { Tx } from './pool.ts'
import type { ScheduleVersion } from './schedules.ts'

/** The time zone data of this process, and their version. */
export interface ZoneData {
  tzdb: string
  zones: Zones
}

export const zoneData: ZoneData = { tzdb: process.versions.tz ?? 'unknown', zones: tzZones }

/** A row of schedule_history. It ends where the next one begins. */
export type HistoryRow = Omit<Shift, 'ends_at'>

/** Everything that is needed to compute the timeline of a schedule. Times are epoch ms. */
export interface SchedulePlan {
  schedule_id: string
  created_at: number
  deleted_at: number | null
  next_change_at: number
  history: readonly HistoryRow[]
  plan: Plan
}

interface Head {
  schedule_id: string
  created_at: number
  deleted_at: number | null
  next_change_at: number
}

/** Versions never change, so a compiled version stays valid with the same zone data. */
const compiled = new Map<string, CompiledVersion>()
const MAX_COMPILED = 2000

function compiledOf({ schedule_id, version, definition }: ScheduleVersion, { tzdb, zones }: ZoneData): CompiledVersion {
  const key = `${schedule_id}:${version}:${tzdb}`
  const kept = compiled.get(key)
  if (kept) return kept
  const made = compileVersion(version, definition, zones)
  if (compiled.size >= MAX_COMPILED) compiled.clear()
  compiled.set(key, made)
  return made
}

const OVERRIDE = `schedule_id, override_id, seq, ${FROM_CALENDAR} AS from_calendar, user_id, starts_at, ends_at, replaces_user_id, layer, swap_id`
const HISTORY = 'schedule_id, starts_at, user_ids, origin, layer, turn, override_id, fallback, schedule_version, tzdb'

/**
 * Returns by id the plans of schedules, including deleted ones, with enough data for the span
 * (epoch ms). Schedules that the transaction does not see are left out.
 */
export async function loadPlans(
  tx: Tx,
  tenant_id: string,
  schedule_ids: readonly string[],
  { from, to }: { from: number; to: number },
  data: ZoneData = zoneData
): Promise<Map<string, SchedulePlan>> {
  const values = [tenant_id, schedule_ids, new Date(from), new Date(to)]
  // Before a schedule was made its first version counts, so that version is read when the span
  // begins that early.
  const [{ rows: heads }, { rows: versions }, { rows: overrides }, { rows: history }] = await Promise.all([
    tx.query<Head>({
      name: 'plans-heads',
      text: 'SELECT schedule_id, created_at, deleted_at, next_change_at FROM schedules WHERE tenant_id = $1 AND schedule_id = ANY ($2::uuid[])',
      values: values.slice(0, 2)
    }),
    tx.query<ScheduleVersion & { user_ids: string[] }>({
      name: 'plans-versions',
      text: `SELECT v.schedule_id, v.version, v.effective_at, v.definition, v.user_ids FROM schedule_versions v
              WHERE v.tenant_id = $1 AND v.schedule_id = ANY ($2::uuid[]) AND v.effective_at <= $4
                AND v.version >= (SELECT max(b.version) FROM schedule_versions b
                                   WHERE b.tenant_id = $1 AND b.schedule_id = v.schedule_id AND b.effective_at <= $3)`,
      values
    }),
    tx.query<Override & { schedule_id: string }>({
      name: 'plans-overrides',
      text: `SELECT ${OVERRIDE} FROM on_call_overrides
              WHERE tenant_id = $1 AND schedule_id = ANY ($2::uuid[]) AND ends_at > $3 AND starts_at < $4`,
      values
    }),
    tx.query<HistoryRow & { schedule_id: string }>({
      name: 'plans-history',
      text: `SELECT ${HISTORY} FROM schedule_history h
              WHERE tenant_id = $1 AND schedule_id = ANY ($2::uuid[]) AND starts_at < $4
                AND starts_at >= coalesce((SELECT max(b.starts_at) FROM schedule_history b
                                            WHERE b.tenant_id = $1 AND b.schedule_id = h.schedule_id AND b.starts_at <= $3), '-infinity')
              ORDER BY schedule_id, starts_at`,
      values
    })
  ])
  if (heads.length === 0) return new Map()
  const named = new Set([...versions.flatMap(({ user_ids }) => user_ids), ...overrides.flatMap(({ user_id }) => user_id ?? [])])
  const { rows: members } = await tx.query<{ user_id: string }>({
    name: 'plans-members',
    text: 'SELECT user_id FROM members WHERE tenant_id = $1 AND user_id = ANY ($2::uuid[])',
    values: [tenant_id, [...named]]
  })
  const here = new Set(members.map(({ user_id }) => user_id))
  const mine = <T extends { schedule_id: string }>(rows: readonly T[], id: string): T[] =>
    rows.filter(({ schedule_id }) => schedule_id === id)
  return new Map(
    heads.map((head) => {
      const own = mine(versions, head.schedule_id)
      const plan: Plan = {
        versions: own.map((version) => ({ effective_at: version.effective_at, compiled: compiledOf(version, data) })),
        overrides: mine(overrides, head.schedule_id),
        tzdb: data.tzdb,
        present: (user_id) => here.has(user_id)
      }
      return [head.schedule_id, { ...head, history: mine(history, head.schedule_id), plan }]
    })
  )
}

/**
 * Returns the final timeline of a schedule, cut to the span. Nothing follows after the schedule was
 * deleted.
 */
export function timelineOf({ created_at, deleted_at, next_change_at, history, plan }: SchedulePlan, from: number, to: number): Shift[] {
  const end = Math.min(to, deleted_at ?? Infinity)
  const known = Math.min(end, next_change_at)
  const shifts: Shift[] = []
  // People who have left since then were still members at that time.
  if (from < Math.min(end, created_at))
    shifts.push(...finalShifts({ ...plan, overrides: [], present: () => true }, from, Math.min(end, created_at)))
  for (const [index, row] of history.entries()) {
    const starts_at = Math.max(row.starts_at, from)
    const ends_at = Math.min(history[index + 1]?.starts_at ?? Infinity, known)
    if (starts_at < ends_at) shifts.push({ ...row, starts_at, ends_at })
  }
  const rest = Math.max(from, next_change_at, created_at)
  if (rest < end) shifts.push(...finalShifts(plan, rest, end))
  return joined(shifts)
}
