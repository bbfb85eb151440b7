/**
 * Monitors of a workspace: the settings that people make, and the state that the status fold last
 * stored for each (partition_state). Instants are epoch ms. Secrets in `config` are sealed here and
 * everywhere below the api (services/credentials/sealing.ts).
 * Source: docs/design/api/monitors.md#s3.
 */
import type { Assertion, CheckConfig, Retry } from '../../schemas/http/check-config.ts'
import type { Confirmation, Flap, MonitorDetail, MonitorSort, MonitorType } from '../../schemas/http/monitors.ts'
import type { PlanId } from '../../schemas/plans.ts'
import { storable } from '../../streams/incident/rules.ts'
import type { MonitorRow } from '../../streams/status/state.ts'
import { pageById } from './pages-by-id.ts'
import { type Pause, writePause } from './pauses.ts'
import type { Tx } from './pool.ts'
import { openSql } from './teams.ts'

type Severity = 'critical' | 'warning' | 'info'

/** What people set. */
export interface MonitorSettings {
  name: string
  description: string
  target: string
  config: CheckConfig
  assertions: Assertion[]
  interval_seconds: number
  /** Interval from a failed check until the monitor has recovered; null: the usual one. */
  down_interval_seconds: number | null
  timeout_seconds: number
  degraded_after_ms: number | null
  /** Empty: the service picks the regions. */
  regions: string[]
  confirmation: Confirmation
  retry: Retry
  flap: Flap
  tags: string[]
  labels: Record<string, string>
  severity_down: Severity
  severity_degraded: Severity
  /** A degraded state opens an incident. */
  open_on_degraded: boolean
  tls_expiry_days: number[]
  /** Interval of reminders while it is down and not acknowledged; null: none. */
  repeat_interval_seconds: number | null
  team_id: string | null
  escalation_policy_id: string | null
  /** The group that it is listed under. */
  group_id: string | null
  /**
   * Ids of monitors, in the order that people gave. Includes monitors that the reader does not see.
   */
  depends_on: string[]
  dependency_hold_seconds: number | null
}

/** The row, from which the control record and the assignment are made. */
export interface StoredMonitor extends MonitorSettings, Pause {
  monitor_id: string
  tenant_id: string
  type: MonitorType
  /** Regions that check it and vote. */
  assigned_regions: string[]
  channel_ids: string[]
  visibility: 'org' | 'private'
  deleted_at: number | null
  ver: number
  created_at: number
  updated_at: number
}

export interface Monitor extends StoredMonitor {
  /** The plan of the workspace. */
  plan: PlanId
  /** Neither the monitor nor its team is private. */
  open: boolean
  /**
   * From the row while the monitor is paused, otherwise from the fold. Until the fold has stored a
   * state: up and pending.
   */
  status: 'up' | 'down' | 'paused'
  phase: MonitorDetail['phase']
  /** As the fold last stored it; null until the fold has seen the monitor. */
  state: MonitorRow | null
  open_incident_id: string | null
  /** The monitors it depends on that exist and that the transaction sees. */
  parents: string[]
}

/** Columns of a StoredMonitor, of table alias `m`. */
export const MONITOR_COLUMNS = `m.monitor_id, m.tenant_id, m.name, m.description, m.type, m.target, m.config, m.assertions, m.interval_seconds, m.down_interval_seconds, m.timeout_seconds,
  m.degraded_after_ms, m.regions, m.assigned_regions, m.confirmation, m.retry, m.flap, m.tags, m.labels, m.severity_down, m.severity_degraded, m.open_on_degraded,
  m.escalation_policy_id, m.group_id, m.depends_on, m.dependency_hold_seconds, m.channel_ids, m.team_id, m.visibility, m.tls_expiry_days, m.repeat_interval_seconds, m.paused_at, m.paused_by, m.pause_reason, m.pause_comment, m.resume_at,
  m.resolve_open, m.deleted_at, m.ver, m.created_at, m.updated_at`

// A pause shows at once, even when the fold has not seen it yet. After a resume, a `paused` that
// the fold still has no longer counts.
const FOLDED = (field: string, before: string): string =>
  `CASE WHEN m.paused_at IS NOT NULL THEN 'paused' WHEN p.state IS NULL OR p.state ->> '${field}' = 'paused' THEN '${before}' ELSE p.state ->> '${field}' END`
/** Needs the tables `monitors m` and, joined to it, `partition_state p`. */
export const STATUS = FOLDED('status', 'up')
/** A window of any effect covers it now, by an id, by `all` or by a tag. */
const IN_MAINTENANCE = `EXISTS (
    SELECT FROM maintenance_windows w
     WHERE w.tenant_id = m.tenant_id AND w.deleted_at IS NULL AND w.cancelled_at IS NULL AND w.holds_from <= now() AND w.holds_until > now()
       AND (w.scope -> 'monitor_ids' ? m.monitor_id::text OR ((w.scope ->> 'all' = 'true' OR w.scope -> 'tags' ?| m.tags) AND ${openSql('m')}))
       AND EXISTS (SELECT FROM jsonb_array_elements(w.spans) AS s
                    WHERE to_timestamp((s ->> 0)::bigint / 1000.0) <= now() AND to_timestamp((s ->> 1)::bigint / 1000.0) > now()))`
// `maintenance`: it fails while a window covers it. `dependency_down`: it is down, and its incident
// is held because a monitor that it depends on fails.
export const PHASE = `CASE WHEN m.paused_at IS NULL AND p.state ->> 'phase' IN ('down', 'validating', 'degraded', 'flapping', 'unconfirmed') AND ${IN_MAINTENANCE}
  THEN 'maintenance' WHEN m.paused_at IS NULL AND p.state ->> 'phase' = 'down' AND EXISTS (
    SELECT FROM incidents i JOIN incident_holds h ON h.tenant_id = i.tenant_id AND h.incident_id = i.incident_id AND h.kind = 'dependency'
     WHERE i.tenant_id = m.tenant_id AND i.dedup_key = m.incident_key AND i.status = 'ongoing')
  THEN 'dependency_down' ELSE ${FOLDED('phase', 'pending')} END`

const FOLD = "LEFT JOIN partition_state p ON p.processor = 'status' AND p.key = m.state_key AND p.tenant_id = m.tenant_id"
const FROM = `FROM monitors m JOIN tenants t ON t.tenant_id = m.tenant_id ${FOLD}`

const SELECT = `SELECT ${MONITOR_COLUMNS}, t.plan, ${openSql('m')} AS open, ${STATUS} AS status, ${PHASE} AS phase, p.state,
    coalesce(
      (SELECT i.incident_id FROM incidents i WHERE i.tenant_id = m.tenant_id AND i.dedup_key = m.incident_key AND i.status = 'ongoing'),
      (SELECT a.incident_id FROM alerts a WHERE a.tenant_id = m.tenant_id AND a.dedup_key = m.incident_key AND a.status = 'ongoing')
    ) AS open_incident_id,
    ARRAY(SELECT d.monitor_id FROM unnest(m.depends_on) WITH ORDINALITY AS o (id, place)
            JOIN monitors d ON d.tenant_id = m.tenant_id AND d.monitor_id = o.id AND d.deleted_at IS NULL ORDER BY o.place) AS parents
  ${FROM}`

async function count(tx: Tx, tenant_id: string, condition: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*) FROM monitors WHERE tenant_id = $1 AND deleted_at IS NULL AND ${condition}`,
    [tenant_id]
  )
  return rows[0]?.count ?? 0
}

/** Counts all monitors that are not deleted, paused ones too. */
export const countMonitors = (tx: Tx, tenant_id: string): Promise<number> => count(tx, tenant_id, 'true')

/**
 * Counts the monitors that the plan has not paused. Used when one of the others is to be resumed.
 */
export const countEntitledMonitors = (tx: Tx, tenant_id: string): Promise<number> =>
  count(tx, tenant_id, "pause_reason IS DISTINCT FROM 'entitlement'")

/** Returns the monitor; null when there is none or it is deleted. */
export async function readMonitor(tx: Tx, tenant_id: string, monitor_id: string): Promise<Monitor | null> {
  const { rows } = await tx.query<Monitor>(`${SELECT} WHERE m.tenant_id = $1 AND m.monitor_id = $2 AND m.deleted_at IS NULL`, [
    tenant_id,
    monitor_id
  ])
  return rows[0] ?? null
}

/** Like readMonitor, but locks the row. */
export async function lockMonitor(tx: Tx, tenant_id: string, monitor_id: string): Promise<Monitor | null> {
  // Lock first, then read, so that the read sees what another writer committed meanwhile.
  await tx.query('SELECT FROM monitors WHERE tenant_id = $1 AND monitor_id = $2 FOR UPDATE', [tenant_id, monitor_id])
  return readMonitor(tx, tenant_id, monitor_id)
}

/**
 * Returns the monitors that have one of the names, whatever the letter case, at most one each. For
 * a name that the transaction does not see, the id is found inside seeingAll only.
 */
export async function namedMonitors(tx: Tx, tenant_id: string, names: readonly string[]): Promise<{ monitor_id: string; name: string }[]> {
  const { rows } = await tx.query<{ monitor_id: string; name: string }>(
    'SELECT monitor_id, name FROM monitors WHERE tenant_id = $1 AND deleted_at IS NULL AND lower(name) = ANY (SELECT lower(x) FROM unnest($2::text[]) AS x)',
    [tenant_id, names.map(storable)]
  )
  return rows
}

/**
 * Several values of one filter are combined by or, several filters by and. A missing filter admits
 * everything.
 */
export interface MonitorFilter {
  status?: readonly string[] | undefined
  phase?: readonly string[] | undefined
  type?: readonly string[] | undefined
  tag?: readonly string[] | undefined
  /** Checked from one of these regions, whether people or the service chose it. */
  region?: readonly string[] | undefined
  team_id?: readonly string[] | undefined
  group_id?: readonly string[] | undefined
  /** Depends directly on one of these monitors. */
  depends_on?: readonly string[] | undefined
  paused?: boolean | undefined
  /** UUIDs. */
  ids?: readonly string[] | undefined
  /** Part of the name, whatever its case. */
  q?: string | undefined
  /** Label name → values. */
  labels?: Readonly<Record<string, readonly string[]>> | undefined
}

/** A caller cannot find monitors by a parent that the caller does not see. */
const SEES_PARENT = (ids: string): string =>
  `EXISTS (SELECT FROM monitors d WHERE d.tenant_id = m.tenant_id AND d.monitor_id = ANY (m.depends_on) AND d.monitor_id = ANY (${ids}::uuid[]) AND d.deleted_at IS NULL)`

const ORDER: Record<string, string> = {
  name: 'lower(m.name)',
  created_at: 'm.created_at',
  status: STATUS,
  last_status_change_at: "(p.state ->> 'since')::bigint"
}

function orderBy(sort: MonitorSort): string {
  const expression = ORDER[sort.replace(/^-/, '')]
  if (expression === undefined) throw new TypeError(`listMonitors: unknown sort ${sort}`)
  return `${expression}${sort.startsWith('-') ? ' DESC' : ''} NULLS LAST`
}

/**
 * Returns one page, and the number of all monitors that the filter admits. `page` counts from 1; a
 * page past the end is empty.
 */
export async function listMonitors(
  tx: Tx,
  tenant_id: string,
  filter: MonitorFilter,
  { page, per_page, sort }: { page: number; per_page: number; sort: readonly MonitorSort[] }
): Promise<{ items: Monitor[]; total: number }> {
  const values: unknown[] = [tenant_id]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const conditions = ['m.tenant_id = $1', 'm.deleted_at IS NULL']
  const { status, phase, type, tag, region, team_id, group_id, depends_on, paused, ids, q, labels = {} } = filter
  if (status) conditions.push(`${STATUS} = ANY (${bind(status)}::text[])`)
  if (phase) conditions.push(`${PHASE} = ANY (${bind(phase)}::text[])`)
  if (type) conditions.push(`m.type = ANY (${bind(type.map(storable))}::text[])`)
  if (tag) conditions.push(`m.tags && ${bind(tag.map(storable))}::text[]`)
  if (region) conditions.push(`m.assigned_regions && ${bind(region)}::text[]`)
  if (team_id) conditions.push(`m.team_id = ANY (${bind(team_id)}::uuid[])`)
  if (group_id) conditions.push(`m.group_id = ANY (${bind(group_id)}::uuid[])`)
  if (depends_on) conditions.push(SEES_PARENT(bind(depends_on)))
  if (paused !== undefined) conditions.push(`m.paused_at IS ${paused ? 'NOT NULL' : 'NULL'}`)
  if (ids) conditions.push(`m.monitor_id = ANY (${bind(ids)}::uuid[])`)
  if (q !== undefined) {
    const part = bind(`%${storable(q).replace(/[\\%_]/g, '\\$&')}%`)
    conditions.push(`(m.name ILIKE ${part} OR m.target ILIKE ${part})`)
  }
  for (const [name, wanted] of Object.entries(labels)) {
    conditions.push(`m.labels ->> ${bind(storable(name))} = ANY (${bind(wanted.map(storable))}::text[])`)
  }
  const where = conditions.join(' AND ')
  const order = [...sort.map(orderBy), 'm.monitor_id'].join(', ')
  const { rows, total } = await pageById<Monitor>(
    tx,
    {
      ...{ tenant_id, where, values, order, page, per_page },
      table: 'monitors m',
      fold: FOLD,
      id: 'm.monitor_id',
      rows: `${SELECT} WHERE m.tenant_id = $1 AND m.monitor_id = ANY ($2::uuid[])`
    },
    ({ monitor_id }) => monitor_id
  )
  return { items: rows, total }
}

// In the order of the parameters, from $3 on.
const SETTINGS = [
  'name',
  'description',
  'target',
  'config',
  'assertions',
  'interval_seconds',
  'down_interval_seconds',
  'timeout_seconds',
  'degraded_after_ms',
  'regions',
  'confirmation',
  'retry',
  'flap',
  'tags',
  'labels',
  'severity_down',
  'severity_degraded',
  'open_on_degraded',
  'tls_expiry_days',
  'repeat_interval_seconds',
  'team_id',
  'escalation_policy_id',
  'group_id',
  'depends_on',
  'dependency_hold_seconds'
] as const satisfies readonly (keyof MonitorSettings)[]

const JSON_COLUMNS: ReadonlySet<string> = new Set(['config', 'assertions', 'confirmation', 'retry', 'flap', 'labels'])

const valuesOf = (settings: MonitorSettings): unknown[] =>
  SETTINGS.map((column) => (JSON_COLUMNS.has(column) ? JSON.stringify(settings[column]) : settings[column]))

async function written(tx: Tx, tenant_id: string, monitor_id: string): Promise<Monitor> {
  const { rows } = await tx.query<Monitor>(`${SELECT} WHERE m.tenant_id = $1 AND m.monitor_id = $2`, [tenant_id, monitor_id])
  if (!rows[0]) throw new Error('A monitor that was written is not there')
  return rows[0]
}

/** Rejects with Postgres's unique_violation (23505) of monitors_name when the name is taken. */
export async function insertMonitor(
  tx: Tx,
  tenant_id: string,
  {
    monitor_id,
    type,
    assigned_regions,
    settings
  }: { monitor_id: string; type: MonitorType; assigned_regions: string[]; settings: MonitorSettings }
): Promise<Monitor> {
  await tx.query(
    `INSERT INTO monitors (tenant_id, monitor_id, ${SETTINGS.join(', ')}, type, assigned_regions)
     VALUES ($1, $2, ${SETTINGS.map((_, at) => `$${at + 3}`).join(', ')}, $${SETTINGS.length + 3}, $${SETTINGS.length + 4})`,
    [tenant_id, monitor_id, ...valuesOf(settings), type, assigned_regions]
  )
  return written(tx, tenant_id, monitor_id)
}

/**
 * Writes the settings of a monitor that is locked, as its next version. Rejects as insertMonitor
 * does.
 */
export async function updateMonitor(
  tx: Tx,
  tenant_id: string,
  monitor_id: string,
  settings: MonitorSettings,
  assigned_regions: string[]
): Promise<Monitor> {
  await tx.query(
    `UPDATE monitors SET ${SETTINGS.map((column, at) => `${column} = $${at + 3}`).join(', ')}, assigned_regions = $${SETTINGS.length + 3},
            ver = ver + 1, updated_at = now()
      WHERE tenant_id = $1 AND monitor_id = $2`,
    [tenant_id, monitor_id, ...valuesOf(settings), assigned_regions]
  )
  return written(tx, tenant_id, monitor_id)
}

/** Pauses or, with nulls, resumes a monitor that is locked, as its next version. */
export async function pauseMonitor(tx: Tx, tenant_id: string, monitor_id: string, pause: Pause): Promise<Monitor> {
  await writePause(tx, 'monitor', tenant_id, monitor_id, pause)
  return written(tx, tenant_id, monitor_id)
}

/**
 * Marks a locked monitor as deleted, as its last version. Its name becomes free; its history stays.
 * Returns the monitor as it was deleted.
 */
export async function deleteMonitor(tx: Tx, tenant_id: string, monitor_id: string): Promise<Monitor> {
  await tx.query(
    'UPDATE monitors SET deleted_at = now(), ver = ver + 1, updated_at = now() WHERE tenant_id = $1 AND monitor_id = $2 AND deleted_at IS NULL',
    [tenant_id, monitor_id]
  )
  await tx.query('DELETE FROM on_demand_checks WHERE tenant_id = $1 AND monitor_id = $2', [tenant_id, monitor_id])
  return written(tx, tenant_id, monitor_id)
}

export interface OnDemandRow {
  check_id: string
  monitor_id: string
  region: string
  /** Epoch ms. */
  scheduled_at: number
  count: boolean
  expires_at: number
}

/** Adds checks that are to run now. Deletes those of the workspace that nobody took in time. */
export async function insertOnDemand(tx: Tx, tenant_id: string, rows: readonly OnDemandRow[]): Promise<void> {
  await tx.query('DELETE FROM on_demand_checks WHERE tenant_id = $1 AND expires_at < now()', [tenant_id])
  await tx.query(
    `INSERT INTO on_demand_checks (tenant_id, check_id, monitor_id, region, scheduled_at, count, expires_at)
     SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::boolean[], $7::timestamptz[])
     ON CONFLICT (check_id) DO NOTHING`,
    [
      tenant_id,
      rows.map((row) => row.check_id),
      rows.map((row) => row.monitor_id),
      rows.map((row) => row.region),
      rows.map((row) => new Date(row.scheduled_at).toISOString()),
      rows.map((row) => row.count),
      rows.map((row) => new Date(row.expires_at).toISOString())
    ]
  )
}
