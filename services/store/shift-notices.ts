/**
 * Finds the schedules whose reminders are due, and what is needed to send them. As service_system.
 * Source: docs/design/api/notifications.md#digests.
 */
import type { ChannelKind } from '../../schemas/http/notification-words.ts'
import type { Definition, Notice } from '../../schemas/http/on-call-words.ts'
import type { Shift } from '../../streams/on-call/timeline.ts'
import { HANDOFF_MS, REMIND_AHEAD_MS } from '../../streams/reach/shift-notices.ts'
import type { Pool, Tx } from './pool.ts'
import { loadPlans, timelineOf } from './schedule-plans.ts'

/** Returns the schedules that are due, the longest due first; at most `most`. */
export async function dueSchedules(pool: Pool, most: number): Promise<{ tenant_id: string; schedule_id: string }[]> {
  const { rows } = await pool.query<{ tenant_id: string; schedule_id: string }>(
    'SELECT tenant_id, schedule_id FROM schedules WHERE deleted_at IS NULL AND reminders_at <= now() ORDER BY reminders_at LIMIT $1',
    [most]
  )
  return rows
}

/** Begins an hour earlier than HANDOFF_MS, so that it is known who was on call before a shift. */
const BACK_MS = HANDOFF_MS + 3_600_000
/** Long enough to find a shift when its reminder comes a week ahead. */
const AHEAD_MS = REMIND_AHEAD_MS + 8 * 86_400_000

export interface DueSchedule {
  name: string
  shifts: Shift[]
  time_zone: string
  notices: readonly Notice[]
  /** Epoch ms since which it has had these notices. */
  since: number
  team_id: string | null
  visibility: 'org' | 'private'
}

/**
 * Returns the final timeline of a schedule around an instant (epoch ms), until `aheadMs` after it;
 * null: it is gone.
 */
export async function shiftsAround(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  at: number,
  aheadMs = AHEAD_MS
): Promise<Shift[] | null> {
  const [from, to] = [at - BACK_MS, at + aheadMs]
  const plan = (await loadPlans(tx, tenant_id, [schedule_id], { from, to })).get(schedule_id)
  return plan ? timelineOf(plan, from, to) : null
}

/**
 * Locks a due schedule. Returns its name, notices and final timeline around an instant (epoch ms).
 * Nobody else handles it until the transaction ends. Null: it is gone, no longer due, or locked by
 * somebody else.
 */
export async function lockDueSchedule(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<DueSchedule | null> {
  const { rows } = await tx.query<Omit<DueSchedule, 'shifts' | 'time_zone' | 'notices'> & { definition: Definition | null }>(
    `SELECT s.name, s.team_id, coalesce(g.visibility, 'org') AS visibility, v.definition,
            greatest(s.created_at, (SELECT min(w.effective_at) FROM schedule_versions w
                                     WHERE w.tenant_id = s.tenant_id AND w.schedule_id = s.schedule_id AND w.version <= v.version AND w.version > coalesce((
                                       SELECT max(x.version) FROM schedule_versions x
                                        WHERE x.tenant_id = s.tenant_id AND x.schedule_id = s.schedule_id AND x.version < v.version
                                          AND x.definition -> 'notices' IS DISTINCT FROM v.definition -> 'notices'), 0))) AS since
       FROM schedules s LEFT JOIN teams g ON g.tenant_id = s.tenant_id AND g.team_id = s.team_id
       LEFT JOIN LATERAL (SELECT version, definition FROM schedule_versions v
                           WHERE v.tenant_id = s.tenant_id AND v.schedule_id = s.schedule_id AND v.effective_at <= $3
                           ORDER BY v.version DESC LIMIT 1) v ON true
      WHERE s.tenant_id = $1 AND s.schedule_id = $2 AND s.deleted_at IS NULL AND s.reminders_at <= now()
        FOR NO KEY UPDATE OF s SKIP LOCKED`,
    [tenant_id, schedule_id, new Date(at)]
  )
  const [found] = rows
  if (!found) return null
  const shifts = await shiftsAround(tx, tenant_id, schedule_id, at)
  if (!shifts) return null
  const { definition, ...schedule } = found
  return { ...schedule, shifts, time_zone: definition?.time_zone ?? 'UTC', notices: definition?.notices ?? [] }
}

export interface ToldChannel {
  channel_id: string
  kind: ChannelKind
  workspace: { name: string; slug: string }
  /** It may hear of what belongs to this team. */
  may_hear: boolean
}

/**
 * Returns the channels that exist, by id. `team_id`: the team of a schedule that not everybody
 * sees, otherwise null.
 */
export async function readToldChannels(
  tx: Tx,
  tenant_id: string,
  channel_ids: readonly string[],
  team_id: string | null
): Promise<Map<string, ToldChannel>> {
  if (channel_ids.length === 0) return new Map()
  const { rows } = await tx.query<ToldChannel>(
    `SELECT c.channel_id, c.kind, jsonb_build_object('name', t.name, 'slug', t.slug) AS workspace,
            ($3::uuid IS NULL OR coalesce(c.team_id = $3, false) OR $3 = ANY (c.allowed_team_ids)) AS may_hear
       FROM notification_channels c JOIN tenants t USING (tenant_id)
      WHERE c.tenant_id = $1 AND c.channel_id = ANY ($2::uuid[]) AND c.deleted_at IS NULL`,
    [tenant_id, channel_ids, team_id]
  )
  return new Map(rows.map((row) => [row.channel_id, row]))
}

/** Sets when the reminders are checked again (epoch ms). */
export async function lookAgainAt(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<void> {
  await tx.query('UPDATE schedules SET reminders_at = $3 WHERE tenant_id = $1 AND schedule_id = $2', [tenant_id, schedule_id, new Date(at)])
}

/**
 * Makes every schedule of the workspace due for a check, because a person wants to be reminded at
 * other times.
 */
export async function lookAtReminders(tx: Tx, tenant_id: string): Promise<void> {
  await tx.query("UPDATE schedules SET reminders_at = '-infinity' WHERE tenant_id = $1 AND deleted_at IS NULL", [tenant_id])
}
