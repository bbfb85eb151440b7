/**
 * Maintenance windows: one row each, with the version in force and its spans as instants. Whoever
 * changes a window locks its row. Locks are taken in one order: workspace, window, watched targets,
 * then those of incidents (incidents.ts). A window stays for FORGET_AFTER_DAYS after its end; then
 * a daily chore of the clock deletes it.
 * Source: docs/design/api/maintenance.md.
 */
import type { MaintenanceWindow as WindowRecord } from '../../schemas/generated/events.ts'
import type { Page } from '../../schemas/http/common.ts'
import type { DeploymentOutcome, WindowEffect, WindowOrigin, WindowState } from '../../schemas/http/maintenance-words.ts'
import type { Schedule, Span } from '../../streams/maintenance/spans.ts'
import {
  compileWindows,
  isCovered,
  type MaintenanceWindow,
  noWindows,
  type Scope,
  type WindowSet
} from '../../streams/maintenance/windows.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'
import { openSql } from './teams.ts'

/** What people set. */
export interface WindowSettings {
  name: string
  reason: string | null
  scope: Scope
  effect: WindowEffect
  schedule: Schedule
  settle_seconds: number
  count_in_uptime: boolean
}

/** What a deployment reports about itself. */
export interface Deployment {
  environment: string | null
  service: string | null
  version: string | null
  git: { repo?: string; ref?: string; sha?: string; author?: string } | null
  run_url: string | null
  on_expire: 'end' | 'alert'
  extended: boolean
  outcome: DeploymentOutcome | null
  note: string | null
}

export interface StoredWindow extends WindowSettings {
  tenant_id: string
  window_id: string
  /** The version of what people set. */
  version: number
  /** The version of the row and of its records on the log. */
  ver: number
  origin: WindowOrigin
  /** Epoch ms, as all times here. */
  holes: readonly (readonly [from: number, until: number])[]
  spans: readonly (readonly [from: number, until: number])[]
  goes_on: boolean
  turned_at: number
  cancelled_at: number | null
  deleted_at: number | null
  deployment: Deployment | null
  end_used_at: number | null
  /** Teams that its matchers name. */
  team_ids: readonly string[]
  /** kind:id. */
  created_by: string
  created_at: number
  updated_at: number
}

const FORGET_AFTER_DAYS = 90
/** Most windows that are read when several hold at once; a plan allows fewer. */
const MAX_HOLDING = 6000

const COLUMNS = `window_id, tenant_id, version, ver, origin, name, reason, scope, effect, schedule, settle_seconds, count_in_uptime, holes, spans,
  goes_on, turned_at, cancelled_at, deleted_at, deployment, end_used_at, team_ids, created_by, created_at, updated_at`

/** The state as windowStateAt computes it, at $2 in epoch ms. */
const STATE = `CASE WHEN cancelled_at IS NOT NULL THEN 'cancelled'
  WHEN EXISTS (SELECT FROM jsonb_array_elements(spans) AS s WHERE (s ->> 0)::bigint <= $2::bigint AND (s ->> 1)::bigint > $2::bigint) THEN 'active'
  WHEN goes_on OR (spans -> -1 ->> 1)::bigint > $2::bigint THEN 'scheduled' ELSE 'ended' END`

export const spansOfRow = ({ spans }: Pick<StoredWindow, 'spans'>): Span[] => spans.map(([starts_at, ends_at]) => ({ starts_at, ends_at }))

/** Returns the state of the window at an instant. */
export function windowStateAt(window: Pick<StoredWindow, 'spans' | 'goes_on' | 'cancelled_at'>, at: number): WindowState {
  if (window.cancelled_at !== null) return 'cancelled'
  const spans = spansOfRow(window)
  if (spans.some(({ starts_at, ends_at }) => starts_at <= at && at < ends_at)) return 'active'
  return window.goes_on || spans.some(({ starts_at }) => starts_at > at) ? 'scheduled' : 'ended'
}

export interface WindowFilter {
  origin: WindowOrigin
  states?: readonly WindowState[] | undefined
  monitor_id?: string | undefined
  service?: string | undefined
  environment?: string | undefined
}

/** Whether the scope covers the monitor $4: by `all`, by its id, or by its tags. */
const OF_MONITOR = `(scope -> 'monitor_ids' ? $4::text OR EXISTS (SELECT FROM monitors m
  WHERE m.tenant_id = w.tenant_id AND m.monitor_id = $4::uuid AND (scope ->> 'all' = 'true' OR scope -> 'tags' ?| m.tags) AND ${openSql('m')}))`

/** Lists windows, the latest begin first. `at` in epoch ms. */
export async function listWindows(
  tx: Tx,
  tenant_id: string,
  { origin, states, monitor_id, service, environment }: WindowFilter,
  at: number,
  { page, per_page }: Page
): Promise<{ items: StoredWindow[]; total: number }> {
  const values = [tenant_id, at, states ?? null, monitor_id ?? null, origin, service ?? null, environment ?? null]
  const where = `w.tenant_id = $1 AND w.deleted_at IS NULL AND w.origin = $5 AND ($3::text[] IS NULL OR ${STATE} = ANY ($3))
    AND ($4::uuid IS NULL OR ${OF_MONITOR})
    AND ($6::text IS NULL OR deployment ->> 'service' = $6) AND ($7::text IS NULL OR deployment ->> 'environment' = $7)`
  const counted = await tx.query<{ total: number }>(`SELECT count(*) AS total FROM maintenance_windows w WHERE ${where}`, values)
  const { rows } = await tx.query<StoredWindow>(
    `SELECT ${COLUMNS} FROM maintenance_windows w WHERE ${where}
      ORDER BY coalesce(holds_from, created_at) DESC, window_id DESC LIMIT $8 OFFSET $9`,
    [...values, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

const ONE = `SELECT ${COLUMNS} FROM maintenance_windows WHERE tenant_id = $1 AND window_id = $2 AND deleted_at IS NULL`

/** Returns the window; null when there is none or it is deleted. */
export async function readWindow(tx: Tx, tenant_id: string, window_id: string): Promise<StoredWindow | null> {
  return (await tx.query<StoredWindow>(ONE, [tenant_id, window_id])).rows[0] ?? null
}

/** Like readWindow, but locks the row. */
export async function lockWindow(tx: Tx, tenant_id: string, window_id: string): Promise<StoredWindow | null> {
  await tx.query('SELECT FROM maintenance_windows WHERE tenant_id = $1 AND window_id = $2 FOR UPDATE', [tenant_id, window_id])
  return readWindow(tx, tenant_id, window_id)
}

/** Counts the windows that are not over; for deployments, those that are open now. */
const count =
  (origin: WindowOrigin) =>
  async (tx: Tx, tenant_id: string): Promise<number> => {
    const { rows } = await tx.query<{ count: number }>(
      `SELECT count(*) FROM maintenance_windows WHERE tenant_id = $1 AND origin = $3 AND deleted_at IS NULL AND ${STATE} IN ('scheduled', 'active')`,
      [tenant_id, Date.now(), origin]
    )
    return rows[0]?.count ?? 0
  }

export const countWindows = count('planned')
export const countDeployments = count('deployment')

/** The fields that a write sets in the row. */
export type WindowRow = Omit<StoredWindow, 'tenant_id' | 'created_at' | 'updated_at'> & { tenant_id: string }

const date = (at: number | null): Date | null => (at === null ? null : new Date(at))

function columnsOf(row: WindowRow): unknown[] {
  const { spans } = row
  const last = spans.at(-1)
  const first = spans.find(([, until]) => until > row.turned_at) ?? last
  return [
    row.tenant_id,
    row.window_id,
    row.version,
    row.ver,
    row.origin,
    row.name,
    row.reason,
    JSON.stringify(row.scope),
    row.effect,
    JSON.stringify(row.schedule),
    row.settle_seconds,
    row.count_in_uptime,
    JSON.stringify(row.holes),
    JSON.stringify(spans),
    date(first?.[0] ?? null),
    date(last ? last[1] + row.settle_seconds * 1000 : null),
    row.goes_on,
    date(row.turned_at),
    date(row.cancelled_at),
    date(row.deleted_at),
    row.deployment === null ? null : JSON.stringify(row.deployment),
    date(row.end_used_at),
    row.team_ids
  ]
}

/** `sha256`: hash of a deployment's end token. */
export async function insertWindow(tx: Tx, row: WindowRow, sha256: Buffer | null): Promise<void> {
  await tx.query(
    `INSERT INTO maintenance_windows (tenant_id, window_id, version, ver, origin, name, reason, scope, effect, schedule, settle_seconds, count_in_uptime,
       holes, spans, holds_from, holds_until, goes_on, turned_at, cancelled_at, deleted_at, deployment, end_used_at, team_ids, created_by, end_token_sha256)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)`,
    [...columnsOf(row), row.created_by, sha256]
  )
}

/** Writes the row, which must be locked. */
export async function updateWindow(tx: Tx, row: WindowRow): Promise<void> {
  await tx.query(
    `UPDATE maintenance_windows SET version = $3, ver = $4, origin = $5, name = $6, reason = $7, scope = $8, effect = $9, schedule = $10,
            settle_seconds = $11, count_in_uptime = $12, holes = $13, spans = $14, holds_from = $15, holds_until = $16, goes_on = $17,
            turned_at = $18, cancelled_at = $19, deleted_at = $20, deployment = $21, end_used_at = $22, team_ids = $23,
            updated_at = CASE WHEN version = $3 THEN updated_at ELSE now() END
      WHERE tenant_id = $1 AND window_id = $2`,
    columnsOf(row)
  )
}

/**
 * SQL: those of `ids` whose monitor or heartbeat has one of the tags of the window with table alias
 * `w`.
 */
const taggedSql = (ids: string): string => `ARRAY(
  SELECT m.monitor_id FROM monitors m WHERE m.tenant_id = w.tenant_id AND m.monitor_id = ANY (${ids}::uuid[]) AND w.scope -> 'tags' ?| m.tags
  UNION ALL
  SELECT h.heartbeat_id FROM heartbeats h WHERE h.tenant_id = w.tenant_id AND h.heartbeat_id = ANY (${ids}::uuid[]) AND w.scope -> 'tags' ?| h.tags)`

/** SQL: a window as one JSON value, with the private teams of its workspace. Times are epoch ms. */
const windowJson = (ids: string): string => `json_build_object('window_id', w.window_id, 'version', w.version, 'effect', w.effect,
  'scope', w.scope, 'settle_seconds', w.settle_seconds, 'tagged', ${taggedSql(ids)},
  'spans', (SELECT coalesce(json_agg(s), '[]') FROM jsonb_array_elements(w.spans) AS s WHERE (s ->> 1)::bigint > extract(epoch FROM now() - interval '1 day') * 1000),
  'private_team_ids', ARRAY(SELECT p.team_id FROM teams p WHERE p.tenant_id = w.tenant_id AND p.visibility = 'private'))`

/**
 * A window as windowJson builds it. Of its spans it has those that end within the last day or
 * later.
 */
export type JsonWindow = Omit<MaintenanceWindow, 'spans'> & { spans: [number, number][]; private_team_ids: string[] }

/** Never throws. */
export function windowSetOf(found: readonly JsonWindow[] | null): WindowSet {
  const [first] = found ?? []
  if (!found || !first) return noWindows
  return compileWindows(
    found.map(({ spans, private_team_ids: _teams, ...window }) => ({ ...window, spans: spansOfRow({ spans }) })),
    first.private_team_ids
  )
}

/**
 * SQL column for a query of workspaces with alias `t`: the windows that decide whether something
 * becomes an incident, or null when there are none. `ids`: the parameter with the ids of watched
 * targets. `all`: the parameter that says whether windows with other effects are included. A record
 * that lags by more than a day is judged as if there were no windows.
 */
export const decidingWindowsSql = (ids: string, all: string): string => `(
  SELECT json_agg(${windowJson(ids)}) FROM maintenance_windows w
   WHERE w.tenant_id = t.tenant_id AND w.deleted_at IS NULL AND (w.effect = 'suppress_incidents' OR ${all}::boolean) AND w.holds_until > now() - interval '1 day')`

/** SQL column like decidingWindowsSql, with the windows of any effect that hold lately or later. */
export const holdingWindowsSql = (ids: string): string => `(
  SELECT json_agg(${windowJson(ids)}) FROM maintenance_windows w
   WHERE w.tenant_id = t.tenant_id AND w.deleted_at IS NULL AND w.holds_until > now() - interval '1 day')`

/** The monitor or heartbeat that is asked about, by id. */
type Watching = { monitor_id: string | null; heartbeat_id: string | null }

export const watchedIds = (watching: readonly Watching[]): string[] => [
  ...new Set(watching.flatMap(({ monitor_id, heartbeat_id }) => [monitor_id, heartbeat_id].filter((id) => id !== null)))
]

/** SQL: whether a window with alias `w` may hold at the time `at`, or later. */
export const mayHoldSql = (at: string): string => `w.deleted_at IS NULL AND w.holds_until > ${at}`

/** Loads and compiles the windows that hold at `at` (epoch ms) and that the transaction sees. */
export async function loadWindows(tx: Tx, tenant_id: string, ids: readonly string[], at: number): Promise<WindowSet> {
  const { rows } = await tx.query<{ found: JsonWindow[] | null }>({
    name: 'maintenance-holding',
    text: `SELECT json_agg(one.found) AS found FROM (
      SELECT ${windowJson('$3')} AS found FROM maintenance_windows w
       WHERE w.tenant_id = $1 AND ${mayHoldSql('to_timestamp($2 / 1000.0)')}
         AND EXISTS (SELECT FROM jsonb_array_elements(w.spans) AS s
                      WHERE (s ->> 0)::bigint <= $2::bigint AND (s ->> 1)::bigint + w.settle_seconds * 1000 > $2::bigint)
       LIMIT ${MAX_HOLDING}) AS one`,
    values: [tenant_id, at, ids]
  })
  return windowSetOf(rows[0]?.found ?? null)
}

/** Monitors and heartbeats of a scope: what may be paused, and how many there are. */
export interface ScopeTargets {
  monitors: string[]
  heartbeats: string[]
}

/** `all` and tags never include a target of a private team, as in windows.ts. */
const targetsSql = (kind: 'monitor' | 'heartbeat', ids: string): string => `
  SELECT x.${kind}_id AS id FROM ${kind}s x
   WHERE x.tenant_id = $1 AND x.deleted_at IS NULL AND (x.${kind}_id = ANY (${ids}::uuid[])
     OR (($4 OR x.tags && $5::text[]) AND ${openSql('x')}))
   ORDER BY 1`

/** Returns the targets of a scope that the transaction sees. */
export async function targetsOf(tx: Tx, tenant_id: string, { all, monitor_ids, heartbeat_ids, tags }: Scope): Promise<ScopeTargets> {
  const values = [tenant_id, monitor_ids, heartbeat_ids, all, tags]
  const both = 'AND $2::uuid[] IS NOT NULL AND $3::uuid[] IS NOT NULL'
  const ask = async (kind: 'monitor' | 'heartbeat', ids: string): Promise<string[]> => {
    const { rows } = await tx.query<{ id: string }>(targetsSql(kind, ids).replace('ORDER BY', `${both} ORDER BY`), values)
    return rows.map(({ id }) => id)
  }
  return { monitors: await ask('monitor', '$2'), heartbeats: await ask('heartbeat', '$3') }
}

/** A window that pauses a target, until the end of its span (epoch ms). */
export interface PausingWindow {
  window_id: string
  until: number
}

/**
 * Returns the windows with `pause_checks` that run at `at` (epoch ms) and cover a monitor or
 * heartbeat, the one that ends last first.
 */
export async function windowsPausing(
  tx: Tx,
  tenant_id: string,
  { kind, id }: { kind: 'monitor' | 'heartbeat'; id: string },
  at: number
): Promise<PausingWindow[]> {
  const { rows } = await tx.query<PausingWindow>(
    `SELECT w.window_id, (s ->> 1)::bigint AS until
       FROM maintenance_windows w CROSS JOIN jsonb_array_elements(w.spans) AS s
       JOIN ${kind}s x ON x.tenant_id = w.tenant_id AND x.${kind}_id = $3 AND x.deleted_at IS NULL
      WHERE w.tenant_id = $1 AND w.deleted_at IS NULL AND w.cancelled_at IS NULL AND w.effect = 'pause_checks'
        AND (s ->> 0)::bigint <= $2::bigint AND (s ->> 1)::bigint > $2::bigint
        AND (w.scope -> '${kind}_ids' ? x.${kind}_id::text
          OR ((w.scope ->> 'all' = 'true' OR w.scope -> 'tags' ?| x.tags) AND ${openSql('x')}))
      ORDER BY until DESC, w.window_id`,
    [tenant_id, at, id]
  )
  return rows
}

/** Returns those of `ids` that the transaction sees. */
export async function seenWindows(tx: Tx, tenant_id: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await tx.query<{ window_id: string }>(
    'SELECT window_id FROM maintenance_windows WHERE tenant_id = $1 AND window_id = ANY ($2::uuid[])',
    [tenant_id, ids]
  )
  return new Set(rows.map(({ window_id }) => window_id))
}

/** Returns the teams that the monitors, heartbeats and integrations named by id belong to now. */
export async function teamsOfNamed(tx: Tx, tenant_id: string, { monitor_ids, heartbeat_ids, integration_ids }: Scope): Promise<string[]> {
  const { rows } = await tx.query<{ team_id: string }>(
    `SELECT DISTINCT team_id FROM (
       SELECT team_id FROM monitors WHERE tenant_id = $1 AND monitor_id = ANY ($2::uuid[])
       UNION ALL SELECT team_id FROM heartbeats WHERE tenant_id = $1 AND heartbeat_id = ANY ($3::uuid[])
       UNION ALL SELECT team_id FROM integrations WHERE tenant_id = $1 AND integration_id = ANY ($4::uuid[])) AS named
      WHERE team_id IS NOT NULL ORDER BY 1`,
    [tenant_id, monitor_ids, heartbeat_ids, integration_ids]
  )
  return rows.map(({ team_id }) => team_id)
}

/** Returns the ids of what a window has paused. */
export async function pausedByWindow(tx: Tx, tenant_id: string, paused_by: string): Promise<ScopeTargets> {
  const ask = async (kind: 'monitor' | 'heartbeat'): Promise<string[]> => {
    const { rows } = await tx.query<{ id: string }>(
      `SELECT ${kind}_id AS id FROM ${kind}s WHERE tenant_id = $1 AND pause_reason = 'maintenance' AND paused_by = $2 ORDER BY 1`,
      [tenant_id, paused_by]
    )
    return rows.map(({ id }) => id)
  }
  return { monitors: await ask('monitor'), heartbeats: await ask('heartbeat') }
}

/** Finds the window of an end token before the workspace is known; null when there is none. */
export async function findWindowEnd(tx: Tx, sha256: Buffer): Promise<{ tenant_id: string; window_id: string } | null> {
  const { rows } = await tx.query<{ tenant_id: string; window_id: string }>('SELECT tenant_id, window_id FROM find_window_end($1)', [
    sha256
  ])
  return rows[0] ?? null
}

/** Deletes windows that ended FORGET_AFTER_DAYS ago. Returns how many. For service_system. */
export const forgetWindows = (pool: Pool): Promise<number> =>
  forget(
    pool,
    'maintenance_windows',
    `coalesce(x.deleted_at, CASE WHEN x.goes_on THEN NULL ELSE coalesce(x.holds_until, x.updated_at) END) < now() - make_interval(days => $1)`,
    [FORGET_AFTER_DAYS]
  )

/**
 * Returns the present windows by id, of any workspace; the records of maintenance.windows.v1 are
 * made from them. A deleted window is kept with its spans, for uptime; a deleted window that never
 * began is missing. Needs service_system.
 */
export async function currentWindows(tx: Tx, window_ids: readonly string[]): Promise<Map<string, WindowRecord>> {
  const { rows } = await tx.query<StoredWindow>(
    `SELECT ${COLUMNS} FROM maintenance_windows WHERE window_id = ANY ($1::uuid[]) AND (deleted_at IS NULL OR spans <> '[]')`,
    [window_ids]
  )
  return new Map(rows.map((row) => [row.window_id, toRecord(row, Date.now())]))
}

/** Returns the record of a window for the log. `now` in epoch ms. */
export function toRecord(window: StoredWindow, now: number): WindowRecord {
  const { scope, schedule } = window
  const once = schedule.kind === 'once' ? schedule : null
  const recurring = schedule.kind === 'recurring' ? schedule : null
  return {
    window_id: window.window_id,
    tenant_id: window.tenant_id,
    ver: window.ver,
    name: window.name,
    reason: window.reason,
    origin: window.origin,
    // The time that a cancelled window has covered stays out of uptime.
    state: window.spans.length > 0 ? windowStateAt({ ...window, cancelled_at: null }, now) : windowStateAt(window, now),
    effect: window.effect,
    scope: {
      all: scope.all,
      monitor_ids: [...scope.monitor_ids],
      heartbeat_ids: [...scope.heartbeat_ids],
      group_ids: [],
      integration_ids: [...scope.integration_ids],
      tags: [...scope.tags]
    },
    schedule_kind: schedule.kind,
    starts_at: once?.starts_at ?? null,
    ends_at: once?.ends_at ?? null,
    rrule: recurring?.rrule ?? null,
    time_zone: recurring?.time_zone ?? null,
    starts_on: recurring?.starts_on ?? null,
    start_time: recurring?.at ?? null,
    duration_minutes: recurring?.duration_minutes ?? null,
    until: recurring?.until ?? null,
    exdates: [...(recurring?.exdates ?? [])],
    spans: spansOfRow(window),
    count_in_uptime: window.count_in_uptime,
    settle_seconds: window.settle_seconds,
    updated_at: window.updated_at,
    cause: { kind: 'command', src: window.created_by, event_id: null, request_id: null, input: null }
  }
}

/** Shown of what fails. */
const MAX_FAILING = 50

export interface Failing {
  kind: 'monitor' | 'heartbeat'
  id: string
  name: string
}

/** Returns what the scope covers by `all`, ids or tags and what fails now. */
export async function failingOf(tx: Tx, tenant_id: string, scope: Scope): Promise<Failing[]> {
  const { monitors, heartbeats } = await targetsOf(tx, tenant_id, scope)
  const { rows } = await tx.query<Failing>(
    `SELECT 'monitor' AS kind, m.monitor_id AS id, m.name FROM monitors m
       JOIN partition_state p ON p.processor = 'status' AND p.key = m.state_key AND p.tenant_id = m.tenant_id
      WHERE m.tenant_id = $1 AND m.monitor_id = ANY ($2::uuid[]) AND m.paused_at IS NULL AND p.state ->> 'status' = 'down'
     UNION ALL
     SELECT 'heartbeat', h.heartbeat_id, h.name FROM heartbeats h
       JOIN partition_state p ON p.processor = 'heartbeat' AND p.key = h.state_key AND p.tenant_id = h.tenant_id
      WHERE h.tenant_id = $1 AND h.heartbeat_id = ANY ($3::uuid[]) AND h.paused_at IS NULL AND p.state ->> 'status' = 'missed'
      ORDER BY 3, 2 LIMIT $4`,
    [tenant_id, monitors, heartbeats, MAX_FAILING]
  )
  return rows
}

/** Most windows that are read for one incident, and most that are reported. */
const MAX_AROUND = 500
export const MAX_CHANGES = 20

export interface WindowAround {
  window: StoredWindow
  span: Span
}

/**
 * Windows that cover an incident and ran between two instants, the latest first, as the
 * transaction sees them.
 */
export async function windowsAround(
  tx: Tx,
  tenant_id: string,
  alert: Parameters<typeof isCovered>[1],
  { from, to }: { from: number; to: number }
): Promise<WindowAround[]> {
  const { rows } = await tx.query<StoredWindow & { tagged: string[]; private_team_ids: string[] }>(
    `SELECT ${COLUMNS}, ${taggedSql('$4')} AS tagged,
            ARRAY(SELECT p.team_id FROM teams p WHERE p.tenant_id = w.tenant_id AND p.visibility = 'private') AS private_team_ids
       FROM maintenance_windows w
      WHERE tenant_id = $1 AND deleted_at IS NULL AND EXISTS (
        SELECT FROM jsonb_array_elements(spans) AS s WHERE (s ->> 0)::bigint < $3::bigint AND (s ->> 1)::bigint > $2::bigint)
      ORDER BY holds_until DESC, window_id LIMIT ${MAX_AROUND}`,
    [tenant_id, from, to, watchedIds([alert])]
  )
  const found = rows.flatMap((window): WindowAround[] => {
    const { window_id, version, effect, scope, settle_seconds, tagged, private_team_ids } = window
    const spans = spansOfRow(window)
    const set = compileWindows([{ window_id, version, effect, scope, settle_seconds, spans, tagged }], private_team_ids)
    if (!isCovered(set, alert, from)) return []
    return spans.flatMap((span) => (span.starts_at < to && span.ends_at > from ? [{ window, span }] : []))
  })
  return found.sort((a, b) => b.span.starts_at - a.span.starts_at).slice(0, MAX_CHANGES)
}
