/**
 * Heartbeats of a workspace: the settings that people make, and what the heartbeat fold last stored
 * of each (partition_state). Times are epoch ms.
 *
 * Source: docs/design/api/heartbeats.md#s4.
 */
import type { HeartbeatConfig } from '../../schemas/generated/events.ts'
import type { BodyRules, HeartbeatSort, pingMethods } from '../../schemas/http/heartbeats.ts'
import type { PlanId } from '../../schemas/plans.ts'
import { uuidv4, uuidv5, uuidv7 } from '../../schemas/uuid.ts'
import type { Outgoing } from '../../streams/define.ts'
import type { HeartbeatRow } from '../../streams/heartbeat/state.ts'
import { storable } from '../../streams/incident/rules.ts'
import { pageById } from './pages-by-id.ts'
import { type Pause, writePause } from './pauses.ts'
import type { Tx } from './pool.ts'

type HeartbeatConfigOutgoing = Extract<Outgoing, { record: 'HeartbeatConfig' }>

type Severity = 'critical' | 'warning' | 'info'

/**
 * The settings that people make. The schedule is either a period, or an expression with its time
 * zone.
 */
export interface HeartbeatSettings {
  name: string
  slug: string | null
  description: string
  schedule_kind: 'period' | 'cron'
  period_seconds: number | null
  cron: string | null
  time_zone: string | null
  grace_seconds: number
  max_run_seconds: number | null
  min_run_seconds: number | null
  fail_tolerance: number
  recovery_pings: number
  allowed_methods: (typeof pingMethods)[number][]
  body_rules: BodyRules
  body_excerpt_chars: number
  tags: string[]
  labels: Record<string, string>
  severity: Severity
  team_id: string | null
  escalation_policy_id: string | null
}

export interface Heartbeat extends HeartbeatSettings, Pause {
  heartbeat_id: string
  tenant_id: string
  /** Whether the last change of the schedule kept the phase. */
  keep_phase: boolean
  visibility: 'org' | 'private'
  channel_ids: string[]
  ping_token: string
  /** The plan of the workspace. */
  plan: PlanId
  /** Key of the workspace. Together with the slug it is another address for pings. */
  ping_key: string
  /** For a pause: the next ping ends it. */
  unpause_on_ping: boolean
  deleted_at: number | null
  ver: number
  created_at: number
  updated_at: number
  /** The state that the fold last stored; null until the fold has seen the heartbeat. */
  state: HeartbeatRow | null
  open_incident_id: string | null
  /** When its open incident or alert began, epoch ms. */
  open_since: number | null
}

const OWN = `h.heartbeat_id, h.tenant_id, h.name, h.slug, h.description, h.schedule_kind, h.period_seconds, h.cron, h.time_zone, h.grace_seconds,
  h.max_run_seconds, h.min_run_seconds, h.fail_tolerance, h.recovery_pings, h.allowed_methods, h.body_rules, h.body_excerpt_chars, h.tags, h.labels, h.severity, h.keep_phase, h.team_id, h.visibility, h.escalation_policy_id, h.channel_ids, h.ping_token, h.paused_at,
  h.paused_by, h.pause_reason, h.pause_comment, h.resume_at, h.resolve_open, h.unpause_on_ping, h.deleted_at, h.ver, h.created_at, h.updated_at`

// For filters: the state that the fold stored, or the default before the fold has stored any. A
// pause takes effect at once, and a resumed heartbeat waits at once.
const STATUS = "coalesce(p.state ->> 'status', 'up')"
const PHASE = `CASE WHEN h.paused_at IS NOT NULL THEN 'paused' WHEN p.state IS NULL OR p.state ->> 'phase' = 'paused' THEN 'waiting'
  ELSE p.state ->> 'phase' END`

const FOLD = "LEFT JOIN partition_state p ON p.processor = 'heartbeat' AND p.key = h.state_key AND p.tenant_id = h.tenant_id"
const FROM = `FROM heartbeats h JOIN tenants t ON t.tenant_id = h.tenant_id ${FOLD}`

const SELECT = `SELECT ${OWN}, t.plan, t.ping_key, p.state,
    coalesce(
      (SELECT i.incident_id FROM incidents i WHERE i.tenant_id = h.tenant_id AND i.dedup_key = h.incident_key AND i.status = 'ongoing'),
      (SELECT a.incident_id FROM alerts a WHERE a.tenant_id = h.tenant_id AND a.dedup_key = h.incident_key AND a.status = 'ongoing')
    ) AS open_incident_id,
    coalesce(
      (SELECT i.started_at FROM incidents i WHERE i.tenant_id = h.tenant_id AND i.dedup_key = h.incident_key AND i.status = 'ongoing'),
      (SELECT a.started_at FROM alerts a WHERE a.tenant_id = h.tenant_id AND a.dedup_key = h.incident_key AND a.status = 'ongoing')
    ) AS open_since
  ${FROM}`

const ONE = `${SELECT} WHERE h.tenant_id = $1 AND h.heartbeat_id = $2 AND h.deleted_at IS NULL`

/** Counts all heartbeats that are not deleted, including paused ones. */
export async function countHeartbeats(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM heartbeats WHERE tenant_id = $1 AND deleted_at IS NULL', [
    tenant_id
  ])
  return rows[0]?.count ?? 0
}

/**
 * Counts the heartbeats that the plan has not paused. This count decides whether one of the others
 * may be resumed.
 */
export async function countEntitledHeartbeats(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    "SELECT count(*) FROM heartbeats WHERE tenant_id = $1 AND deleted_at IS NULL AND pause_reason IS DISTINCT FROM 'entitlement'",
    [tenant_id]
  )
  return rows[0]?.count ?? 0
}

/** Reads a heartbeat. Returns null if there is none or it is deleted. */
export async function readHeartbeat(tx: Tx, tenant_id: string, heartbeat_id: string): Promise<Heartbeat | null> {
  const { rows } = await tx.query<Heartbeat>(ONE, [tenant_id, heartbeat_id])
  return rows[0] ?? null
}

/** Reads a heartbeat as readHeartbeat does, and locks the row. */
export async function lockHeartbeat(tx: Tx, tenant_id: string, heartbeat_id: string): Promise<Heartbeat | null> {
  // The row is locked first and then read, so that what another writer committed meanwhile is seen.
  await tx.query('SELECT FROM heartbeats WHERE tenant_id = $1 AND heartbeat_id = $2 FOR UPDATE', [tenant_id, heartbeat_id])
  return readHeartbeat(tx, tenant_id, heartbeat_id)
}

/**
 * Several values of one filter are combined with OR, several filters with AND. An absent filter
 * admits everything.
 */
export interface HeartbeatFilter {
  status?: readonly string[] | undefined
  phase?: readonly string[] | undefined
  tag?: readonly string[] | undefined
  slug?: readonly string[] | undefined
  /** Part of the name or slug, ignoring case. */
  q?: string | undefined
  team_id?: readonly string[] | undefined
}

const ORDER: Record<string, string> = {
  name: 'lower(h.name)',
  created_at: 'h.created_at',
  status: STATUS,
  last_ping_at: "(p.state ->> 'last_ping_at')::bigint",
  next_expected_at: "(p.state ->> 'expected_at')::bigint"
}

/**
 * Returns one page, and the total number of matches. `page` counts from 1; a page past the end is
 * empty.
 */
export async function listHeartbeats(
  tx: Tx,
  tenant_id: string,
  filter: HeartbeatFilter,
  { page, per_page, sort }: { page: number; per_page: number; sort: readonly HeartbeatSort[] }
): Promise<{ items: Heartbeat[]; total: number }> {
  const values: unknown[] = [tenant_id]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const conditions = ['h.tenant_id = $1', 'h.deleted_at IS NULL']
  const { status, phase, tag, slug, q, team_id } = filter
  if (status) conditions.push(`${STATUS} = ANY (${bind(status)}::text[])`)
  if (phase) conditions.push(`${PHASE} = ANY (${bind(phase)}::text[])`)
  if (tag) conditions.push(`h.tags && ${bind(tag.map(storable))}::text[]`)
  if (slug) conditions.push(`h.slug = ANY (${bind(slug.map(storable))}::text[])`)
  if (team_id) conditions.push(`h.team_id = ANY (${bind(team_id)}::uuid[])`)
  if (q !== undefined) {
    const part = bind(`%${storable(q).replace(/[\\%_]/g, '\\$&')}%`)
    conditions.push(`(h.name ILIKE ${part} OR h.slug ILIKE ${part})`)
  }
  const where = conditions.join(' AND ')
  const order = [...sort.map(orderBy), 'h.heartbeat_id'].join(', ')
  const { rows, total } = await pageById<Heartbeat>(
    tx,
    {
      ...{ tenant_id, where, values, order, page, per_page },
      table: 'heartbeats h',
      fold: FOLD,
      id: 'h.heartbeat_id',
      rows: `${SELECT} WHERE h.tenant_id = $1 AND h.heartbeat_id = ANY ($2::uuid[])`
    },
    ({ heartbeat_id }) => heartbeat_id
  )
  return { items: rows, total }
}

function orderBy(sort: HeartbeatSort): string {
  const expression = ORDER[sort.replace(/^-/, '')]
  if (expression === undefined) throw new TypeError(`listHeartbeats: unknown sort ${sort}`)
  return `${expression}${sort.startsWith('-') ? ' DESC NULLS LAST' : ' NULLS LAST'}`
}

/**
 * Returns `wanted`, with the first number appended that makes it unique if it is taken. Writers of
 * the workspace must take turns.
 */
export async function freeSlug(tx: Tx, tenant_id: string, wanted: string): Promise<string> {
  const { rows } = await tx.query<{ slug: string }>(
    "SELECT slug FROM heartbeats WHERE tenant_id = $1 AND deleted_at IS NULL AND (slug = $2 OR starts_with(slug, $2 || '-'))",
    [tenant_id, wanted]
  )
  const taken = new Set(rows.map((row) => row.slug))
  if (!taken.has(wanted)) return wanted
  for (let n = 2; ; n++) if (!taken.has(`${wanted}-${n}`)) return `${wanted}-${n}`
}

/** Rejects with Postgres's unique_violation (23505) of heartbeats_slug when the slug is taken. */
export async function insertHeartbeat(tx: Tx, tenant_id: string, settings: HeartbeatSettings): Promise<Heartbeat> {
  const heartbeat_id = uuidv7()
  await tx.query(
    `INSERT INTO heartbeats (tenant_id, heartbeat_id, name, slug, description, schedule_kind, period_seconds, cron, time_zone, grace_seconds, max_run_seconds,
                             min_run_seconds, fail_tolerance, recovery_pings, allowed_methods, body_rules, body_excerpt_chars, tags, labels,
                             severity, team_id, escalation_policy_id, ping_token)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
    [tenant_id, heartbeat_id, ...valuesOf(settings), uuidv4()]
  )
  return written(tx, tenant_id, heartbeat_id)
}

const valuesOf = (settings: HeartbeatSettings): unknown[] => [
  settings.name,
  settings.slug,
  settings.description,
  settings.schedule_kind,
  settings.period_seconds,
  settings.cron,
  settings.time_zone,
  settings.grace_seconds,
  settings.max_run_seconds,
  settings.min_run_seconds,
  settings.fail_tolerance,
  settings.recovery_pings,
  settings.allowed_methods,
  JSON.stringify(settings.body_rules),
  settings.body_excerpt_chars,
  settings.tags,
  JSON.stringify(settings.labels),
  settings.severity,
  settings.team_id,
  settings.escalation_policy_id
]

async function written(tx: Tx, tenant_id: string, heartbeat_id: string): Promise<Heartbeat> {
  const heartbeat = await readHeartbeat(tx, tenant_id, heartbeat_id)
  if (!heartbeat) throw new Error('A heartbeat that was written is not there')
  return heartbeat
}

/**
 * Writes the settings of a locked heartbeat as its next version. Rejects as insertHeartbeat does.
 */
export async function updateHeartbeat(
  tx: Tx,
  tenant_id: string,
  heartbeat_id: string,
  settings: HeartbeatSettings,
  keep_phase: boolean
): Promise<Heartbeat> {
  await tx.query(
    `UPDATE heartbeats SET name = $3, slug = $4, description = $5, schedule_kind = $6, period_seconds = $7, cron = $8, time_zone = $9, grace_seconds = $10,
            max_run_seconds = $11, min_run_seconds = $12, fail_tolerance = $13, recovery_pings = $14, allowed_methods = $15, body_rules = $16,
            body_excerpt_chars = $17, tags = $18, labels = $19, severity = $20, team_id = $21, escalation_policy_id = $22, keep_phase = $23, ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND heartbeat_id = $2`,
    [tenant_id, heartbeat_id, ...valuesOf(settings), keep_phase]
  )
  return written(tx, tenant_id, heartbeat_id)
}

/** Pauses a locked heartbeat, or resumes it when given nulls, as its next version. */
export async function pauseHeartbeat(
  tx: Tx,
  tenant_id: string,
  heartbeat_id: string,
  pause: Pause,
  unpause_on_ping = false
): Promise<Heartbeat> {
  await tx.query('UPDATE heartbeats SET unpause_on_ping = $3 WHERE tenant_id = $1 AND heartbeat_id = $2 AND unpause_on_ping <> $3', [
    tenant_id,
    heartbeat_id,
    unpause_on_ping
  ])
  await writePause(tx, 'heartbeat', tenant_id, heartbeat_id, pause)
  return written(tx, tenant_id, heartbeat_id)
}

/**
 * Marks a locked heartbeat as deleted, in its last version. Its address stops working, its slug is
 * free again, and its history stays. Returns the deleted heartbeat.
 */
export async function deleteHeartbeat(tx: Tx, tenant_id: string, heartbeat_id: string): Promise<Heartbeat> {
  await tx.query(
    'UPDATE heartbeats SET deleted_at = now(), ver = ver + 1, updated_at = now() WHERE tenant_id = $1 AND heartbeat_id = $2 AND deleted_at IS NULL',
    [tenant_id, heartbeat_id]
  )
  const { rows } = await tx.query<Heartbeat>(`${SELECT} WHERE h.tenant_id = $1 AND h.heartbeat_id = $2`, [tenant_id, heartbeat_id])
  if (!rows[0]) throw new Error('A heartbeat that was deleted is not there')
  return rows[0]
}

/** Returns the settings that the heartbeat fold is told for the present version. */
export function toHeartbeatConfig(heartbeat: Heartbeat, retention_days: number): HeartbeatConfig {
  return {
    event_id: uuidv5(heartbeat.heartbeat_id, String(heartbeat.ver)),
    tenant_id: heartbeat.tenant_id,
    heartbeat_id: heartbeat.heartbeat_id,
    version: heartbeat.ver,
    at: heartbeat.updated_at,
    name: heartbeat.name,
    schedule_kind: heartbeat.schedule_kind,
    period_seconds: heartbeat.period_seconds,
    cron: heartbeat.cron,
    time_zone: heartbeat.time_zone,
    grace_seconds: heartbeat.grace_seconds,
    max_run_seconds: heartbeat.max_run_seconds,
    fail_tolerance: heartbeat.fail_tolerance,
    recovery_pings: heartbeat.recovery_pings,
    keep_phase: heartbeat.keep_phase,
    severity: heartbeat.severity,
    escalation_policy_id: heartbeat.escalation_policy_id,
    labels: heartbeat.labels,
    tags: heartbeat.tags,
    paused: heartbeat.paused_at !== null,
    pause_reason: heartbeat.pause_reason,
    deleted: heartbeat.deleted_at !== null,
    team_id: heartbeat.team_id,
    visibility: heartbeat.visibility,
    retention_days,
    resolve_open: heartbeat.deleted_at !== null || heartbeat.resolve_open,
    min_run_seconds: heartbeat.min_run_seconds,
    unpause_on_ping: heartbeat.unpause_on_ping
  }
}

/** Returns the outbox row of the present version. `src`: who changed it, as kind:id. */
export const heartbeatConfig = (heartbeat: Heartbeat, retention_days: number, src: string): HeartbeatConfigOutgoing =>
  heartbeatConfigRow(toHeartbeatConfig(heartbeat, retention_days), src)

/** Returns the outbox row of a version. `src`: who changed it, as kind:id. */
export function heartbeatConfigRow(value: HeartbeatConfig, src: string): HeartbeatConfigOutgoing {
  const { tenant_id, heartbeat_id, version, event_id } = value
  return {
    body: 'record',
    record: 'HeartbeatConfig',
    value,
    tenant_id,
    aggregate: `heartbeat-config:${heartbeat_id}`,
    ver: version,
    topic: 'heartbeat.pings.v1',
    key: heartbeat_id,
    event_id,
    event_type: 'heartbeat_config',
    src
  }
}
